#pragma once
// What the MAC and the filters look at in a frame. Reading past the end gives 0.

#include <algorithm>
#include <cstdint>
#include <span>

#include "nic-model/core/frame.hpp"

namespace avrlan {

inline constexpr std::size_t address_octets = 6;
inline constexpr std::size_t type_offset = 12;
inline constexpr std::size_t header_octets = 14;
inline constexpr std::size_t fcs_octets = 4;
inline constexpr std::size_t largest_length = 1500;  // a larger type/length field is a type (802.3 3.2.6)
inline constexpr std::size_t shortest_data = 46;     // the rest is padding (802.3 3.2.7)
inline constexpr std::uint16_t control_type = 0x8808;
inline constexpr std::uint16_t vlan_type = 0x8100;
inline constexpr std::uint16_t pause_opcode = 0x0001;

using OctetView = std::span<const std::uint8_t>;

inline std::uint16_t word_at(OctetView octets, std::size_t at) {
  if (at + 2 > octets.size()) return 0;
  return static_cast<std::uint16_t>(octets[at] << 8 | octets[at + 1]);
}

inline std::uint16_t type_of(OctetView octets) {
  return word_at(octets, type_offset);
}
inline bool is_control(OctetView octets) {
  return type_of(octets) == control_type;
}
inline bool is_pause(OctetView octets) {
  return is_control(octets) && word_at(octets, header_octets) == pause_opcode;
}

inline bool is_broadcast(OctetView octets) {
  return octets.size() >= address_octets &&
         std::ranges::all_of(octets.first(address_octets), [](std::uint8_t octet) { return octet == 0xFF; });
}
// A group address other than the broadcast address.
inline bool is_multicast(OctetView octets) {
  return !octets.empty() && (octets[0] & 1) != 0 && !is_broadcast(octets);
}

// The field is a length, and not that of the data nor that of data which was padded.
inline bool length_is_wrong(OctetView octets) {
  const std::size_t length = type_of(octets);
  const std::size_t data = octets.size() > header_octets ? octets.size() - header_octets : 0;
  return length <= largest_length && length != data && !(data == shortest_data && length < shortest_data);
}

inline std::uint8_t fcs_octet(const EthernetFrame& frame, std::size_t n) {
  return static_cast<std::uint8_t>(frame.fcs >> (8 * n));
}

}  // namespace avrlan
