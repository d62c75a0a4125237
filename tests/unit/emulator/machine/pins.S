#include "program.h"

// The interrupt pin as an input, read back; then its pull-up, which must not hide what the chip drives.
  label driven
  in r2, IO(EXT_PIN)
  label again
  in r3, IO(EXT_PIN)
  sbi IO(EXT_PORT), EXT_BIT
  in r4, IO(EXT_PIN)
  finish
