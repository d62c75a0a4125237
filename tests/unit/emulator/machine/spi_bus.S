#include "program.h"

#define MASTER (1 << SPE | 1 << MSTR)

// A byte at fosc/2, waited for.
.macro byte value
  ldi r20, \value
  out IO(SPDR), r20
  rcall wait
.endm

  stack
  store _SFR_MEM_ADDR(SPCR), MASTER
  store _SFR_MEM_ADDR(SPSR), 1
  // The select pin is an input: not driven, so high.
  byte 0x01
  in r2, IO(SPDR)
  label not_driven
  sbi IO(PORTB), SS_BIT
  sbi IO(DDRB), SS_BIT
  byte 0x02
  label high
  cbi IO(PORTB), SS_BIT
  label low
  byte 0x03
  in r3, IO(SPDR)
  byte 0x04
  in r4, IO(SPDR)
  sbi IO(PORTB), SS_BIT
  label deselected
  nop

  // Least significant bit first.
  store _SFR_MEM_ADDR(SPCR), (MASTER | 1 << DORD)
  cbi IO(PORTB), SS_BIT
  byte 0x05
  in r5, IO(SPDR)
  sbi IO(PORTB), SS_BIT
  label lsb_first
  nop

  // Deselected before the last bit.
  store _SFR_MEM_ADDR(SPCR), MASTER
  cbi IO(PORTB), SS_BIT
  ldi r20, 0x06
  out IO(SPDR), r20
  sbi IO(PORTB), SS_BIT
  rcall wait
  in r6, IO(SPDR)
  label cut
  nop

  // Deselected and selected again before the last bit.
  cbi IO(PORTB), SS_BIT
  out IO(SPDR), r20
  sbi IO(PORTB), SS_BIT
  cbi IO(PORTB), SS_BIT
  rcall wait
  sbi IO(PORTB), SS_BIT
  label cut_and_back
  nop

  // Mode 1.
  store _SFR_MEM_ADDR(SPCR), (MASTER | 1 << CPHA)
  cbi IO(PORTB), SS_BIT
  byte 0x81
  in r7, IO(SPDR)
  byte 0x00
  sbi IO(PORTB), SS_BIT
  label wrong_mode
  nop

  // A byte that collides is not sent.
  store _SFR_MEM_ADDR(SPCR), MASTER
  cbi IO(PORTB), SS_BIT
  ldi r20, 0x08
  out IO(SPDR), r20
  ldi r20, 0x09
  out IO(SPDR), r20
  rcall wait
  sbi IO(PORTB), SS_BIT
  label collided
  nop

  // Off in the middle of a byte.
  cbi IO(PORTB), SS_BIT
  ldi r20, 0x0a
  out IO(SPDR), r20
  store _SFR_MEM_ADDR(SPCR), 0
  rcall wait
  sbi IO(PORTB), SS_BIT
  label switched_off
  nop

  // PIN toggles the select.
  sbi IO(PINB), SS_BIT
  label toggled
  nop
  finish

wait:
  ldi r18, 20
1:
  dec r18
  brne 1b
  in r17, IO(SPSR)
  ret
