// What the programs of the machine's tests share. A label is where a test looks at the clock.
#include <avr/io.h>

#define IO(register) _SFR_IO_ADDR(register)

// The parts before EIMSK.
#ifndef EIMSK
#define EIMSK GICR
#define EIFR GIFR
#endif
#ifndef EICRA
#define EICRA MCUCR
#endif

// An external interrupt whose pin the program itself moves, as an output.
#if defined(__AVR_ATmega128__) || defined(__AVR_ATmega1280__) || defined(__AVR_ATmega1281__) || \
    defined(__AVR_ATmega2560__)
#define EXT_PORT PORTE
#define EXT_DDR DDRE
#define EXT_PIN PINE
#define EXT_BIT 4
#define EXT_vect_num INT4_vect_num
#define EXT_CONTROL EICRB
#define EXT_FALLING (1 << ISC41)
#define EXT_INT INT4
#define SS_BIT 0
#else
#define EXT_PORT PORTD
#define EXT_DDR DDRD
#define EXT_PIN PIND
#define EXT_vect_num INT0_vect_num
#define EXT_CONTROL EICRA
#define EXT_FALLING (1 << ISC01)
#define EXT_INT INT0
#if defined(__AVR_ATmega32U4__)
#define EXT_BIT 0
#define SS_BIT 0
#else
#define EXT_BIT 2
#if defined(PORTA)
#define SS_BIT 4
#else
#define SS_BIT 2
#endif
#endif
#endif

#if defined(SMCR)
#define SLEEP_REGISTER _SFR_MEM_ADDR(SMCR)
#else
#define SLEEP_REGISTER _SFR_MEM_ADDR(MCUCR)
#endif

.macro store register, value
  ldi r16, \value
  sts \register, r16
.endm

.macro stack
  store _SFR_MEM_ADDR(SPH), hi8(RAMEND)
  store _SFR_MEM_ADDR(SPL), lo8(RAMEND)
.endm

// A vector is one word where the flash has at most 8 KiB.
#if FLASHEND < 0x2000
.macro vector number, target
  .org \number * 2
  rjmp \target
.endm
#else
.macro vector number, target
  .org \number * 4
  jmp \target
.endm
#endif

// Where the program ends, with status 0.
.macro finish
  cli
  ldi r24, 0
  rjmp .-2
.endm

.macro label name
  .global \name
\name:
.endm
