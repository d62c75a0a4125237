// Runs from the ENC28J60's CLKOUT, 6.25 MHz after power-on and 12.5 MHz once it has said so (ECOCON). Each number is sent
// by the UART with 248 cycles a bit. MISUSE stops the clock at the end.

#include <stdlib.h>

#include "tests/system/mistakes/chip.hpp"

namespace {

const uint8_t ECOCON = 0x75;

void put(uint8_t octet) {
  while (!(UCSR0A & 1 << UDRE0)) {
  }
  UDR0 = octet;
}
void wait_sent() {
  while (!(UCSR0A & 1 << TXC0)) {
  }
  UCSR0A = 1 << TXC0 | 1 << U2X0;
}

}  // namespace

int main() {
  UBRR0 = 248 / 8 - 1;
  UCSR0A = 1 << U2X0;
  UCSR0B = 1 << TXEN0;
  chip::set_up_pins();
  put(1);
  wait_sent();
  put(2);  // 2,480 cycles, of which the new clock has most
  chip::write(ECOCON, 2);
  wait_sent();
  put(3);
  wait_sent();
#ifdef MISUSE
  chip::write(ECOCON, 0);
#endif
  return 5;
}
