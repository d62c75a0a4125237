#include "program.h"

// Leaves what it receives where it is until the test has sent everything.
  store UBRR0L, 0
  store UCSR0B, (1 << RXEN0)
  label ready
  ldi r18, 0
  ldi r19, 5
1:
  dec r18
  brne 1b
  dec r19
  brne 1b
  label look
  lds r2, UCSR0A
  lds r3, UDR0
  lds r4, UCSR0A
  lds r5, UDR0
  lds r6, UCSR0A
  lds r7, UDR0
  lds r8, UCSR0A
  finish
