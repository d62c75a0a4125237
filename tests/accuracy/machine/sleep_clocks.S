#include "program.h"

// An SPI byte and a USART frame are under way when clkIO stops. A low level wakes.
  jmp start
  vector EXT_vect_num, isr

start:
  stack
  sbi IO(DDRB), SS_BIT
  store _SFR_MEM_ADDR(SPCR), (1 << SPE | 1 << MSTR | 3)
  store _SFR_MEM_ADDR(UCSR0B), (1 << TXEN0)
  store _SFR_MEM_ADDR(UBRR0L), 7
  label ubrr_stored
  store _SFR_MEM_ADDR(SMCR), MODE
  sbi IO(EIMSK), EXT_INT
  sei
  label write_uart
  sts UDR0, r20
  label write_spi
  out IO(SPDR), r20
  label asleep
  sleep
1:
  rjmp 1b

isr:
  label handler
  cbi IO(EIMSK), EXT_INT
  reti
