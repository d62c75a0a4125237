#include "program.h"

#ifndef ADATE
#define ADATE ADFR
#endif
#define DATA_L _SFR_MEM_ADDR(ADCL)
#define DATA_H _SFR_MEM_ADDR(ADCH)
#define MUX _SFR_MEM_ADDR(ADMUX)
#define CONTROL _SFR_MEM_ADDR(ADCSRA)
// AVCC
#define REFERENCE (1 << REFS0)
#if defined(MUX4)
#define BANDGAP 30
#define GROUND 31
#else
#define BANDGAP 14
#define GROUND 15
#endif

.macro result name
  lds r18, DATA_L
  lds r19, DATA_H
  label \name
  nop
.endm

// Asleep until the conversion is over.
.macro convert name, bits, prescaler
  ldi r16, (1 << ADEN | 1 << ADSC | 1 << ADIE) | \bits | \prescaler
  label \name
  sts CONTROL, r16
  label \name\()_started
  sleep
.endm

  rjmp start
  vector ADC_vect_num, isr

start:
  stack
  store SLEEP_REGISTER, (1 << SE)
  sei
  store MUX, REFERENCE | 1
  convert first, 0, 7
  result first_value
  nop
  nop
  nop
  convert second, 0, 4
  result second_value
  convert third, 0, 1
  result third_value
  // Left adjusted, at once.
  store MUX, REFERENCE | 1 | (1 << ADLAR)
  result left_value
  store MUX, REFERENCE | BANDGAP
  convert bandgap, 0, 4
  result bandgap_value
  store MUX, REFERENCE | GROUND
  convert ground, 0, 4
  result ground_value
#ifdef MUX5
  store MUX, REFERENCE | 1
  store _SFR_MEM_ADDR(ADCSRB), (1 << MUX5)
  convert adc9, 0, 4
  result adc9_value
  store _SFR_MEM_ADDR(ADCSRB), 0
#endif
#ifdef MUX4
  // (ADC0 - ADC1) x 1
  store MUX, REFERENCE | 16
  convert difference, 0, 4
  result difference_value
#endif
  // Running free; ADCL is read before, and ADCH after the next result.
  store MUX, REFERENCE | 1
  convert free, (1 << ADATE), 4
  lds r18, DATA_L
  label free_locked
  sleep
  label free_lost
  lds r19, DATA_H
  lds r20, DATA_L
  label free_value
  lds r20, DATA_H
  // Switched off in the middle.
  store CONTROL, 0
  lds r21, CONTROL
  label off
1:
  rjmp 1b

isr:
  label handler
  reti
