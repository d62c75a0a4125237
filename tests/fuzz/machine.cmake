add_executable(fuzz_machine ${CMAKE_CURRENT_LIST_DIR}/fuzz_machine.cpp
  ${PROJECT_SOURCE_DIR}/tests/accuracy/cpu/random_code.cpp)
target_link_libraries(fuzz_machine PRIVATE avrlan_cli avrlan_options)
add_test(NAME fuzz_machine COMMAND fuzz_machine --images 400)
set_tests_properties(fuzz_machine PROPERTIES LABELS fuzz)
