foreach(mcu atmega328p atmega2560)
  avrlan_assemble(timer_modes_${mcu} ${mcu} timer_modes.S)
  avrlan_assemble(timer_access_${mcu} ${mcu} timer_access.S)
  avrlan_assemble(timer_sleep_${mcu} ${mcu} timer_sleep.S)
endforeach()

# What avr-libc's headers say about each MCU: a text of #defines.
foreach(mcu ${AVRLAN_MCUS})
  set(macros ${AVRLAN_ASSEMBLED_DIR}/${mcu}.macros)
  add_custom_command(OUTPUT ${macros}
    COMMAND ${AVR_GCC} -mmcu=${mcu} -dM -E -include avr/io.h -x c /dev/null -o ${macros}
    VERBATIM)
  list(APPEND AVRLAN_ASSEMBLED ${macros})
endforeach()

add_executable(machine_timers_test
  plain_simavr.cpp
  timer_access_test.cpp
  timer_clocks_test.cpp
  timer_counter_test.cpp
  timer_events_test.cpp
  timer_layout_test.cpp
  timer_modes_test.cpp
  timer_pins_test.cpp
  timer_registers_test.cpp
  ${AVRLAN_ASSEMBLED})
target_link_libraries(machine_timers_test
  PRIVATE avrlan_machine_bench avrlan_peripherals PkgConfig::SIMAVR GTest::gtest_main)
target_compile_definitions(machine_timers_test PRIVATE AVRLAN_ASSEMBLED_DIR="${AVRLAN_ASSEMBLED_DIR}")
gtest_discover_tests(machine_timers_test PROPERTIES LABELS accuracy)
gtest_discover_tests(machine_timers_test TEST_PREFIX simavr_engine. TEST_FILTER *Mcus*
  PROPERTIES LABELS accuracy ENVIRONMENT AVRLAN_TEST_ENGINE=simavr)
