// What every MCU can do: talk through its first USART, be interrupted by a timer and by an external edge, sleep, and clock
// a byte out of its SPI. Addresses and vectors are avr-libc's.
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#if defined(UDR0)
#define DATA UDR0
#define STATUS UCSR0A
#define CONTROL UCSR0B
#define EMPTY UDRE0
#define DONE TXC0
#define ENABLE (1 << TXEN0)
#elif defined(UDR1)
#define DATA UDR1
#define STATUS UCSR1A
#define CONTROL UCSR1B
#define EMPTY UDRE1
#define DONE TXC1
#define ENABLE (1 << TXEN1)
#else
#define DATA UDR
#define STATUS UCSRA
#define CONTROL UCSRB
#define EMPTY UDRE
#define DONE TXC
#define ENABLE (1 << TXEN)
#endif

#if !defined(EIMSK)
#define EIMSK GICR
#define EICRA MCUCR
#endif
#if !defined(SPCR)
#define SPCR SPCR0
#define SPSR SPSR0
#define SPDR SPDR0
#define SPE SPE0
#define MSTR MSTR0
#define SPIF SPIF0
#endif
#if !defined(TIMSK1)
#define TIMSK1 TIMSK
#endif

static volatile char overflow, edge;

ISR(TIMER1_OVF_vect) {
  TCCR1B = 0;
  overflow = 1;
}

ISR(INT1_vect) {
  edge = 1;
}

// Deep enough that a return address of 3 bytes, or of 2, must come back right.
static __attribute__((noinline)) void say(const char* text) {
  for (; *text; ++text) {
    while (!(STATUS & 1 << EMPTY)) {
    }
    DATA = (unsigned char)*text;
  }
}

int main(void) {
  CONTROL = ENABLE;
#if defined(URSEL)
  UCSRC = 1 << URSEL | 1 << UCSZ1 | 1 << UCSZ0;
#endif
  say("boot ");

  TCNT1 = 0xff00;
  TIMSK1 |= 1 << TOIE1;
  TCCR1B = 1 << CS10;
  set_sleep_mode(SLEEP_MODE_IDLE);
  sei();
  while (!overflow) sleep_mode();
  say("timer ");

  // INT1 is PD1 or PD3.
#if defined(__AVR_ATmega128__) || defined(__AVR_ATmega1280__) || defined(__AVR_ATmega1281__) || \
    defined(__AVR_ATmega2560__) || defined(__AVR_ATmega32U4__)
  const unsigned char pin = 1 << PD1;
#else
  const unsigned char pin = 1 << PD3;
#endif
  PORTD |= pin;
  DDRD |= pin;
  EICRA |= 1 << ISC11;
  EIMSK |= 1 << INT1;
  PORTD &= (unsigned char)~pin;
  while (!edge) {
  }
  say("edge ");

  // SS, SCK and MOSI are among the lowest six (eight) of port B.
  DDRB = 0xbf;
  SPCR = 1 << SPE | 1 << MSTR;
  SPDR = 0x55;
  while (!(SPSR & 1 << SPIF)) {
  }
  say("spi ");

  STATUS |= 1 << DONE;
  say(".");
  while (!(STATUS & 1 << DONE)) {
  }
  return 7;
}
