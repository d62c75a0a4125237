#include "program.h"

// The end of an SPI byte wakes the MCU: its cycle is known without a timer.
  jmp start
  vector SPI_STC_vect_num, isr

start:
  stack
  sbi IO(DDRB), SS_BIT
  store _SFR_MEM_ADDR(SPCR), (1 << SPIE | 1 << SPE | 1 << MSTR | 1)
  store _SFR_MEM_ADDR(SMCR), (1 << SE)
  sei
  label write
  out IO(SPDR), r20
  sleep
  label woken
  nop
  cli
  store _SFR_MEM_ADDR(SMCR), 0
  label disabled
  sleep
  label not_slept
  finish

isr:
  nop
  label leaves
  reti
