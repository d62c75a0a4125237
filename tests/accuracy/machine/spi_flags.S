#include "program.h"

#define MASTER (1 << SPE | 1 << MSTR)

// r21 = SPSR as an IN reads it that starts \nops + 1 cycles after the OUT.
.macro load_after name, nops
  label \name
  out IO(SPDR), r20
  .rept \nops
  nop
  .endr
  in r21, IO(SPSR)
  label \name\()_done
  rcall drain
.endm

// r21 = SPSR after a second OUT that starts \nops + 1 cycles after the first.
.macro store_after name, nops
  label \name
  out IO(SPDR), r20
  .rept \nops
  nop
  .endr
  out IO(SPDR), r20
  in r21, IO(SPSR)
  label \name\()_done
  rcall drain
.endm

  stack
  sbi IO(DDRB), SS_BIT
  store _SFR_MEM_ADDR(SPCR), MASTER
  store _SFR_MEM_ADDR(SPSR), 1

  load_after load_16, 15
  load_after load_17, 16
  ldi r20, 0xa5
  store_after store_16, 15
  store_after store_17, 16
  store_after store_18, 17

  // Two bytes at fosc/4, each received: the distance between the two OUTs.
  store _SFR_MEM_ADDR(SPSR), 0
  label loop_first
  out IO(SPDR), r20
1:
  in r17, IO(SPSR)
  sbrs r17, SPIF
  rjmp 1b
  in r22, IO(SPDR)
  label loop_second
  out IO(SPDR), r20
  rcall drain

  // A load of SPDR clears SPIF only after SPSR was read with SPIF set.
  out IO(SPDR), r20
  ldi r18, 20
1:
  dec r18
  brne 1b
  in r17, IO(SPDR)
  label not_seen
  nop
  in r17, IO(SPSR)
  label seen
  nop
  in r17, IO(SPDR)
  label cleared
  nop
  // The same by a store, which starts the next byte.
  out IO(SPDR), r20
  rcall wait
  in r17, IO(SPSR)
  out IO(SPDR), r20
  label cleared_by_store
  nop
  rcall drain
  // SPSR loaded before SPIF is set does not count.
  out IO(SPDR), r20
  in r17, IO(SPSR)
  rcall wait
  in r17, IO(SPDR)
  label seen_too_early
  nop
  rcall drain
  finish

wait:
  ldi r18, 20
1:
  dec r18
  brne 1b
  ret
drain:
  rcall wait
  in r17, IO(SPSR)
  in r17, IO(SPDR)
  ret
