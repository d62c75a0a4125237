#include "program.h"

// A request that waits while IVCE is set. r20 counts the instructions that go before it is served.
#if FLASHEND == 0x7fff
#define BOOT (FLASHEND + 1 - 0x1000)
#else
#define BOOT (FLASHEND + 1 - 0x2000)
#endif

.macro request
  ldi r20, 0
  cbi IO(EXT_PORT), EXT_BIT
  nop
  nop
  nop
  nop
  sbi IO(EXT_PORT), EXT_BIT
.endm

  jmp start
  vector EXT_vect_num, isr

start:
  stack
  sbi IO(EXT_PORT), EXT_BIT
  sbi IO(EXT_DDR), EXT_BIT
  store _SFR_MEM_ADDR(EXT_CONTROL), EXT_FALLING
  sbi IO(EIMSK), EXT_INT
  ldi r16, 1 << IVCE
  ldi r17, 1 << IVSEL
  request
  sei
  out IO(MCUCR), r16
  inc r20
  inc r20
  inc r20
  inc r20
  inc r20
  inc r20
  cli
  request
  sei
  out IO(MCUCR), r16
  out IO(MCUCR), r17
  inc r20
  inc r20
  inc r20
1:
  rjmp 1b

isr:
  label handler
  reti

  .org BOOT + EXT_vect_num * 4
  label boot_handler
  reti
