// NETIO's server as image netio, with frames served in the chip's interrupt.

#include "firmware/images/common/by_interrupt.hpp"
#include "firmware/images/common/netio.hpp"

namespace {

tcpip::Stack<image::NetioConfig<tcpip::Full>> stack;

}  // namespace

ISR(BOARD_NIC_VECT) {
  image::serve_frames(stack);
}

int main() {
  return image::run_by_interrupt(stack, PSTR("netio-interrupt"));
}
