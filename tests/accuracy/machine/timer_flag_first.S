#include "program.h"

// Timer 0 overflows long before its interrupt is enabled.
  jmp start
  vector TIMER0_OVF_vect_num, isr

start:
  stack
  clr r23
  store _SFR_MEM_ADDR(TCCR0B), 1
  clr r18
1:
  dec r18
  brne 1b
  sei
  nop
  label before_enable
  store _SFR_MEM_ADDR(TIMSK0), (1 << TOIE0)
  nop
  nop
  label after_enable
  finish

isr:
  inc r23
  reti
