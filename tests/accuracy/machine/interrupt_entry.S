#include "program.h"

  jmp start
  vector EXT_vect_num, isr

start:
  stack
  sbi IO(EXT_PORT), EXT_BIT
  sbi IO(EXT_DDR), EXT_BIT
  store _SFR_MEM_ADDR(EXT_CONTROL), EXT_FALLING
  store _SFR_MEM_ADDR(EIFR), 0xff
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)
  sei
  nop
  label trigger
  cbi IO(EXT_PORT), EXT_BIT
  // Until the edge has come through to the flag.
  nop
  nop
  nop
  nop
  nop
  // The longest way in: an interrupt that comes up in the middle of an instruction waits for its end.
  sbi IO(EXT_PORT), EXT_BIT
  label returned
  nop
  finish

isr:
  label handler
  nop
  label leaves
  reti
