#include "program.h"

#if defined(ADCSRB) && !defined(SFIOR)
#define ACME_REGISTER _SFR_MEM_ADDR(ADCSRB)
#else
#define ACME_REGISTER _SFR_MEM_ADDR(SFIOR)
#endif
#if defined(ANALOG_COMP_vect_num)
#define COMPARATOR ANALOG_COMP_vect_num
#else
#define COMPARATOR ANA_COMP_vect_num
#endif

  rjmp start
  vector COMPARATOR, isr

start:
  stack
  store SLEEP_REGISTER, (1 << SE)
  // AIN0 above AIN1: a rising edge wakes.
  ldi r16, (1 << ACIS1 | 1 << ACIS0)
  out IO(ACSR), r16
  ldi r16, (1 << ACIE | 1 << ACIS1 | 1 << ACIS0 | 1 << ACI)
  out IO(ACSR), r16
  in r18, IO(ACSR)
  label below
  sei
  sleep
  cli
  in r18, IO(ACSR)
  label above
  // The bandgap against ADC2.
  ldi r16, (1 << ACBG)
  out IO(ACSR), r16
  store _SFR_MEM_ADDR(ADMUX), 2
  in r18, IO(ACSR)
  label bandgap
  store ACME_REGISTER, (1 << ACME)
  in r18, IO(ACSR)
  label multiplexed
1:
  rjmp 1b

isr:
  label handler
  reti
