#include "usart.h"

// Sends the two frames at `frames`, each TXB8 and the low eight bits, at once; then the third.
  configure
  label configured
  lds r19, UCSRB_
  .macro send name
  lpm r17, Z+
  lpm r18, Z+
  mov r16, r19
  or r16, r17
  sts UCSRB_, r16
  label \name
  sts UDR_, r18
  label \name\()_stored
  .endm
  send first
  send second
  send third
  label poll
1:
  lds r16, UCSRA_
  sbrs r16, 6
  rjmp 1b
  label all_sent
  nop
  nop
  nop
  sts UCSRA_, r16
  sts UDR_, r18
  label late_stored
1:
  lds r16, UCSRA_
  sbrs r16, 6
  rjmp 1b
  finish

  label config
  .byte 0, 0, 0, 0, 0, 0
  label frames
  .byte 0, 0, 0, 0, 0, 0
