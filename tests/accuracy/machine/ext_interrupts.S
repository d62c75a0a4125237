#include "program.h"

#define EXT_RISING (EXT_FALLING | EXT_FALLING >> 1)
#define EXT_ANY (EXT_FALLING >> 1)

// The interrupt pin: first the program moves it itself, then the chip.
  rjmp start
  vector EXT_vect_num, isr

.macro settle
  nop
  nop
  nop
.endm

.macro sense mode
  store _SFR_MEM_ADDR(EXT_CONTROL), \mode
  store _SFR_MEM_ADDR(EIFR), 0xff
.endm

.macro down
  cbi IO(EXT_PORT), EXT_BIT
.endm

.macro up
  sbi IO(EXT_PORT), EXT_BIT
.endm

.macro flag register
  settle
  in \register, IO(EIFR)
.endm

start:
  stack
  up
  sbi IO(EXT_DDR), EXT_BIT
  settle
  sense EXT_FALLING
  down
  in r2, IO(EIFR)
  in r3, IO(EIFR)
  in r4, IO(EIFR)
  in r5, IO(EIFR)
  sense EXT_FALLING
  up
  flag r6
  sense EXT_RISING
  down
  flag r7
  up
  flag r8
  sense EXT_ANY
  down
  flag r9
  sense EXT_ANY
  up
  flag r10
// "This flag is always cleared when INTn is configured as a level interrupt."
  store _SFR_MEM_ADDR(EXT_CONTROL), 0
  in r11, IO(EIFR)
  down
  flag r12
  label sensed

  up
  settle
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)
  sei
  nop
  label level
  down
  settle
  settle
  cli
  clr r16
  sts _SFR_MEM_ADDR(EIMSK), r16

  cbi IO(EXT_DDR), EXT_BIT
  settle
  sense EXT_FALLING
  label sampled
  in r16, IO(EIFR)
  in r17, IO(EIFR)
  in r18, IO(EIFR)
  in r19, IO(EIFR)
  in r20, IO(EIFR)
  in r21, IO(EIFR)
  label read
  finish

isr:
  up
  reti
