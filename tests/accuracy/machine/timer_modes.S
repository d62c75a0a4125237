#include "program.h"

// Timers 0 and 1 in every mode, at the undivided clock. After the store that starts the timer the program does nothing but
// clear the timer's flags, every cycle: what TIFRn shows between two instructions was set at that very cycle.

// A subroutine.
.macro sled tifr
  .rept 4300
  out IO(\tifr), r25
  .endr
  ret
.endm

.macro mode0 name, tccra, tccrb, ocra, ocrb
  store _SFR_MEM_ADDR(TCCR0B), 0
  store _SFR_MEM_ADDR(TCCR0A), 0
  store _SFR_MEM_ADDR(OCR0A), \ocra
  store _SFR_MEM_ADDR(OCR0B), \ocrb
  store _SFR_MEM_ADDR(TCCR0A), \tccra
  store _SFR_MEM_ADDR(TCNT0), 0
  out IO(TIFR0), r25
  ldi r16, (\tccrb | 1)
  label \name
  out IO(TCCR0B), r16
  call sled0
.endm

.macro mode1 name, tccra, tccrb, ocra, ocrb, icr
  store _SFR_MEM_ADDR(TCCR1B), 0
  store _SFR_MEM_ADDR(TCCR1A), 0
  store _SFR_MEM_ADDR(OCR1AH), hi8(\ocra)
  store _SFR_MEM_ADDR(OCR1AL), lo8(\ocra)
  store _SFR_MEM_ADDR(OCR1BH), hi8(\ocrb)
  store _SFR_MEM_ADDR(OCR1BL), lo8(\ocrb)
  // ICR1 can be written only in a mode that uses it; in CTC it does not buffer OCR1x.
  store _SFR_MEM_ADDR(TCCR1B), (1 << WGM13 | 1 << WGM12)
  store _SFR_MEM_ADDR(ICR1H), hi8(\icr)
  store _SFR_MEM_ADDR(ICR1L), lo8(\icr)
  store _SFR_MEM_ADDR(TCCR1A), \tccra
  store _SFR_MEM_ADDR(TCCR1B), \tccrb
  store _SFR_MEM_ADDR(TCNT1H), 0
  store _SFR_MEM_ADDR(TCNT1L), 0
  out IO(TIFR1), r25
  ldi r16, (\tccrb | 1)
  label \name
  sts _SFR_MEM_ADDR(TCCR1B), r16
  call sled1
.endm

  stack
  ldi r25, 0xff

  mode0 normal8, 0, 0, 3, 100
  mode0 phase_correct8, 1, 0, 3, 255
  mode0 ctc8, 2, 0, 9, 4
  mode0 ctc8_max, 2, 0, 255, 4
  mode0 fast8, 3, 0, 3, 255
  mode0 phase_correct8_ocra, 1, (1 << WGM02), 9, 4
  mode0 fast8_ocra, 3, (1 << WGM02), 9, 4

  mode1 normal16, 0, 0, 1000, 0, 0
  mode1 phase_correct16_8, 1, 0, 3, 100, 0
  mode1 phase_correct16_9, 2, 0, 3, 100, 0
  mode1 phase_correct16_10, 3, 0, 3, 100, 0
  mode1 ctc16, 0, (1 << WGM12), 999, 300, 0
  mode1 fast16_8, 1, (1 << WGM12), 3, 100, 0
  mode1 fast16_9, 2, (1 << WGM12), 3, 100, 0
  mode1 fast16_10, 3, (1 << WGM12), 3, 100, 0
  mode1 pfc_icr, 0, (1 << WGM13), 3, 100, 999
  mode1 pfc_ocra, 1, (1 << WGM13), 999, 100, 0
  mode1 phase_correct_icr, 2, (1 << WGM13), 3, 100, 999
  mode1 phase_correct_ocra, 3, (1 << WGM13), 999, 100, 0
  mode1 ctc_icr, 0, (1 << WGM13 | 1 << WGM12), 3, 100, 999
  mode1 fast_icr, 2, (1 << WGM13 | 1 << WGM12), 3, 100, 999
  mode1 fast_ocra, 3, (1 << WGM13 | 1 << WGM12), 999, 100, 0
  finish

sled0:
  sled TIFR0
sled1:
  sled TIFR1
