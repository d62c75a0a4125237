// Keeps a core busy with what firmware does: interrupts of timers and the USART, sleep, sorting, printing, flash reads, recursion.
#include <avr/interrupt.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint16_t ticks;
static volatile uint8_t head, tail;
static char ring[64];
static int32_t numbers[24];
static const char text[] PROGMEM = "the quick brown fox jumps over the lazy dog";

#ifdef TIMSK0
#define TIMER0_TIMSK TIMSK0
#define TIMER0_TCCR TCCR0B
#define TIMER1_TIMSK TIMSK1
#else
#define TIMER0_TIMSK TIMSK
#define TIMER0_TCCR TCCR0
#define TIMER1_TIMSK TIMSK
#endif

ISR(TIMER0_OVF_vect) { ++ticks; }
ISR(TIMER1_COMPA_vect, ISR_NOBLOCK) { numbers[ticks % 24] ^= ticks * 2654435761UL; }

#ifdef USART_UDRE_vect
#define UDRE_VECTOR USART_UDRE_vect
#else
#define UDRE_VECTOR USART0_UDRE_vect
#endif
ISR(UDRE_VECTOR) {
  if (head == tail) {
    UCSR0B &= (uint8_t)~_BV(UDRIE0);
  } else {
    UDR0 = ring[tail++ & 63];
  }
}

static int put(char c, FILE* stream) {
  (void)stream;
  ring[head++ & 63] = c;
  UCSR0B |= _BV(UDRIE0);
  return 0;
}
static FILE out = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);

static int compare(const void* a, const void* b) {
  const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

static uint16_t ackermann(uint8_t m, uint16_t n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int main(void) {
  stdout = &out;
  TIMER0_TCCR = _BV(CS00);
  TIMER0_TIMSK |= _BV(TOIE0);
  OCR1A = 700;
  TCCR1B = _BV(WGM12) | _BV(CS10);
  TIMER1_TIMSK |= _BV(OCIE1A);
  UCSR0B = _BV(TXEN0);
  UBRR0L = 1;
  set_sleep_mode(SLEEP_MODE_IDLE);
  sei();
  for (uint16_t round = 0;; ++round) {
    char copy[sizeof text];
    strcpy_P(copy, text);
    qsort(copy, strlen(copy), 1, (int (*)(const void*, const void*))strncmp);
    qsort(numbers, 24, sizeof numbers[0], compare);
    printf("%u %s %ld %u\n", round, copy, numbers[round % 24], ackermann(2, round % 4));
    numbers[0] = numbers[23] / (round + 1) - numbers[1] % 77;
    sleep_mode();
  }
}
