#include "program.h"

// A byte from USART0 and one from USART3.
  store UCSR0B, (1 << TXEN0)
  store UCSR3B, (1 << TXEN3)
  store UDR0, 0x11
  store UDR3, 0x33
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
1:
  lds r16, UCSR3A
  sbrs r16, TXC3
  rjmp 1b
  finish
