foreach(mcu atmega328p atmega2560)
  avrlan_assemble(timer_modes_${mcu} ${mcu} timer_modes.S)
endforeach()

add_executable(machine_timers_test
  timer_counter_test.cpp
  timer_modes_test.cpp
  ${AVRLAN_ASSEMBLED})
target_link_libraries(machine_timers_test
  PRIVATE avrlan_machine_bench avrlan_peripherals PkgConfig::SIMAVR GTest::gtest_main)
gtest_discover_tests(machine_timers_test PROPERTIES LABELS accuracy)
gtest_discover_tests(machine_timers_test TEST_PREFIX simavr_engine. TEST_FILTER *Mcus*
  PROPERTIES LABELS accuracy ENVIRONMENT AVRLAN_TEST_ENGINE=simavr)
