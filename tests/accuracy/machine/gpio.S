#include "program.h"

#ifdef SFIOR
#define PULL_UPS SFIOR
#else
#define PULL_UPS MCUCR
#endif

// PB1 and PB2 are outputs, low.
  ldi r16, 0x06
  out IO(DDRB), r16
  ldi r16, 0x02
  clr r17
  nop
  nop
// "... a nop instruction must be inserted as indicated": without it the old value is read.
  out IO(PORTB), r16
  in r2, IO(PINB)
  in r3, IO(PINB)
  out IO(PORTB), r17
  lds r4, _SFR_MEM_ADDR(PINB)
  nop
  out IO(PORTB), r16
  sbis IO(PINB), 1
  inc r5
  sbis IO(PINB), 1
  inc r6
  cbi IO(PORTB), 1
  in r7, IO(PINB)
  in r8, IO(PINB)
  label read_back

// Where PINB can be written, 1 to 0x04 and 0x02 toggles.
  ldi r16, 0x04
  out IO(PORTB), r16
  nop
  nop
  sbi IO(PINB), 1
  in r9, IO(PORTB)
  ldi r16, 0x06
  out IO(PINB), r16
  in r10, IO(PORTB)
  sbi IO(PORTB), 2
  nop
  nop
  cbi IO(PINB), 1
  in r11, IO(PORTB)
  label toggled

// Inputs: PB3 with its pull-up, PB4 floating.
  out IO(DDRB), r17
  ldi r16, 0x08
  out IO(PORTB), r16
  nop
  in r12, IO(PINB)
  lds r16, _SFR_MEM_ADDR(PULL_UPS)
  ori r16, 1 << PUD
  sts _SFR_MEM_ADDR(PULL_UPS), r16
  nop
  in r13, IO(PINB)
  label pulled

  nop
  nop
  label sampled
  in r18, IO(EXT_PIN)
  in r19, IO(EXT_PIN)
  in r20, IO(EXT_PIN)
  in r21, IO(EXT_PIN)
  label fought_over
  sbi IO(EXT_PORT), EXT_BIT
  sbi IO(EXT_DDR), EXT_BIT
  nop
  in r22, IO(EXT_PIN)
  finish
