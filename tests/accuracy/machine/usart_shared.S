#include "program.h"

// UBRRH and UCSRC at one address.
  in r2, IO(UBRRH)
  in r9, IO(UBRRH)
  ldi r16, 0x0a
  out IO(UBRRH), r16
  ldi r16, (1 << URSEL | 1 << UPM1 | 1 << UPM0 | 1 << UCSZ1 | 1 << UCSZ0)
  out IO(UCSRC), r16
  in r2, IO(UBRRH)
  nop
  in r3, IO(UBRRH)
  nop
  in r4, IO(UBRRH)
  in r5, IO(UBRRH)
  in r6, IO(UBRRH)
  nop
  lds r7, _SFR_MEM_ADDR(UBRRH)
  in r7, IO(UBRRH)
  nop
  lds r8, _SFR_MEM_ADDR(UBRRH)
  lds r8, _SFR_MEM_ADDR(UBRRH)
  finish
