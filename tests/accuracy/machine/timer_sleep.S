#include "program.h"

// Timer 2 wakes the MCU from power-save by its crystal; timer 1 stands still meanwhile.
  jmp start
  vector TIMER2_OVF_vect_num, isr

start:
  stack
  store _SFR_MEM_ADDR(ASSR), (1 << AS2)
  store _SFR_MEM_ADDR(TCNT2), 0xf0
  store _SFR_MEM_ADDR(TCCR2B), 1
1:
  lds r16, _SFR_MEM_ADDR(ASSR)
  andi r16, 0x1f
  brne 1b
  label updated
  store _SFR_MEM_ADDR(TIFR2), 7
  store _SFR_MEM_ADDR(TIMSK2), (1 << TOIE2)
  store _SFR_MEM_ADDR(SMCR), (3 << SM0 | 1 << SE)
  store _SFR_MEM_ADDR(TCCR1B), 1
  sei
  label sleeps
  sleep
  label woken
  lds r20, _SFR_MEM_ADDR(TCNT1L)
  lds r21, _SFR_MEM_ADDR(TCNT1H)
  ldi r18, 200
1:
  dec r18
  brne 1b
  lds r22, _SFR_MEM_ADDR(TCNT2)
  label later
  finish

isr:
  lds r17, _SFR_MEM_ADDR(TCNT2)
  reti
