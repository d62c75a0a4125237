// The receive filters, DS39662E 8.0.

#include <algorithm>

#include "nic-model/core/frame_fields.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan {

using namespace enc28j60;

MacAddress Enc28j60::station_address() const {
  return {cell(Reg::MAADR1), cell(Reg::MAADR2), cell(Reg::MAADR3),
          cell(Reg::MAADR4), cell(Reg::MAADR5), cell(Reg::MAADR6)};
}

// Figures 8-1 and 8-2, without the CRC check that follows. The frame has at least its addresses.
bool Enc28j60::passes_filters(const EthernetFrame& frame) const {
  const std::uint8_t enabled = cell(Reg::ERXFCON);
  constexpr std::uint8_t all =
      ERXFCON::UCEN | ERXFCON::PMEN | ERXFCON::MPEN | ERXFCON::HTEN | ERXFCON::MCEN | ERXFCON::BCEN;
  if ((enabled & all) == 0) return true;

  const MacAddress own = station_address();
  std::uint8_t met = 0;
  if (std::equal(own.begin(), own.end(), frame.octets.begin())) met |= ERXFCON::UCEN;
  if (is_broadcast(frame.octets)) met |= ERXFCON::BCEN;
  if ((frame.octets[0] & 1) != 0) met |= ERXFCON::MCEN;
  if ((enabled & ERXFCON::PMEN) != 0 && matches_pattern(frame)) met |= ERXFCON::PMEN;
  if ((enabled & ERXFCON::MPEN) != 0 && matches_magic_packet(frame)) met |= ERXFCON::MPEN;
  if ((enabled & ERXFCON::HTEN) != 0 && matches_hash_table(frame)) met |= ERXFCON::HTEN;

  const unsigned wanted = enabled & all;
  return (enabled & ERXFCON::ANDOR) != 0 ? (met & wanted) == wanted : (met & wanted) != 0;
}

// 8.2: the checksum of the octets that the mask selects from a window of 64, those left out being removed.
bool Enc28j60::matches_pattern(const EthernetFrame& frame) const {
  constexpr std::size_t window = 64;
  const std::size_t offset = pair(Reg::EPMOL);
  if (offset + window > frame.wire_size()) return false;
  std::uint32_t sum = 0;
  bool high = true;
  for (std::size_t n = 0; n < window; ++n) {
    if ((cell(Reg::EPMM0 + static_cast<unsigned>(n / 8)) >> (n % 8) & 1) == 0) continue;
    const std::size_t at = offset + n;
    const std::uint32_t octet =
        at < frame.octets.size() ? frame.octets[at] : fcs_octet(frame, at - frame.octets.size());
    sum += high ? octet << 8 : octet;
    high = !high;
  }
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum) == pair(Reg::EPMCSL);
}

// 8.3: for us, and somewhere in the data six FFh and our address sixteen times.
bool Enc28j60::matches_magic_packet(const EthernetFrame& frame) const {
  const MacAddress own = station_address();
  if (!std::equal(own.begin(), own.end(), frame.octets.begin())) return false;
  std::array<std::uint8_t, address_octets * 17> pattern;
  std::fill_n(pattern.begin(), address_octets, std::uint8_t{0xFF});
  for (std::size_t n = address_octets; n < pattern.size(); ++n) pattern[n] = own[n % address_octets];
  const auto data = frame.octets.begin() + 2 * address_octets;
  return std::search(data, frame.octets.end(), pattern.begin(), pattern.end()) != frame.octets.end();
}

// 8.4: bits 28:23 of a CRC over the destination address point into EHT. The CRC's register as the shift register has
// it, most significant bit first and not inverted: bit k of that is bit 31 - k of the reflected one.
bool Enc28j60::matches_hash_table(const EthernetFrame& frame) const {
  const std::uint32_t reflected = ~ethernet_crc(std::span(frame.octets).first(address_octets));
  unsigned pointer = 0;
  for (unsigned bit = 23; bit <= 28; ++bit) pointer |= (reflected >> (31 - bit) & 1) << (bit - 23);
  return (cell(Reg::EHT0 + pointer / 8) >> (pointer % 8) & 1) != 0;
}

}  // namespace avrlan
