#include "program.h"

// Sends back what it receives, from the receive interrupt; ends at an 'x'.
  jmp start
#if defined(__AVR_ATmega2560__)
  vector USART0_RX_vect_num, received
#else
  vector USART_RX_vect_num, received
#endif

start:
  stack
  store UBRR0L, 7
  store UCSR0B, (1 << RXCIE0 | 1 << RXEN0 | 1 << TXEN0)
  store _SFR_MEM_ADDR(SMCR), (1 << SE)
  sei
  label ready
1:
  sleep
  rjmp 1b

received:
  lds r20, UDR0
  cpi r20, 'x'
  breq done
  sts UDR0, r20
  reti
done:
  finish
