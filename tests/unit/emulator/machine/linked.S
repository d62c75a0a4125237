#include "program.h"

// One of everything that a Firmware holds.
  rjmp over
  .space 36
over:
  nop

  .global label_beside
label_beside:
  .global a_function
  .type a_function, @function
a_function:
  nop
  .global label_inside
label_inside:
  nop
  nop
  .size a_function, 6
  .global assembly
assembly:
  nop
  nop

  .data
  .global in_data
  .type in_data, @object
in_data:
  .ascii "data"
  .size in_data, 4

  .section .bss
  .global in_bss
  .type in_bss, @object
in_bss:
  .space 10
  .size in_bss, 10

  .section .eeprom, "aw"
  .ascii "ee"

  .section .fuse, "aw"
  .byte 0xe2, 0xd9, 0xff

  .section .mmcu, "aw"
  .byte 1, 11
  .asciz "atmega328p"
  .byte 2, 4
  .long 12000000
  .byte 0, 0
