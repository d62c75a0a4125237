#include "program.h"

// INT2 of the ATmega16 and 32, on PB2: ISC2 in MCUCSR chooses between the edges; there is no level.
.macro flag register
  nop
  nop
  nop
  in \register, IO(GIFR)
  store _SFR_MEM_ADDR(GIFR), 0xff
.endm

  sbi IO(PORTB), 2
  sbi IO(DDRB), 2
  flag r2
  cbi IO(PORTB), 2
  flag r2
  sbi IO(PORTB), 2
  flag r3
  store _SFR_MEM_ADDR(MCUCSR), (1 << ISC2)
  cbi IO(PORTB), 2
  flag r4
  sbi IO(PORTB), 2
  flag r5
  finish
