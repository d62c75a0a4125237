#include "program.h"

// The boot section as it is with BOOTSZ at 0, which is the no-read-while-write section too.
#if FLASHEND == 0x1fff || FLASHEND == 0x3fff
#define BOOT (FLASHEND + 1 - 0x800)
#elif FLASHEND == 0x7fff
#define BOOT (FLASHEND + 1 - 0x1000)
#else
#define BOOT (FLASHEND + 1 - 0x2000)
#endif
#define PAGE 0x1000
#define NRWW_PAGE (BOOT + 0x700)
#ifndef SPMCSR
#define SPMCSR SPMCR
#endif
#ifndef SPM_READY_vect_num
#define SPM_READY_vect_num SPM_RDY_vect_num
#endif
#ifdef GICR
#define IVSEL_REGISTER GICR
#else
#define IVSEL_REGISTER MCUCR
#endif

.macro z address
  ldi r30, lo8(\address)
  ldi r31, hi8(\address)
#ifdef RAMPZ
  ldi r16, hh8(\address)
  out IO(RAMPZ), r16
#endif
.endm

.macro load
#ifdef RAMPZ
  elpm r18, Z
#else
  lpm r18, Z
#endif
.endm

// SPM that ends \nops + 1 cycles after the store to SPMCSR.
.macro program name, what, nops=0
  ldi r16, \what
  sts _SFR_MEM_ADDR(SPMCSR), r16
  .rept \nops
  nop
  .endr
  label \name
  spm
  label \name\()_done
  nop
.endm

.macro word value
  ldi r16, lo8(\value)
  mov r0, r16
  ldi r16, hi8(\value)
  mov r1, r16
.endm

// LPM that starts \nops cycles after the store to SPMCSR.
.macro special name, what, address, nops=0
  z \address
  ldi r16, \what
  sts _SFR_MEM_ADDR(SPMCSR), r16
  .rept \nops
  nop
  .endr
  lpm r18, Z
  label \name
  nop
.endm

// Asleep until the operation is over.
.macro await
  lds r16, _SFR_MEM_ADDR(SPMCSR)
  ori r16, 1 << SPMIE
  sts _SFR_MEM_ADDR(SPMCSR), r16
  sei
  sleep
  cli
.endm

  jmp outside

outside:
  stack
  store SLEEP_REGISTER, (1 << SE)
  z PAGE
  program outside_erase, (1 << PGERS | 1 << SPMEN)
  lds r19, _SFR_MEM_ADDR(SPMCSR)
  label outside_seen
  jmp start

  .org BOOT
  nop
  .org BOOT + SPM_READY_vect_num * 4
  jmp isr

start:
  // The vectors move within four cycles of IVCE, and not later.
  in r16, IO(IVSEL_REGISTER)
  ori r16, 1 << IVCE
  mov r17, r16
  andi r17, ~(1 << IVCE)
  ori r17, 1 << IVSEL
  out IO(IVSEL_REGISTER), r16
  nop
  nop
  nop
  nop
  out IO(IVSEL_REGISTER), r17
  in r18, IO(IVSEL_REGISTER)
  label ivsel_late
  out IO(IVSEL_REGISTER), r16
  nop
  nop
  nop
  out IO(IVSEL_REGISTER), r17
  in r18, IO(IVSEL_REGISTER)
  label ivsel_in_time
  nop

  // Each word of the buffer can be written once.
  z PAGE
  word 0x1234
  program fill, (1 << SPMEN)
  word 0x5678
  program fill_again, (1 << SPMEN)
  z PAGE + 2
  program fill_late, (1 << SPMEN), 4
  program fill_in_time, (1 << SPMEN), 3
  z PAGE
  program erase, (1 << PGERS | 1 << SPMEN)
  lds r19, _SFR_MEM_ADDR(SPMCSR)
  label erasing
#ifdef EEMPE
  sbi IO(EECR), EEMPE
  sbi IO(EECR), EEPE
#else
  sbi IO(EECR), EEMWE
  sbi IO(EECR), EEWE
#endif
  in r20, IO(EECR)
  label eeprom_blocked
  load
  label read_busy
  z BOOT
  load
  label read_nrww
  await
  label erased
  lds r19, _SFR_MEM_ADDR(SPMCSR)
  label still_closed
  z PAGE
  program write, (1 << PGWRT | 1 << SPMEN)
  await
  label written
  z PAGE
  program enable, (1 << 4 | 1 << SPMEN)
  lds r19, _SFR_MEM_ADDR(SPMCSR)
  label enabled
  load
  label value
  z PAGE + 2
  load
  label value_2
  z PAGE + 4
  load
  label value_4
  nop
  // The CPU is halted while the section that it executes from is programmed.
  z NRWW_PAGE
  program nrww, (1 << PGERS | 1 << SPMEN)
  lds r19, _SFR_MEM_ADDR(SPMCSR)
  label nrww_seen
  nop
  special low_fuse, (1 << BLBSET | 1 << SPMEN), 0
  special lock_bits, (1 << BLBSET | 1 << SPMEN), 1
  special extended_fuse, (1 << BLBSET | 1 << SPMEN), 2
  special high_fuse, (1 << BLBSET | 1 << SPMEN), 3, 2
  special high_fuse_late, (1 << BLBSET | 1 << SPMEN), 3, 3
  // An EEPROM write holds SPM up.
#ifdef EEMPE
  sbi IO(EECR), EEMPE
  sbi IO(EECR), EEPE
#else
  sbi IO(EECR), EEMWE
  sbi IO(EECR), EEWE
#endif
  z PAGE
  program blocked, (1 << PGERS | 1 << SPMEN)
  lds r19, _SFR_MEM_ADDR(SPMCSR)
  label spm_blocked
#ifdef EEMPE
1:
  sbic IO(EECR), EEPE
#else
1:
  sbic IO(EECR), EEWE
#endif
  rjmp 1b
#ifdef SIGRD
  special signature, (1 << SIGRD | 1 << SPMEN), 2
#endif
  // An erased vector table, and an interrupt that goes there.
  ldi r16, 1 << IVCE
  out IO(IVSEL_REGISTER), r16
  ldi r16, 0
  out IO(IVSEL_REGISTER), r16
  z PAGE
  program closing, (1 << PGERS | 1 << SPMEN)
  label closed
  jmp 0

isr:
  label handler
  lds r16, _SFR_MEM_ADDR(SPMCSR)
  andi r16, ~(1 << SPMIE)
  sts _SFR_MEM_ADDR(SPMCSR), r16
  reti
