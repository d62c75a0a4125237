// The first USART of a part, whatever its registers are called, and a configuration that the test writes into the flash.
#include "program.h"

#if defined(UCSR0A)
#define UDR_ UDR0
#define UCSRA_ UCSR0A
#define UCSRB_ UCSR0B
#define UCSRC_ UCSR0C
#define UBRRL_ UBRR0L
#define UBRRH_ UBRR0H
#elif defined(UCSR1A)
#define UDR_ UDR1
#define UCSRA_ UCSR1A
#define UCSRB_ UCSR1B
#define UCSRC_ UCSR1C
#define UBRRL_ UBRR1L
#define UBRRH_ UBRR1H
#else
#define UDR_ UDR
#define UCSRA_ UCSRA
#define UCSRB_ UCSRB
#define UCSRC_ UCSRC
#define UBRRL_ UBRRL
#define UBRRH_ UBRRH
#endif

#if defined(USART0_RX_vect_num)
#define RX_vect_num USART0_RX_vect_num
#elif defined(USART_RX_vect_num)
#define RX_vect_num USART_RX_vect_num
#elif defined(USART_RXC_vect_num)
#define RX_vect_num USART_RXC_vect_num
#else
#define RX_vect_num USART1_RX_vect_num
#endif

#if defined(SMCR)
#define SLEEP_REGISTER SMCR
#else
#define SLEEP_REGISTER MCUCR
#endif

#if defined(PORTE) && !defined(__AVR_ATmega32U4__)
#define XCK_DDR DDRE
#elif defined(PORTA) && !defined(__AVR_ATmega32U4__)
#define XCK_DDR DDRB
#else
#define XCK_DDR DDRD
#endif

// UBRRH, UBRRL, UCSRC, UCSRA, the port of XCK's DDR, UCSRB from the table at `config`; Z is then behind them.
.macro configure
  ldi ZL, lo8(config)
  ldi ZH, hi8(config)
  lpm r16, Z+
  sts UBRRH_, r16
  label ubrrh_stored
  lpm r16, Z+
  sts UBRRL_, r16
  label ubrrl_stored
  lpm r16, Z+
  sts UCSRC_, r16
  lpm r16, Z+
  sts UCSRA_, r16
  lpm r16, Z+
  sts _SFR_MEM_ADDR(XCK_DDR), r16
  lpm r16, Z+
  sts UCSRB_, r16
.endm
