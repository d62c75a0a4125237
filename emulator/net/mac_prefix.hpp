#pragma once

#include <algorithm>
#include <cstddef>

#include "nic-model/core/frame.hpp"

namespace avrlan::net {

// All stations whose address begins with the first `length` octets (1 to 6).
struct MacPrefix {
  MacAddress octets{};
  std::size_t length = 6;

  constexpr bool covers(const MacAddress& address) const {
    return std::equal(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(length), address.begin());
  }
};

}  // namespace avrlan::net
