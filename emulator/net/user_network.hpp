#pragma once
// The network that the firmware sees behind the `user` backend: 10.0.2.0/24, as QEMU's.

#include <cstdint>

#include "emulator/net/mac_prefix.hpp"
#include "nic-model/core/frame.hpp"

namespace avrlan::net::user_network {

inline constexpr std::uint32_t network = 0x0a000200;
inline constexpr std::uint32_t netmask = 0xffffff00;
inline constexpr std::uint32_t gateway = 0x0a000202;      // DHCP, TFTP, and the host itself
inline constexpr std::uint32_t name_server = 0x0a000203;  // port 53 goes to the host's resolver
inline constexpr std::uint32_t first_lease = 0x0a00020f;

inline constexpr std::uint16_t dhcp_server_port = 67;
inline constexpr std::uint16_t tftp_port = 69;
inline constexpr std::uint16_t dns_port = 53;

// slirp's hardware addresses: 52:55 and the IPv4 address. On a switch they are fixed to its port.
inline constexpr MacPrefix hardware_prefix = {{0x52, 0x55}, 2};
constexpr MacAddress hardware_address(std::uint32_t address) {
  return {0x52,
          0x55,
          static_cast<std::uint8_t>(address >> 24),
          static_cast<std::uint8_t>(address >> 16),
          static_cast<std::uint8_t>(address >> 8),
          static_cast<std::uint8_t>(address)};
}

}  // namespace avrlan::net::user_network
