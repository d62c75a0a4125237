add_executable(fuzz_gdb ${CMAKE_CURRENT_LIST_DIR}/fuzz_gdb.cpp)
target_link_libraries(fuzz_gdb PRIVATE avrlan_debug avrlan_options)
add_test(NAME fuzz_gdb COMMAND fuzz_gdb --packets 100000)
set_tests_properties(fuzz_gdb PROPERTIES LABELS fuzz)
