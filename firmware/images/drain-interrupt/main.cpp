// Takes frames in the chip's interrupt (common/drain.hpp). The handler leaves when no frame waits, so that INT is high
// and falls again for the next one.

#define BOARD_NIC_HANDLER
#include "firmware/images/common/drain.hpp"

namespace {
image::Drain drain;
}

ISR(BOARD_NIC_VECT) {
  board::nic::mask();
  sei();  // for the clock
  drain.take();
  cli();
  board::nic::unmask();
}

int main() {
  board::nic::mask();
  if (!drain.start(PSTR("drain-interrupt"))) return board::finish(1);
  board::nic::unmask();
  while (!drain.done()) board::idle();
  board::nic::mask();
  return drain.report();
}
