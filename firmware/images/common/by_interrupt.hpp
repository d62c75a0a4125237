#ifndef FIRMWARE_IMAGES_COMMON_BY_INTERRUPT_HPP
#define FIRMWARE_IMAGES_COMMON_BY_INTERRUPT_HPP
// For images that serve frames in the chip's interrupt, while the main loop sees to the stack's timers and sleeps:
//
//   ISR(BOARD_NIC_VECT) { image::serve_frames(stack); }
//   int main() { return image::run_by_interrupt(stack, PSTR("name")); }

#define BOARD_NIC_HANDLER
#include "firmware/images/common/network.hpp"

namespace image {

// Other interrupts go on meanwhile. It leaves when no frame waits: INT is high then, and falls for the next one.
template <class Stack>
[[gnu::always_inline]] inline void serve_frames(Stack& stack) {
  board::nic::mask();
  sei();
  do stack.poll(board::Clock::milliseconds());
  while (board::nic::calls());
  cli();
  board::nic::unmask();
}

template <class Stack>
int run_by_interrupt(Stack& stack, const char* name) {
  Network<Stack> network(stack);
  board::nic::mask();
  if (!network.start(name)) return board::finish(1);
  for (;;) {
    const uint32_t now = board::Clock::milliseconds();
    board::nic::mask();
    network.serve(now);
    network.every_second();
    board::nic::unmask();
    while (board::Clock::milliseconds() - now < network.timer_period_ms) board::idle();
  }
}

}  // namespace image

#endif
