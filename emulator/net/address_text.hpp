#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "nic-model/core/frame.hpp"

namespace avrlan::net {

// "10.0.2.15", of an address in host byte order.
std::string address_text(std::uint32_t address);
// "52:55:0a:00:02:02", of the first six octets.
std::string mac_text(std::span<const std::uint8_t> octets);
// The other way round; nullopt: something else, or no address of one host.
std::optional<MacAddress> parse_mac(std::string_view text);

}  // namespace avrlan::net
