// A variable in external memory.
#include <avr/io.h>

__attribute__((section(".xram,\"aw\",@nobits;"))) volatile uint8_t outside;

int main(void) {
  MCUCR = _BV(SRE);
  for (uint8_t n = 0; n < 100; ++n) outside = n / 10;
  return 0;
}
