#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace avrlan::net {

// "10.0.2.15", of an address in host byte order.
std::string address_text(std::uint32_t address);
// "52:55:0a:00:02:02", of the first six octets.
std::string mac_text(std::span<const std::uint8_t> octets);

}  // namespace avrlan::net
