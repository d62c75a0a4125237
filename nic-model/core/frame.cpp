#include "nic-model/core/frame.hpp"

#include <algorithm>

namespace avrlan {
namespace {

// Slicing by eight: table k advances the CRC over one octet followed by k zero octets.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t octet = 0; octet < 256; ++octet) {
    std::uint32_t crc = octet;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    tables[0][octet] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t octet = 0; octet < 256; ++octet) {
      const std::uint32_t previous = tables[k - 1][octet];
      tables[k][octet] = (previous >> 8) ^ tables[0][previous & 0xFF];
    }
  }
  return tables;
}

constexpr CrcTables crc_tables = make_crc_tables();

std::uint32_t little_endian(const std::uint8_t* octets) {
  return octets[0] | (std::uint32_t{octets[1]} << 8) | (std::uint32_t{octets[2]} << 16) |
         (std::uint32_t{octets[3]} << 24);
}

}  // namespace

std::uint32_t ethernet_crc(std::span<const std::uint8_t> octets) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (; octets.size() >= 8; octets = octets.subspan(8)) {
    const std::uint32_t low = crc ^ little_endian(octets.data());
    const std::uint32_t high = little_endian(octets.data() + 4);
    crc = crc_tables[7][low & 0xFF] ^ crc_tables[6][(low >> 8) & 0xFF] ^ crc_tables[5][(low >> 16) & 0xFF] ^
          crc_tables[4][low >> 24] ^ crc_tables[3][high & 0xFF] ^ crc_tables[2][(high >> 8) & 0xFF] ^
          crc_tables[1][(high >> 16) & 0xFF] ^ crc_tables[0][high >> 24];
  }
  for (const std::uint8_t octet : octets) crc = (crc >> 8) ^ crc_tables[0][(crc ^ octet) & 0xFF];
  return ~crc;
}

EthernetFrame EthernetFrame::with_fcs(std::span<const std::uint8_t> octets) {
  return EthernetFrame{{octets.begin(), octets.end()}, ethernet_crc(octets)};
}

EthernetFrame EthernetFrame::padded(std::span<const std::uint8_t> octets) {
  EthernetFrame frame{{octets.begin(), octets.end()}, 0};
  frame.octets.resize(std::max(frame.octets.size(), min_frame_octets));
  frame.fcs = ethernet_crc(frame.octets);
  return frame;
}

}  // namespace avrlan
