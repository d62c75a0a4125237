// NETIO's server (stack/app/netio.hpp), TCP port 18767: throughput each way, full profile.

#include "firmware/images/common/netio.hpp"

namespace {

tcpip::Stack<image::NetioConfig<tcpip::Full>> stack;

}  // namespace

int main() {
  return image::serve_netio(stack, PSTR("netio"));
}
