#include "program.h"

// The interrupt pin as an input, read back; then its pull-up, which must not hide what the chip drives.
  label driven
  nop
  nop
  in r2, IO(EXT_PIN)
  label again
  nop
  nop
  in r3, IO(EXT_PIN)
  sbi IO(EXT_PORT), EXT_BIT
  nop
  in r4, IO(EXT_PIN)
  finish
