#include "program.h"

#ifndef EEMPE
#define EEMPE EEMWE
#define EEPE EEWE
#endif
#if defined(EE_READY_vect_num)
#define READY EE_READY_vect_num
#elif defined(__AVR_ATmega128__)
#define READY 22
#else
#define READY EE_RDY_vect_num
#endif

.macro cell address
  ldi r16, hi8(\address)
  out IO(EEARH), r16
  ldi r16, lo8(\address)
  out IO(EEARL), r16
.endm

.macro data value
  ldi r16, \value
  out IO(EEDR), r16
.endm

// A store of EEPE that ends \nops + 1 cycles after that of EEMPE.
.macro write_after name, nops, mode=0
  ldi r16, (1 << EEMPE) | \mode
  ldi r17, (1 << EEMPE | 1 << EEPE) | \mode
  out IO(EECR), r16
  .rept \nops
  nop
  .endr
  label \name
  out IO(EECR), r17
  label \name\()_done
  nop
.endm

.macro read
  sbi IO(EECR), EERE
  in r18, IO(EEDR)
.endm

// Asleep until the write is over.
.macro await name
  sbi IO(EECR), EERIE
  sleep
  cli
  label \name
  nop
  sei
.endm

  rjmp start
  vector READY, isr

start:
  stack
  store SLEEP_REGISTER, (1 << SE)
  sei
  cell 5
  data 0x3c
  write_after late, 4
  in r19, IO(EECR)
  label late_seen
  nop
  write_after in_time, 3
  // Neither address, nor data, nor another write, nor a read while it is busy.
  cell 6
  data 0x55
  sbi IO(EECR), EEMPE
  sbi IO(EECR), EEPE
  label again
  sbi IO(EECR), EERE
  label busy_read
  in r18, IO(EEDR)
  in r19, IO(EEARL)
  label busy
  await written
  label read
  sbi IO(EECR), EERE
  label read_done
  in r18, IO(EEDR)
  label value
  nop
  // The address has as many bits as there are cells.
  cell 0xfff0 | 5
  in r19, IO(EEARH)
  label wrapped
  nop
#ifdef EEPM0
  cell 5
  data 0xf0
  write_after write_only, 0, 1 << EEPM1
  await write_only_over
  read
  label write_only_value
  write_after erase_only, 0, 1 << EEPM0
  await erase_only_over
  read
  label erase_only_value
  nop
#endif
1:
  rjmp 1b

isr:
  label handler
  cbi IO(EECR), EERIE
  reti
