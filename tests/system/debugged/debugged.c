// What gdb_test.cpp looks at: a tick every millisecond, calls, a structure, an EEPROM variable; ends with 7 when `rounds` are over.
// OTHER is another program, CRASH comes upon an opcode that does not exist, LARGE has code above 128 KiB.
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

struct Point {
  int16_t x;
  int16_t y;
};

struct Point origin = {3, -4};
volatile uint16_t ticks;
volatile uint8_t watched;
volatile uint16_t rounds = 1000;
uint8_t setting EEMEM = 0x5A;

ISR(TIMER0_COMPA_vect) { ++ticks; }

__attribute__((noinline, noclone)) int add(int a, int b) {
  __asm__ volatile("");
  return a + b;
}

#ifdef LARGE
__attribute__((section(".far")))
#endif
__attribute__((noinline, noclone)) int
outer(int n) {
  int sum = add(n, 1);
  sum = add(sum, origin.y);
  return sum;
}

#ifdef CRASH
__attribute__((noinline, noclone)) void crash(void) {
  __asm__ volatile(".word 0x0001");
}
#endif
#ifdef OTHER
__attribute__((noinline, noclone)) void other(void) {
  __asm__ volatile("");
}
#endif

int main(void) {
  TCCR0A = _BV(WGM01);
  OCR0A = 249;
  TIMSK0 = _BV(OCIE0A);
  TCCR0B = _BV(CS01) | _BV(CS00);
  DDRB = _BV(DDB1);
  sei();
#ifdef CRASH
  crash();
#endif
#ifdef OTHER
  other();
#endif
  for (uint16_t round = 0; round < rounds; ++round) {
    origin.x = outer((int)round);
    watched = (uint8_t)(round >> 4);
    PINB = _BV(PINB1);
    sleep_mode();
  }
  return 7;
}
