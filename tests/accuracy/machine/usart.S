#include "program.h"

// The byte in r20 in one frame format each; TXC is polled to its end.
.macro frame_at name, ubrr, ucsra, ucsrb, ucsrc
  store UBRR0H, hi8(\ubrr)
  store UBRR0L, lo8(\ubrr)
  store UCSR0A, (\ucsra | 1 << TXC0)
  store UCSR0C, \ucsrc
  store UCSR0B, (\ucsrb | 1 << TXEN0)
  label \name
  sts UDR0, r20
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
.endm

  ldi r20, 0xe5
  frame_at frame_8n1, 103, 0, 0, 6
  frame_at frame_8n1_u2x, 16, (1 << U2X0), 0, 6
  frame_at frame_8n2, 7, 0, 0, (1 << USBS0 | 6)
  frame_at frame_7e1, 7, 0, 0, (1 << UPM01 | 4)
  frame_at frame_8o2, 7, 0, 0, (1 << UPM01 | 1 << UPM00 | 1 << USBS0 | 6)
  frame_at frame_6n1, 7, 0, 0, 2
  frame_at frame_5n1, 0, (1 << U2X0), 0, 0
  frame_at frame_9n1, 7, 0, (1 << UCSZ02), 6
  frame_at frame_slowest, 4095, 0, 0, 6

  // Two bytes at once: the second waits in the buffer. A third is ignored.
  store UBRR0H, 0
  store UBRR0L, 7
  store UCSR0A, (1 << TXC0)
  store UCSR0B, (1 << TXEN0)
  store UCSR0C, 6
  ldi r20, 0x11
  ldi r21, 0x22
  ldi r22, 0x33
  label first
  sts UDR0, r20
  label second
  sts UDR0, r21
  label third
  sts UDR0, r22
  label wait
1:
  lds r16, UCSR0A
  sbrs r16, TXC0
  rjmp 1b
  finish
