#pragma once

#include <algorithm>

#include "nic-model/core/frame.hpp"

namespace avrlan::net {

// Of a frame with both: of 12 octets at least.
inline MacAddress mac_at(const EthernetFrame& frame, std::ptrdiff_t at) {
  MacAddress mac;
  std::copy_n(frame.octets.begin() + at, mac.size(), mac.begin());
  return mac;
}
inline MacAddress destination_of(const EthernetFrame& frame) {
  return mac_at(frame, 0);
}
inline MacAddress source_of(const EthernetFrame& frame) {
  return mac_at(frame, 6);
}

}  // namespace avrlan::net
