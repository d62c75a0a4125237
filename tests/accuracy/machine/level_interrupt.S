#include "program.h"

// Low level at the pin before the interrupt is enabled; main counts in r20, the handler in r23.
  jmp start
  vector EXT_vect_num, isr

start:
  stack
  clr r20
  clr r23
  store _SFR_MEM_ADDR(EXT_CONTROL), 0
  label ready
  nop
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)
  sei
  label counting
  .rept 64
  inc r20
  .endr
  finish

isr:
  inc r23
  reti
