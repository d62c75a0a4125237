#include "program.h"

// One byte at 9600 baud, for the control on plain simavr.
  stack
  store UBRR0H, 0
  store UBRR0L, 103
  store UCSR0C, 6
  store UCSR0B, (1 << TXEN0)
  label frame_8n1
  sts UDR0, r20
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b

  // Written while TXEN is 0, twice; then two frames, and TXEN is cleared while the first is sent.
  store UCSR0A, (1 << TXC0)
  store UBRR0L, 7
  store UCSR0B, 0
  label early
  ldi r20, 0x11
  ldi r21, 0x22
  sts UDR0, r20
  sts UDR0, r21
  rcall wait
  label enabled
  store UCSR0B, (1 << TXEN0)
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
  store UCSR0A, (1 << TXC0)
  sts UDR0, r20
  sts UDR0, r21
  store UCSR0B, 0
  label disabled
  rcall wait
  label disabled_end

  // The rate is stored again, unchanged, while a frame is sent.
  store UCSR0A, (1 << TXC0)
  store UCSR0B, (1 << TXEN0)
  store UBRR0L, 199
  label rate_set
  sts UDR0, r20
  label rate_stored
  rcall wait
  store UBRR0L, 199
  label rate_again
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
  label rate_end

  // The format, and then the speed, changes while a frame is sent.
  store UCSR0A, (1 << TXC0)
  sts UDR0, r20
  label format_stored
  rcall wait
  store UCSR0C, (1 << UPM01 | 1 << USBS0 | 6)
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
  store UCSR0A, (1 << TXC0)
  store UCSR0C, 6
  sts UDR0, r20
  label speed_stored
  rcall wait
  store UCSR0A, (1 << U2X0)
  label doubled
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
  finish

wait:
  ldi r18, 0
  ldi r19, 6
1:
  dec r18
  brne 1b
  dec r19
  brne 1b
  ret
