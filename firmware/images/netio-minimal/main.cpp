// NETIO's server (stack/app/netio.hpp), TCP port 18767: throughput each way, minimal profile.

#include "firmware/images/common/netio.hpp"

namespace {

tcpip::Stack<image::NetioConfig<tcpip::Minimal>> stack;

}  // namespace

int main() {
  return image::serve_netio(stack, PSTR("netio-minimal"));
}
