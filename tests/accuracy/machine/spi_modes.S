#include "program.h"

// Sends the byte in the table and notes what comes back.
  ldi ZL, lo8(config)
  ldi ZH, hi8(config)
  lpm r16, Z+
  sts _SFR_MEM_ADDR(DDRB), r16
  lpm r16, Z+
  sts _SFR_MEM_ADDR(SPCR), r16
  lpm r16, Z+
  sts _SFR_MEM_ADDR(SPSR), r16
  lpm r20, Z+
  label send
  out IO(SPDR), r20
  label stored
1:
  in r17, IO(SPSR)
  sbrs r17, SPIF
  rjmp 1b
  in r2, IO(SPDR)
  label received
  nop
  finish

  // DDRB, SPCR, SPSR, the byte
  label config
  .byte 0, 0, 0, 0
