#include "program.h"

// A bus on ports as L. Beaudoin's driver has it: data PA, address PC0 to PC4, IOWB PD6, IORB PD7.
#define WRITE 6
#define READ 7

  label reset_state
  ldi r16, 1 << WRITE | 1 << READ
  out IO(PORTD), r16
  out IO(DDRD), r16
  ldi r16, 0x1F
  out IO(DDRC), r16

// Register 7 is written, 0xA5; PC5 to PC7 are not the bus's.
  ldi r16, 0xE7
  out IO(PORTC), r16
  ser r16
  out IO(DDRA), r16
  ldi r16, 0xA5
  out IO(PORTA), r16
  label write_falls
  cbi IO(PORTD), WRITE
  label write_rises
  sbi IO(PORTD), WRITE
  label written
  out IO(DDRA), r1
  ser r16
  out IO(PORTA), r16  // pull-ups

// Register 0x10 is read: too early, a cycle later, and after the end.
  ldi r16, 0x10
  out IO(PORTC), r16
  in r2, IO(PIND)
  label read_falls
  cbi IO(PORTD), READ
  in r3, IO(PINA)
  in r4, IO(PINA)
  sbi IO(PORTD), READ
  in r5, IO(PINA)
  in r6, IO(PINA)
  label read
  nop

// Nobody drives the data lines, and PA0 has no pull-up.
  ldi r16, 0xFE
  out IO(PORTA), r16
  cbi IO(PORTD), WRITE
  sbi IO(PORTD), WRITE
  nop
  label floated

// Both strobes; the MCU drives against the chip.
  cbi IO(PORTD), READ
  cbi IO(PORTD), WRITE
  nop
  label both
  sbi IO(PORTD), WRITE
  sbi IO(PORTD), READ
  nop
  sbi IO(DDRA), 2
  cbi IO(PORTA), 2
  cbi IO(PORTD), READ
  nop
  label fights
  finish
