#include "emulator/net/address_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace avrlan::net {

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
}

std::string mac_text(std::span<const std::uint8_t> octets) {
  return fmt::format("{:02x}", fmt::join(octets.first(6), ":"));
}

std::optional<MacAddress> parse_mac(std::string_view text) {
  std::array<unsigned, 6> octets{};
  int read = 0;
  const int found = std::sscanf(std::string(text).c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%n", &octets[0], &octets[1],
                                &octets[2], &octets[3], &octets[4], &octets[5], &read);
  if (found != 6 || static_cast<std::size_t>(read) != text.size() || (octets[0] & 1) != 0 ||
      std::ranges::all_of(octets, [](unsigned octet) { return octet == 0; }))
    return std::nullopt;
  MacAddress mac{};
  std::ranges::transform(octets, mac.begin(), [](unsigned octet) { return static_cast<std::uint8_t>(octet); });
  return mac;
}

}  // namespace avrlan::net
