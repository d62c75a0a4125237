#include "program.h"

#if SS_BIT == 0
#define SCK_BIT 1
#else
#define SCK_BIT (SS_BIT + 3)
#endif

// Offers the first byte of the table, then the second, then what it has received; notes what it receives.
  ldi ZL, lo8(config)
  ldi ZH, hi8(config)
  ldi XL, lo8(RAMSTART)
  ldi XH, hi8(RAMSTART)
  lpm r16, Z+
  sts _SFR_MEM_ADDR(DDRB), r16
  lpm r16, Z+
  sts _SFR_MEM_ADDR(SPCR), r16
  lpm r16, Z+
  lpm r20, Z+
  out IO(SPDR), r20
  label ready
  .macro receive
1:
  in r17, IO(SPSR)
  sbrs r17, SPIF
  rjmp 1b
  in r18, IO(SPDR)
  st X+, r18
  .endm
  receive
  lpm r20, Z+
  out IO(SPDR), r20
  receive
  receive
  // A store in the middle of a byte collides: after the first leading edge of the next one.
1:
  sbic IO(PINB), SCK_BIT
  rjmp 1b
1:
  sbis IO(PINB), SCK_BIT
  rjmp 1b
  out IO(SPDR), r20
  in r21, IO(SPSR)
  label collided
  nop
  rjmp .-4

  // DDRB, SPCR, nothing, two bytes
  label config
  .byte 0, 0, 0, 0, 0, 0
