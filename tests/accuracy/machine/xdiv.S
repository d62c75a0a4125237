#include "program.h"

  stack
  label undivided
  nop
  ldi r16, (1 << XDIVEN) | 29
  out IO(XDIV), r16
  label divided
  nop
  nop
  // Kept while XDIVEN is set.
  ldi r16, (1 << XDIVEN) | 1
  out IO(XDIV), r16
  in r18, IO(XDIV)
  label kept
  nop
  ldi r16, 0
  out IO(XDIV), r16
  label undivided_again
  nop
  nop
1:
  rjmp 1b
