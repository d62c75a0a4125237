#pragma once
// An Ethernet frame as it is on the wire between preamble and gap.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan {

using MacAddress = std::array<std::uint8_t, 6>;

// CRC-32 of IEEE 802.3 clause 3.2.9 (reflected, initial and final inversion), as the number whose
// least significant byte is sent first.
std::uint32_t ethernet_crc(std::span<const std::uint8_t> octets);

struct EthernetFrame {
  // Destination address to the end of the padding, without FCS.
  std::vector<std::uint8_t> octets;
  // FCS as it was sent. Damage on the way changes octets only, so fcs_ok() turns false by itself.
  std::uint32_t fcs = 0;

  // Copies `octets` and computes the right FCS. Pads nothing.
  static EthernetFrame with_fcs(std::span<const std::uint8_t> octets);
  // The same with zeros appended up to the 60 octets of the shortest legal frame.
  static EthernetFrame padded(std::span<const std::uint8_t> octets);

  bool fcs_ok() const { return fcs == ethernet_crc(octets); }
  // Octets on the wire with FCS, without preamble.
  std::size_t wire_size() const { return octets.size() + 4; }
  friend bool operator==(const EthernetFrame&, const EthernetFrame&) = default;
};

// 10BASE-T: 100 ns a bit; 7 octets preamble and 1 SFD before, 96 bit times of gap after each frame (802.3 4.4.2).
inline constexpr Duration octet_time = Duration::nanoseconds(800);
inline constexpr Duration preamble_time = octet_time * 8;
inline constexpr Duration interframe_gap = Duration::nanoseconds(9'600);
inline constexpr std::size_t min_frame_octets = 60;
inline constexpr std::size_t max_frame_octets = 1514;

// Preamble, frame and FCS; without the gap.
inline Duration wire_time(const EthernetFrame& frame) {
  return preamble_time + octet_time * static_cast<std::int64_t>(frame.wire_size());
}

// Takes whole frames. deliver() is called at the instant at which the last bit arrives.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void deliver(const EthernetFrame& frame) = 0;
};

}  // namespace avrlan
