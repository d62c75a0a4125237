add_executable(fuzz_gateway ${CMAKE_CURRENT_LIST_DIR}/gateway_fuzz.cpp ${CMAKE_CURRENT_LIST_DIR}/gateway_frames.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gateway_host.cpp)
target_link_libraries(fuzz_gateway PRIVATE avrlan_net avrlan_options)
add_test(NAME fuzz_gateway COMMAND fuzz_gateway --runs 30000 --seed 1)
set_tests_properties(fuzz_gateway PROPERTIES LABELS fuzz PASS_REGULAR_EXPRESSION "30000 passed, 0 failed")
