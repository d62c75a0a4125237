add_executable(fuzz_decode ${CMAKE_CURRENT_LIST_DIR}/fuzz_decode.cpp)
target_link_libraries(fuzz_decode PRIVATE avrlan_net avrlan_board avrlan_options)
add_test(NAME fuzz_decode COMMAND fuzz_decode --runs 30000)
set_tests_properties(fuzz_decode PROPERTIES LABELS fuzz)
