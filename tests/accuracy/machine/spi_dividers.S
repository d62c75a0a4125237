#include "program.h"

.macro byte_at name, spcr, spsr
  store _SFR_MEM_ADDR(SPCR), \spcr
  store _SFR_MEM_ADDR(SPSR), \spsr
  label \name
  out IO(SPDR), r20
1:
  in r17, IO(SPSR)
  sbrs r17, SPIF
  rjmp 1b
  in r17, IO(SPDR)
.endm

#define MASTER (1 << SPE | 1 << MSTR)

  sbi IO(DDRB), SS_BIT
  byte_at spi_2, MASTER, 1
  byte_at spi_4, MASTER, 0
  byte_at spi_8, (MASTER | 1), 1
  byte_at spi_16, (MASTER | 1), 0
  byte_at spi_32, (MASTER | 2), 1
  byte_at spi_64, (MASTER | 2), 0
  byte_at spi_64_doubled, (MASTER | 3), 1
  byte_at spi_128, (MASTER | 3), 0
  finish
