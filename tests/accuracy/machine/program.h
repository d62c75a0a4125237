// What the programs of the machine's tests share. A label is where a test looks at the clock.
#include <avr/io.h>

#define IO(register) _SFR_IO_ADDR(register)

// An external interrupt whose pin the program itself moves, as an output.
#if defined(__AVR_ATmega328P__)
#define EXT_PORT PORTD
#define EXT_DDR DDRD
#define EXT_PIN PIND
#define EXT_BIT 2
#define EXT_vect_num INT0_vect_num
#define EXT_CONTROL EICRA
#define EXT_FALLING (1 << ISC01)
#define EXT_INT INT0
#define SS_BIT 2
#elif defined(__AVR_ATmega2560__)
#define EXT_PORT PORTE
#define EXT_DDR DDRE
#define EXT_PIN PINE
#define EXT_BIT 4
#define EXT_vect_num INT4_vect_num
#define EXT_CONTROL EICRB
#define EXT_FALLING (1 << ISC41)
#define EXT_INT INT4
#define SS_BIT 0
#endif

.macro store register, value
  ldi r16, \value
  sts \register, r16
.endm

.macro stack
  store _SFR_MEM_ADDR(SPH), hi8(RAMEND)
  store _SFR_MEM_ADDR(SPL), lo8(RAMEND)
.endm

.macro vector number, target
  .org \number * 4
  jmp \target
.endm

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
