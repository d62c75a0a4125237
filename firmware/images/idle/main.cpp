// Keeps its address and answers pings, and sleeps whenever nothing happens: frames come by interrupt, and the clock ticks
// no more often than the stack's timers want to be looked at.

#define BOARD_TICK_MS 16
#include "firmware/images/common/by_interrupt.hpp"

namespace {

struct Config : image::Profile {
  static constexpr bool tcp = false;
};

tcpip::Stack<Config> stack;

}  // namespace

ISR(BOARD_NIC_VECT) {
  image::serve_frames(stack);
}

int main() {
  return image::run_by_interrupt(stack, PSTR("idle"));
}
