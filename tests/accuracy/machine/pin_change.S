#include "program.h"

// One pin of each pin-change interrupt, as an output.
#if defined(__AVR_ATmega2560__)
#define PORT_A PORTE
#define DDR_A DDRE
#define BIT_A 0
#define MASK_A PCMSK1
#define PCINT_A PCINT8
#define PORT_B PORTJ
#define DDR_B DDRJ
#define BIT_B 6
#define MASK_B PCMSK1
#define PCINT_B PCINT15
#define PORT_C PORTK
#define DDR_C DDRK
#define BIT_C 7
#define MASK_C PCMSK2
#define PCINT_C PCINT23
#define vect_num PCINT1_vect_num
#define PCIE PCIE1
#elif defined(__AVR_ATmega644P__)
#define PORT_A PORTA
#define DDR_A DDRA
#define BIT_A 1
#define MASK_A PCMSK0
#define PCINT_A PCINT1
#define PORT_B PORTB
#define DDR_B DDRB
#define BIT_B 2
#define MASK_B PCMSK1
#define PCINT_B PCINT10
#define PORT_C PORTD
#define DDR_C DDRD
#define BIT_C 7
#define MASK_C PCMSK3
#define PCINT_C PCINT31
#define vect_num PCINT0_vect_num
#define PCIE PCIE0
#else
#define PORT_A PORTB
#define DDR_A DDRB
#define BIT_A 1
#define MASK_A PCMSK0
#define PCINT_A PCINT1
#define PORT_B PORTC
#define DDR_B DDRC
#define BIT_B 6
#define MASK_B PCMSK1
#define PCINT_B PCINT14
#define PORT_C PORTD
#define DDR_C DDRD
#define BIT_C 4
#define MASK_C PCMSK2
#define PCINT_C PCINT20
#define vect_num PCINT0_vect_num
#define PCIE PCIE0
#endif

  rjmp start
  vector vect_num, isr

.macro settle
  nop
  nop
  nop
.endm

.macro set register, bits
  lds r16, _SFR_MEM_ADDR(\register)
  ori r16, \bits
  sts _SFR_MEM_ADDR(\register), r16
.endm

.macro clear register, bits
  lds r16, _SFR_MEM_ADDR(\register)
  andi r16, ~(\bits)
  sts _SFR_MEM_ADDR(\register), r16
.endm

start:
  stack
  set DDR_A, (1 << BIT_A)
  set DDR_B, (1 << BIT_B)
  set DDR_C, (1 << BIT_C)
// Masked out.
  set PORT_A, (1 << BIT_A)
  settle
  in r2, IO(PCIFR)
  set MASK_A, (1 << PCINT_A)
  set MASK_B, (1 << PCINT_B)
  set MASK_C, (1 << PCINT_C)
// Both edges, three cycles after the store.
  clear PORT_A, (1 << BIT_A)
  in r3, IO(PCIFR)
  in r4, IO(PCIFR)
  in r5, IO(PCIFR)
  in r6, IO(PCIFR)
  store _SFR_MEM_ADDR(PCIFR), 0xff
  set PORT_B, (1 << BIT_B)
  settle
  in r7, IO(PCIFR)
  set PORT_C, (1 << BIT_C)
  settle
  in r8, IO(PCIFR)
// SBI clears the addressed flag only.
  sbi IO(PCIFR), PCIE
  in r9, IO(PCIFR)
  store _SFR_MEM_ADDR(PCIFR), 0xff
  label flags

  set PCICR, (1 << PCIE)
  sei
  nop
  label enabled
  set PORT_A, (1 << BIT_A)
  settle
  settle
  finish

isr:
  in r10, IO(PCIFR)
  label handler
  reti
