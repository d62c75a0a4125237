#include "program.h"

// Each label is passed with what it is about in r17, and perhaps r18.
  jmp start
  vector TIMER0_OVF_vect_num, overflowed

start:
  stack
  clr r1
  ldi r25, 0xff
  ldi r16, 1

  // The first four as measured on an ATmega328P by the authors of avr8js (their issues 36, 40, 41 and 72).
  ldi r18, 0x30
  out IO(TCCR0B), r16
  out IO(TCNT0), r18
  nop
  in r17, IO(TCNT0)
  label in_after_store

  out IO(TCNT0), r1
  nop
  lds r17, _SFR_MEM_ADDR(TCNT0)
  label lds_after_store

  sts _SFR_MEM_ADDR(TCCR2B), r16
  nop
  lds r17, _SFR_MEM_ADDR(TCNT2)
  label after_start
  sts _SFR_MEM_ADDR(TCCR2B), r1
  sts _SFR_MEM_ADDR(TCNT2), r1
  sts _SFR_MEM_ADDR(TCCR2B), r16
  sts _SFR_MEM_ADDR(TCCR2B), r1
  nop
  lds r17, _SFR_MEM_ADDR(TCNT2)
  label after_stop

  // A count written while the timer stands is kept; MAX overflows at the first clock.
  out IO(TCCR0B), r1
  out IO(TIFR0), r25
  out IO(TCNT0), r25
  in r17, IO(TCNT0)
  label kept
  out IO(TCCR0B), r16
  in r17, IO(TIFR0)
  in r18, IO(TIFR0)
  label overflow_of_written
  out IO(TCCR0B), r1

  // The store to TCNT0 blocks the compare match of the next clock.
  ldi r18, 0x20
  out IO(TIFR0), r25
  out IO(OCR0A), r18
  out IO(TCNT0), r18
  out IO(TCCR0B), r16
  nop
  nop
  out IO(TCCR0B), r1
  in r17, IO(TIFR0)
  label blocked

  // CTC with OCR0A below the count runs to MAX.
  store _SFR_MEM_ADDR(TCCR0A), (1 << WGM01)
  store _SFR_MEM_ADDR(OCR0A), 50
  store _SFR_MEM_ADDR(TCNT0), 100
  out IO(TIFR0), r25
  ldi r16, 1
  out IO(TCCR0B), r16
  label missed_top
  .rept 240
  nop
  .endr
  store _SFR_MEM_ADDR(TCCR0A), 0
  ldi r16, 1
  out IO(TCCR0B), r1

  // TOV0 and OCF0A are set; a 1 clears the one and leaves the other.
  out IO(TIFR0), r25
  store _SFR_MEM_ADDR(OCR0A), 0
  out IO(TCNT0), r25
  ldi r16, 1
  out IO(TCCR0B), r16
  nop
  nop
  nop
  out IO(TCCR0B), r1
  in r17, IO(TIFR0)
  ldi r18, (1 << TOV0)
  out IO(TIFR0), r18
  in r18, IO(TIFR0)
  label one_cleared

  // The handler is entered when the flag is set: the NOPs have one cycle each.
  out IO(TIFR0), r25
  store _SFR_MEM_ADDR(TIMSK0), (1 << TOIE0)
  store _SFR_MEM_ADDR(TCNT0), 246
  ldi r16, 1
  sei
  label started
  out IO(TCCR0B), r16
  .rept 20
  nop
  .endr
  finish

overflowed:
  in r17, IO(TCNT0)
  in r18, IO(TIFR0)
  label in_handler
  reti
