// NETIO's server as image netio, with frames served in the chip's interrupt; the main loop sees to the stack's timers and
// sleeps.

#define BOARD_NIC_HANDLER
#include "firmware/images/common/netio.hpp"

namespace {

tcpip::Stack<image::NetioConfig<tcpip::Full>> stack;

}  // namespace

// Other interrupts go on meanwhile. It leaves when no frame waits: INT is high then, and falls for the next one.
ISR(BOARD_NIC_VECT) {
  board::nic::mask();
  sei();
  do stack.poll(board::Clock::milliseconds());
  while (board::nic::calls());
  cli();
  board::nic::unmask();
}

int main() {
  image::Network<decltype(stack)> network(stack);
  board::nic::mask();
  if (!network.start(PSTR("netio-interrupt"))) return board::finish(1);
  for (;;) {
    const uint32_t now = board::Clock::milliseconds();
    board::nic::mask();
    network.serve(now);
    network.every_second();
    board::nic::unmask();
    while (board::Clock::milliseconds() - now < network.timer_period_ms) board::idle();
  }
}
