#include "program.h"

// RETI with interrupts on already; the test pulls the pin low while it executes. Main counts in r20, the handler takes
// the count to r21 and ends the run of low level by itself.
  jmp start
  vector EXT_vect_num, isr

start:
  stack
  clr r1
  clr r20
  store _SFR_MEM_ADDR(EXT_CONTROL), 0
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)
  rcall routine
  inc r20
  inc r20
  inc r20
  label after
  finish

routine:
  sei
  nop
  label leaves
  reti

isr:
  mov r21, r20
  out IO(EIMSK), r1
  reti
