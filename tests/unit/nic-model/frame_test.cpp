#include "nic-model/core/frame.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace avrlan {
namespace {

std::vector<std::uint8_t> bytes(std::string_view text) {
  return {text.begin(), text.end()};
}

// One bit at a time, as 802.3 3.2.9 defines it.
std::uint32_t crc_bit_by_bit(std::span<const std::uint8_t> octets) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t octet : octets) {
    crc ^= octet;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

TEST(EthernetCrc, HasThePublishedValues) {
  EXPECT_EQ(ethernet_crc({}), 0x00000000u);
  EXPECT_EQ(ethernet_crc(bytes("123456789")), 0xCBF43926u);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(ethernet_crc(bytes("The quick brown fox jumps over the lazy dog")), 0x414FA339u);
  const std::vector<std::uint8_t> zeros(32, 0x00), ones(32, 0xFF);
  EXPECT_EQ(ethernet_crc(zeros), 0x190A55ADu);
  EXPECT_EQ(ethernet_crc(ones), 0xFF6CAB0Bu);
}

TEST(EthernetCrc, AgreesWithTheBitwiseDefinitionAtEveryLengthAndAlignment) {
  std::vector<std::uint8_t> octets(80);
  std::iota(octets.begin(), octets.end(), std::uint8_t{0x5B});
  for (std::size_t from = 0; from < 8; ++from) {
    for (std::size_t n = 0; from + n <= octets.size(); ++n) {
      const auto part = std::span(octets).subspan(from, n);
      ASSERT_EQ(ethernet_crc(part), crc_bit_by_bit(part)) << from << '+' << n;
    }
  }
}

// 802.3 3.2.9: over a frame with its FCS the remainder is always the same.
TEST(EthernetCrc, LeavesTheResidueOverAFrameWithItsFcs) {
  EthernetFrame frame = EthernetFrame::with_fcs(bytes("any frame"));
  for (int n = 0; n < 4; ++n) frame.octets.push_back(static_cast<std::uint8_t>(frame.fcs >> (8 * n)));
  EXPECT_EQ(ethernet_crc(frame.octets), 0x2144DF1Cu);
}

TEST(EthernetFrame, PadsToSixtyOctetsAndNoFurther) {
  const EthernetFrame shorter = EthernetFrame::padded(bytes("short"));
  EXPECT_EQ(shorter.octets.size(), 60u);
  EXPECT_EQ(shorter.octets[4], 't');
  EXPECT_EQ(shorter.octets[5], 0);
  EXPECT_TRUE(shorter.fcs_ok());
  const std::vector<std::uint8_t> exact(60, 7), longer(61, 7);
  EXPECT_EQ(EthernetFrame::padded(exact), EthernetFrame::with_fcs(exact));
  EXPECT_EQ(EthernetFrame::padded(longer).octets, longer);
}

TEST(EthernetFrame, DamageShowsInTheFcs) {
  EthernetFrame frame = EthernetFrame::padded(bytes("frame"));
  frame.octets[17] ^= 0x10;
  EXPECT_FALSE(frame.fcs_ok());
  frame.octets[17] ^= 0x10;
  EXPECT_TRUE(frame.fcs_ok());
}

// 8 octets of preamble, the frame and its FCS at 800 ns each: 57.6 us and 1220.8 us.
TEST(WireTime, IsTenMegabitsASecond) {
  EXPECT_EQ(wire_time(EthernetFrame::padded({})), Duration::nanoseconds(57'600));
  const std::vector<std::uint8_t> longest(max_frame_octets);
  EXPECT_EQ(wire_time(EthernetFrame::with_fcs(longest)), Duration::nanoseconds(1'220'800));
}

}  // namespace
}  // namespace avrlan
