#include "program.h"

#ifndef WDTCSR
#define WDTCSR WDTCR
#endif
#ifdef MCUCSR
#define CAUSES MCUCSR
#else
#define CAUSES MCUSR
#endif
#ifndef WDCE
#define WDCE WDTOE
#endif

// r2 counts the starts: a reset leaves it alone.
  rjmp start
#ifdef WDIE
  vector WDT_vect_num, isr
#endif

start:
  label started
  inc r2
  stack
  in r20, IO(CAUSES)
  lds r21, _SFR_MEM_ADDR(WDTCSR)
  label causes
  nop
  // Off, in the timed sequence: WDRF first.
  ldi r16, 0
  out IO(CAUSES), r16
  ldi r16, 1 << WDCE | 1 << WDE
  ldi r17, 0
  sts _SFR_MEM_ADDR(WDTCSR), r16
  sts _SFR_MEM_ADDR(WDTCSR), r17
  lds r21, _SFR_MEM_ADDR(WDTCSR)
  label off
  mov r16, r2
  cpi r16, 2
  breq second
  brsh third
  // On, and one restart: the run must not end here.
  ldi r16, 1 << WDE
  label on
  sts _SFR_MEM_ADDR(WDTCSR), r16
  // Too late to be switched off again.
  ldi r16, 1 << WDCE | 1 << WDE
  sts _SFR_MEM_ADDR(WDTCSR), r16
  nop
  nop
  nop
  sts _SFR_MEM_ADDR(WDTCSR), r17
  lds r21, _SFR_MEM_ADDR(WDTCSR)
  label late
  ldi r18, 100
1:
  dec r18
  brne 1b
  label restart
  wdr
  rjmp .-2

second:
  // A prescaler of 2: four times the period, in power-down.
  ldi r16, 1 << WDCE | 1 << WDE
  ldi r17, 1 << WDE | 2
  sts _SFR_MEM_ADDR(WDTCSR), r16
  label on_2
  sts _SFR_MEM_ADDR(WDTCSR), r17
  store SLEEP_REGISTER, (1 << SM1 | 1 << SE)
  label asleep
  sleep

third:
#ifdef WDIE
  // Interrupt first, then reset.
  ldi r16, 1 << WDCE | 1 << WDE
  ldi r17, 1 << WDIE | 1 << WDE
  sts _SFR_MEM_ADDR(WDTCSR), r16
  label on_both
  sts _SFR_MEM_ADDR(WDTCSR), r17
  store SLEEP_REGISTER, (1 << SM1 | 1 << SE)
  sei
  sleep
1:
  sleep
  rjmp 1b

isr:
  lds r21, _SFR_MEM_ADDR(WDTCSR)
  label in_isr
  reti
#else
1:
  rjmp 1b
#endif
