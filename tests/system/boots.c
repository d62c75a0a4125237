// For lab_test.cpp: says how often it was started (EEPROM), why (MCUSR), and whether the SRAM has lasted, and waits.
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static uint8_t lasts[4] __attribute__((section(".noinit")));
static uint8_t EEMEM boots = 0;

static void put(char c) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = (uint8_t)c;
}

static void print(const char* text) {
  while (*text) put(*text++);
}

int main(void) {
  const uint8_t cause = MCUSR;
  MCUSR = 0;
  UBRR0 = 8;
  UCSR0B = 1 << TXEN0;
  const uint8_t n = (uint8_t)(eeprom_read_byte(&boots) + 1);
  eeprom_write_byte(&boots, n);
  print("boot ");
  put((char)('0' + n));
  print(cause & 1 << PORF ? " power" : cause & 1 << EXTRF ? " reset" : " other");
  uint8_t lasted = 1;
  for (uint8_t i = 0; i != sizeof lasts; ++i) {
    if (lasts[i] != 0xa5) lasted = 0;
    lasts[i] = 0xa5;
  }
  print(lasted ? " kept\n" : " fresh\n");
  OCR1A = 15624;  // a tick of 100 ms
  TCCR1B = 1 << WGM12 | 1 << CS11 | 1 << CS10;
  TIMSK1 = 1 << OCIE1A;
  sei();
  for (;;) {
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_mode();
  }
}

ISR(TIMER1_COMPA_vect) {
}
