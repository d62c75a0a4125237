#include "usart.h"

// Sleeps, and notes UCSRA, UCSRB and UDR of every frame in the SRAM.
#if FLASHEND < 0x2000
  rjmp start
#else
  jmp start
#endif
  vector RX_vect_num, received
start:
  stack
  ldi XL, lo8(RAMSTART)
  ldi XH, hi8(RAMSTART)
  configure
  store _SFR_MEM_ADDR(SLEEP_REGISTER), (1 << SE)
  sei
  label ready
1:
  sleep
  rjmp 1b

  label received
  lds r16, UCSRA_
  lds r17, UCSRB_
  lds r18, UDR_
  st X+, r16
  st X+, r17
  st X+, r18
  reti

  label config
  .byte 0, 0, 0, 0, 0, 0
