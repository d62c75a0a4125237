// Sends by the UART, for each even length, the sum that the stack makes of so many octets at each of two addresses, two
// octets each; and last what 240 octets take more than none, in cycles.

#include <avr/io.h>
#include <stdlib.h>

#include "stack/base/checksum.hpp"

namespace {

const uint16_t size = 256;
uint8_t octets[size];

void put(uint16_t value) {
  for (uint8_t i = 0; i < 2; ++i) {
    while (!(UCSR0A & 1 << UDRE0)) {
    }
    UDR0 = static_cast<uint8_t>(value >> 8);
    value = static_cast<uint16_t>(value << 8);
  }
}

__attribute__((noinline)) uint16_t cycles(uint8_t n) {
  const uint16_t before = TCNT1;
  const uint16_t sum = tcpip::sum_add(octets, n, 0);
  __asm__ volatile("" ::"r"(sum));
  return static_cast<uint16_t>(TCNT1 - before);
}

}  // namespace

int main() {
  UBRR0 = 0;
  UCSR0A = 1 << U2X0;
  UCSR0B = 1 << TXEN0;
  TCCR1B = 1 << CS10;
  uint16_t state = 1;
  for (uint16_t i = 0; i != size; ++i) {
    state = static_cast<uint16_t>(state * 25173u + 13849u);
    octets[i] = static_cast<uint8_t>(state >> 8);
  }
  for (uint8_t n = 0; n != 254; n = static_cast<uint8_t>(n + 2)) {
    put(tcpip::sum_add(octets, n, n));
    put(tcpip::sum_add(octets + 1, n, 0xffff));
  }
  for (uint16_t i = 0; i != size; ++i) octets[i] = 0xff;
  put(tcpip::sum_add(octets, 254, 0xffff));
  put(static_cast<uint16_t>(cycles(240) - cycles(0)));
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  return 0;
}
