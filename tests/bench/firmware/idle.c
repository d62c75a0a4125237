// Workload 3: a tick a millisecond, asleep in between.
#include <avr/interrupt.h>
#include <avr/sleep.h>
#include <stdint.h>

volatile uint32_t ticks;

ISR(TIMER1_COMPA_vect) { ++ticks; }

int main(void) {
  OCR1A = 15999;
  TCCR1B = _BV(WGM12) | _BV(CS10);
  TIMSK1 = _BV(OCIE1A);
  set_sleep_mode(SLEEP_MODE_IDLE);
  sei();
  for (;;) sleep_mode();
}
