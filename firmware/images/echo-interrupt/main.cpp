// The echo service, TCP and UDP port 7, served in the chip's interrupt; the main loop sees to the stack's timers and sleeps.

#define BOARD_NIC_HANDLER
#include "firmware/images/common/network.hpp"
#include "stack/app/echo.hpp"

namespace {

struct Config : image::Profile {
  using TcpApplications = tcpip::List<tcpip::TcpEcho<>>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

tcpip::Stack<Config> stack;

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
  if (!network.start(PSTR("echo-interrupt"))) return board::finish(1);
  for (;;) {
    const uint32_t now = board::Clock::milliseconds();
    board::nic::mask();
    network.serve(now);
    network.every_second();
    board::nic::unmask();
    while (board::Clock::milliseconds() - now < network.timer_period_ms) board::idle();
  }
}
