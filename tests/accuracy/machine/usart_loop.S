#include "usart.h"

// Sends the two frames at `frames` at once, and waits for two.
  configure
  lpm r18, Z+
  lpm r18, Z+
  lpm r19, Z+
  lpm r19, Z+
  label send
  sts UDR_, r18
  label first_stored
  sts UDR_, r19
  .macro receive status, into
1:
  lds \status, UCSRA_
  sbrs \status, 7
  rjmp 1b
  lds \into, UDR_
  .endm
  receive r2, r3
  receive r4, r5
  label received
  nop
  finish

  label config
  .byte 0, 0, 0, 0, 0, 0
  label frames
  .byte 0, 0, 0, 0
