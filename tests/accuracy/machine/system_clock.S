#include "program.h"

// r18 = CLKPR after a store of 3 that ends \nops + 2 cycles after that of CLKPCE.
.macro attempt name, nops
  ldi r16, 1 << CLKPCE
  ldi r17, 3
  sts CLKPR, r16
  .rept \nops
  nop
  .endr
  sts CLKPR, r17
  label \name\()_stored
  lds r18, CLKPR
  label \name\()_done
  nop
.endm

.macro divide clkps
  store CLKPR, (1 << CLKPCE)
  store CLKPR, \clkps
.endm

.macro divider clkps
  divide \clkps
  label divided_\clkps
  nop
  nop
  nop
  divide 0
.endm

  stack
  attempt late, 3
  attempt in_time, 2
  divide 0
  // Together with other bits CLKPCE does not open the window.
  store CLKPR, (1 << CLKPCE | 1)
  store CLKPR, 1
  lds r18, CLKPR
  label not_alone
  divider 0
  divider 1
  divider 2
  divider 3
  divider 4
  divider 5
  divider 6
  divider 7
  divider 8
  // A USART frame under way.
  store UCSR0B, (1 << TXEN0)
  store UBRR0L, 7
  label write
  sts UDR0, r20
  divide 3
  label slower
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
  label sent
  nop
2:
  rjmp 2b
