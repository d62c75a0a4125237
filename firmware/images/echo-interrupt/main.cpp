// The echo service, TCP and UDP port 7, served in the chip's interrupt.

#include "firmware/images/common/by_interrupt.hpp"
#include "stack/app/echo.hpp"

namespace {

struct Config : image::Profile {
  using TcpApplications = tcpip::List<tcpip::TcpEcho<>>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

tcpip::Stack<Config> stack;

}  // namespace

ISR(BOARD_NIC_VECT) {
  image::serve_frames(stack);
}

int main() {
  return image::run_by_interrupt(stack, PSTR("echo-interrupt"));
}
