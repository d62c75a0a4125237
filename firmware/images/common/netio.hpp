#ifndef FIRMWARE_IMAGES_COMMON_NETIO_HPP
#define FIRMWARE_IMAGES_COMMON_NETIO_HPP
// The image netio, of either profile.

#include "firmware/images/common/network.hpp"
#include "stack/app/netio.hpp"

namespace image {

template <class Of>
struct NetioConfig : ProfileOf<Of> {
  static constexpr uint8_t connections = 1;
  using TcpApplications = tcpip::List<tcpip::NetioServer>;
};

template <class Stack>
int serve_netio(Stack& stack, const char* name) {
  Network<Stack> network(stack);
  if (!network.start(name)) return board::finish(1);
  for (;;) network.round();
}

}  // namespace image

#endif
