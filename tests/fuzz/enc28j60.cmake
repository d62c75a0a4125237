add_executable(fuzz_enc28j60 ${CMAKE_CURRENT_LIST_DIR}/fuzz_enc28j60.cpp)
target_link_libraries(fuzz_enc28j60 PRIVATE avrlan_options avrlan_nic)
add_test(NAME fuzz_enc28j60 COMMAND fuzz_enc28j60 --runs 300)
set_tests_properties(fuzz_enc28j60 PROPERTIES LABELS fuzz)
