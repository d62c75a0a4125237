#include "emulator/net/address_text.hpp"

#include <fmt/format.h>

namespace avrlan::net {

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
}

std::string mac_text(std::span<const std::uint8_t> octets) {
  return fmt::format("{:02x}", fmt::join(octets.first(6), ":"));
}

}  // namespace avrlan::net
