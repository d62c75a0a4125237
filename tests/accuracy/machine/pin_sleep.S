#include "program.h"

// Power-down with the chip's INT pin as the only way out: sensed as SENSE says, or, with PIN_CHANGE, as a pin change, too.
#if defined(__AVR_ATmega328P__)
// INT0's pin.
#define CHANGE_vect_num PCINT2_vect_num
#define CHANGE_MASK PCMSK2
#define CHANGE_BIT (1 << PCINT18)
#define CHANGE_ENABLE (1 << PCIE2)
#else
// PJ0
#define CHANGE_vect_num PCINT1_vect_num
#define CHANGE_MASK PCMSK1
#define CHANGE_BIT (1 << PCINT9)
#define CHANGE_ENABLE (1 << PCIE1)
#endif

  rjmp start
  vector EXT_vect_num, isr
#ifdef PIN_CHANGE
  vector CHANGE_vect_num, changed
#endif

start:
  stack
  clr r2
  clr r3
  store _SFR_MEM_ADDR(EXT_CONTROL), SENSE
  store _SFR_MEM_ADDR(EIFR), 0xff
#ifdef PIN_CHANGE
  store _SFR_MEM_ADDR(CHANGE_MASK), CHANGE_BIT
  store _SFR_MEM_ADDR(PCICR), CHANGE_ENABLE
#else
  store _SFR_MEM_ADDR(EIMSK), (1 << EXT_INT)
#endif
#ifdef SMCR
  store _SFR_MEM_ADDR(SMCR), (1 << SM1 | 1 << SE)
#else
  store _SFR_MEM_ADDR(MCUCR), (1 << SM1 | 1 << SE)
#endif
  sei
  label sleeps
  sleep
  label woken
  nop
  nop
  nop
  nop
  in r4, IO(EIFR)
  finish

isr:
  inc r2
  clr r16
  sts _SFR_MEM_ADDR(EIMSK), r16
  reti

changed:
  inc r3
  reti
