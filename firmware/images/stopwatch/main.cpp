// Sums and sends memory of several sizes, and prints for each what TCNT1 has counted meanwhile: "sum 32 160 38662" are
// octets, cycles with the call, and the sum. What profiles, and changes of those functions, are held against.

#include "firmware/board/board.hpp"
#include "stack/base/checksum.hpp"

#define MEASURED extern "C" __attribute__((noinline, noclone, used)) uint16_t

MEASURED measured_nothing(const void*, uint16_t, uint16_t sum) {
  return sum;
}
MEASURED measured_sum(const void* from, uint16_t n, uint16_t sum) {
  return tcpip::sum_add(from, static_cast<uint8_t>(n), sum);
}
MEASURED measured_send(const void* from, uint16_t n, uint16_t sum) {
  return board::Spi::write_sum(0, from, n, sum);
}

namespace {

uint8_t memory[240];
const uint16_t sizes[] = {32, 54, 128, 240};

using Measured = uint16_t (*)(const void*, uint16_t, uint16_t);

// A function that is called through a pointer, so that each costs the same around it.
__attribute__((noinline)) uint16_t measure(Measured measured, uint16_t n, uint16_t& sum) {
  const uint16_t start = TCNT1;
  sum = measured(memory, n, 0);
  return static_cast<uint16_t>(TCNT1 - start);
}

void say(const char* name, Measured measured) {
  for (uint16_t n : sizes) {
    uint16_t sum;
    const uint16_t cycles = measure(measured, n, sum);
    board::Uart::print(name);
    board::Uart::put(' ');
    board::Uart::print(uint32_t{n});
    board::Uart::put(' ');
    board::Uart::print(uint32_t{cycles});
    board::Uart::put(' ');
    board::Uart::print(uint32_t{sum});
    board::Uart::put('\n');
  }
}

}  // namespace

int main() {
  board::set_up();
  TCCR1A = 0;
  TCCR1B = 1 << CS10;
  for (uint16_t i = 0; i < sizeof memory; ++i) memory[i] = static_cast<uint8_t>(i * 7);
  cli();
  say(PSTR("nothing"), measured_nothing);
  say(PSTR("sum"), measured_sum);
  say(PSTR("send"), measured_send);
  return board::finish(0);
}
