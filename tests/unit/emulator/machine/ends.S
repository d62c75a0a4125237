#include "program.h"

// One end of a run each; CASE says which.
  stack
#if defined(EXIT)
  ldi r24, EXIT
  cli
  label end
  rjmp .-2
#elif defined(JMP)
  ldi r24, 9
  label end
  jmp end
#elif defined(IDLE_LOOP)
  // Interrupts are on: an idle loop, not an end.
  sei
  label end
  rjmp .-2
#elif defined(SLEEP)
  store _SFR_MEM_ADDR(SMCR), (1 << SE)
  label end
  sleep
  nop
#elif defined(ILLEGAL)
  label end
  .word 0x9404
  nop
  rjmp .-2
#elif defined(WILD_STORE)
  ldi r30, 0xff
  ldi r31, 0xff
  label end
  st Z, r0
  nop
  rjmp .-2
#elif defined(WILD_LOAD)
  label end
  lds r0, 0xf000
  nop
  rjmp .-2
#elif defined(OUTSIDE_FLASH)
  jmp last
  .org FLASHEND - 1
  label last
  nop
#elif defined(WATCHDOG)
  // With interrupts off and a watchdog on, a jump to itself is a way to reset.
  lds r16, _SFR_MEM_ADDR(MCUSR)
  sbrs r16, WDRF
  rjmp first
  store _SFR_MEM_ADDR(MCUSR), 0
  store _SFR_MEM_ADDR(WDTCSR), (1 << WDCE | 1 << WDE)
  store _SFR_MEM_ADDR(WDTCSR), 0
  ldi r24, 5
  label end
  rjmp .-2
first:
  store _SFR_MEM_ADDR(WDTCSR), (1 << WDCE | 1 << WDE)
  store _SFR_MEM_ADDR(WDTCSR), (1 << WDE)
  label waiting
  rjmp .-2
#elif defined(SENDING)
  store UBRR0L, 0
  store UCSR0B, (1 << TXEN0)
  store UDR0, 'o'
  store UDR0, 'k'
  ldi r24, 0
  label end
  rjmp .-2
#endif
