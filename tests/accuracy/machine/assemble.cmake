# Small AVR programs for tests: avrlan_assemble(TARGET MCU SOURCE [-Dname=value ...]) makes TARGET.elf out of SOURCE in
# ${AVRLAN_ASSEMBLED_DIR} and adds it to the list ${AVRLAN_ASSEMBLED}. avrlan_compile() does the same with a C program and
# avr-libc's startup.
find_program(AVR_GCC avr-gcc REQUIRED)
set(AVRLAN_ASSEMBLED_DIR ${CMAKE_BINARY_DIR}/machine-tests)
set(AVRLAN_ASSEMBLED)
file(MAKE_DIRECTORY ${AVRLAN_ASSEMBLED_DIR})
set(AVRLAN_ASSEMBLE_INCLUDE ${CMAKE_CURRENT_LIST_DIR})

function(avrlan_assemble target mcu source)
  set(elf ${AVRLAN_ASSEMBLED_DIR}/${target}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${AVR_GCC} -mmcu=${mcu} -nostartfiles -nostdlib -Wl,-Ttext=0 -I${AVRLAN_ASSEMBLE_INCLUDE} ${ARGN}
            -o ${elf} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source} ${AVRLAN_ASSEMBLE_INCLUDE}/program.h
    VERBATIM)
  set(AVRLAN_ASSEMBLED ${AVRLAN_ASSEMBLED} ${elf} PARENT_SCOPE)
endfunction()

function(avrlan_compile target mcu source)
  set(elf ${AVRLAN_ASSEMBLED_DIR}/${target}.elf)
  add_custom_command(OUTPUT ${elf}
    COMMAND ${AVR_GCC} -mmcu=${mcu} -std=c11 -Os -Wall -Wextra -Werror ${ARGN} -o ${elf}
            ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source}
    VERBATIM)
  set(AVRLAN_ASSEMBLED ${AVRLAN_ASSEMBLED} ${elf} PARENT_SCOPE)
endfunction()
