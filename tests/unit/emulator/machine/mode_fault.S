#include "program.h"

// SS is an input here and belongs to the test.
  store _SFR_MEM_ADDR(SPCR), (1 << SPE | 1 << MSTR)
  label master
  nop
  nop
  label driven_low
  nop
  store _SFR_MEM_ADDR(SPCR), (1 << SPE | 1 << MSTR)
  label tried_again
  sbi IO(DDRB), SS_BIT
  store _SFR_MEM_ADDR(SPCR), (1 << SPE | 1 << MSTR)
  label as_output
  nop
  finish
