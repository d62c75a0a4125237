// The echo service (RFC 862): TCP and UDP port 7.

#include "firmware/images/common/network.hpp"
#include "stack/app/echo.hpp"

namespace {

struct Config : image::Profile {
  using TcpApplications = tcpip::List<tcpip::TcpEcho<>>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

tcpip::Stack<Config> stack;

}  // namespace

int main() {
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("echo"))) return board::finish(1);
  for (;;) network.round();
}
