// The receive filters, DS39662E 8.0.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;
namespace ERXFCON = enc28j60::ERXFCON;

constexpr MacAddress multicast{0x01, 0x00, 0x5E, 0x01, 0x02, 0x03};
constexpr MacAddress stranger{0x02, 0x99, 0x99, 0x99, 0x99, 0x99};

class Enc28j60Filters : public testing::Test {
 protected:
  Enc28j60Filters() { bench.start(); }

  bool accepts(const EthernetFrame& frame) {
    const std::uint64_t before = bench.chip.counters().rx_frames;
    bench.chip.deliver(frame);
    if (bench.chip.counters().rx_frames == before) return false;
    bench.take();
    return true;
  }
  bool accepts(const MacAddress& to) { return accepts(bench.frame(60, to)); }
  void filter(unsigned bits) { bench.write(Reg::ERXFCON, bits); }
  void pattern(unsigned offset, std::uint64_t mask, unsigned checksum) {
    bench.write_pair(Reg::EPMOL, offset);
    for (unsigned n = 0; n < 8; ++n) bench.write(Reg::EPMM0 + n, mask >> (8 * n) & 0xFF);
    bench.write_pair(Reg::EPMCSL, checksum);
  }

  Enc28j60Bench bench;
};

TEST_F(Enc28j60Filters, TheResetValueTakesOursAndBroadcasts) {
  EXPECT_TRUE(accepts(Enc28j60Bench::mac));
  EXPECT_TRUE(accepts(Enc28j60Bench::broadcast));
  EXPECT_FALSE(accepts(multicast));
  EXPECT_FALSE(accepts(stranger));
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::filtered), 2u);
}

TEST_F(Enc28j60Filters, NoneMeansEverything) {
  for (const unsigned value : {0u, unsigned{ERXFCON::ANDOR}}) {
    filter(value);
    EXPECT_TRUE(accepts(stranger));
    EXPECT_TRUE(accepts(multicast));
  }
}

TEST_F(Enc28j60Filters, EachAloneTakesItsOwn) {
  filter(ERXFCON::UCEN);
  EXPECT_TRUE(accepts(Enc28j60Bench::mac));
  EXPECT_FALSE(accepts(Enc28j60Bench::broadcast));
  EXPECT_FALSE(accepts(stranger));
  filter(ERXFCON::BCEN);
  EXPECT_FALSE(accepts(Enc28j60Bench::mac));
  EXPECT_TRUE(accepts(Enc28j60Bench::broadcast));
  EXPECT_FALSE(accepts(multicast));
  filter(ERXFCON::MCEN);
  EXPECT_TRUE(accepts(multicast));
  EXPECT_TRUE(accepts(Enc28j60Bench::broadcast)) << "its first bit is set as well (8.5)";
  EXPECT_FALSE(accepts(Enc28j60Bench::mac));
}

TEST_F(Enc28j60Filters, UnicastComparesEveryOctet) {
  filter(ERXFCON::UCEN);
  for (std::size_t n = 0; n < 6; ++n) {
    MacAddress other = Enc28j60Bench::mac;
    other[n] ^= 0x20;
    EXPECT_FALSE(accepts(other)) << n;
  }
}

TEST_F(Enc28j60Filters, CrcenRefusesDamage) {
  EthernetFrame damaged = bench.frame(60);
  damaged.octets[30] ^= 0x80;
  filter(ERXFCON::UCEN | ERXFCON::CRCEN);
  EXPECT_FALSE(accepts(damaged));
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::bad_fcs), 1u);
  filter(ERXFCON::CRCEN);
  EXPECT_FALSE(accepts(damaged)) << "also when nothing else is filtered";
  filter(ERXFCON::UCEN);
  EXPECT_TRUE(accepts(damaged));
}

// Figure 8-3: offset 6, mask 1F0Ah, checksum 563Fh over {88 AA 09 0A 0B 0C 0D} and a padding octet.
TEST_F(Enc28j60Filters, PatternMatchesTheDatasheetsExample) {
  Octets octets{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0x00, 0x5A};
  for (std::uint8_t n = 0x09; octets.size() < 14 + 90; ++n) octets.push_back(n);
  pattern(6, 0x1F0A, 0x563F);
  filter(ERXFCON::PMEN);
  EXPECT_TRUE(accepts(EthernetFrame::with_fcs(octets)));
  octets[7] ^= 1;  // selected
  EXPECT_FALSE(accepts(EthernetFrame::with_fcs(octets)));
  octets[7] ^= 1;
  octets[8] ^= 1;  // not selected
  EXPECT_TRUE(accepts(EthernetFrame::with_fcs(octets)));
}

// 8.2: source address 00-04-A3-FF-FF-FF by either of two settings; the second needs 70 octets for its window.
TEST_F(Enc28j60Filters, PatternMatchesTheDatasheetsSourceAddress) {
  Octets octets = bench.octets(66);
  const MacAddress source{0x00, 0x04, 0xA3, 0xFF, 0xFF, 0xFF};
  std::copy(source.begin(), source.end(), octets.begin() + 6);
  filter(ERXFCON::PMEN);
  pattern(0, 0x0FC0, 0x5BFC);
  EXPECT_TRUE(accepts(EthernetFrame::with_fcs(octets)));
  pattern(6, 0x003F, 0x5BFC);
  EXPECT_TRUE(accepts(EthernetFrame::with_fcs(octets))) << "66 octets and the FCS are 70";
  octets.pop_back();
  EXPECT_FALSE(accepts(EthernetFrame::with_fcs(octets))) << "the window ends behind the FCS";
}

// What EtherCard programs for broadcast ARP.
TEST_F(Enc28j60Filters, PatternMatchesBroadcastArpAsDriversProgramIt) {
  pattern(0, 0x303F, 0xF7F9);
  filter(ERXFCON::PMEN);
  EXPECT_TRUE(accepts(bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0806)));
  EXPECT_FALSE(accepts(bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0800)));
  EXPECT_FALSE(accepts(bench.frame(60, Enc28j60Bench::mac, 0, 0x0806)));
}

TEST_F(Enc28j60Filters, PatternMayReachIntoTheFcs) {
  const EthernetFrame frame = bench.frame(60);
  filter(ERXFCON::PMEN);
  const unsigned low = frame.fcs & 0xFF, high = frame.fcs >> 8 & 0xFF;
  pattern(0, std::uint64_t{3} << 60, ~(low << 8 | high) & 0xFFFF);
  EXPECT_TRUE(accepts(frame));
  EXPECT_FALSE(accepts(bench.frame(60, Enc28j60Bench::mac, 1)));
}

// Bits 28:23 of the CRC over the destination, computed here the way the vendor's stack describes it: a register that
// is shifted left, fed with each octet's least significant bit first.
TEST_F(Enc28j60Filters, HashTableIsIndexedByTheAddressesCrc) {
  filter(ERXFCON::HTEN);
  std::set<unsigned> pointers;
  for (unsigned n = 0; n < 64; ++n) {
    const MacAddress to{0x01, 0x00, 0x5E, static_cast<std::uint8_t>(n), 0xFB, static_cast<std::uint8_t>(n * n)};
    std::uint32_t crc = 0xFFFFFFFF;
    for (const std::uint8_t octet : to) {
      for (int bit = 0; bit < 8; ++bit) {
        const bool feed = (crc >> 31 ^ (octet >> bit & 1)) != 0;
        crc = crc << 1 ^ (feed ? 0x04C11DB7 : 0);
      }
    }
    const unsigned pointer = crc >> 23 & 0x3F;
    pointers.insert(pointer);
    const Reg table = Reg::EHT0 + pointer / 8;
    bench.write(table, 1u << pointer % 8);
    EXPECT_TRUE(accepts(to)) << n;
    bench.write(table, ~(1u << pointer % 8) & 0xFF);
    EXPECT_FALSE(accepts(to)) << n;
    bench.write(table, 0);
  }
  EXPECT_GT(pointers.size(), 32u) << "the addresses spread over the table";
}

TEST_F(Enc28j60Filters, MagicPacketNeedsItsPatternAndOurAddress) {
  Octets octets = bench.octets(200);
  std::fill_n(octets.begin() + 33, 6, std::uint8_t{0xFF});
  for (std::size_t n = 0; n < 96; ++n) octets[39 + n] = Enc28j60Bench::mac[n % 6];
  filter(ERXFCON::MPEN);
  EXPECT_TRUE(accepts(EthernetFrame::with_fcs(octets)));
  Octets broken = octets;
  broken[39 + 95] ^= 1;
  EXPECT_FALSE(accepts(EthernetFrame::with_fcs(broken)));
  broken = octets;
  broken[33] = 0xFE;
  EXPECT_FALSE(accepts(EthernetFrame::with_fcs(broken)));
  std::fill_n(octets.begin(), 6, std::uint8_t{0xFF});
  EXPECT_FALSE(accepts(EthernetFrame::with_fcs(octets))) << "not addressed to us (8.3)";
}

// Register 8-1: ANDOR chooses between any and all of those that are enabled.
TEST_F(Enc28j60Filters, OrTakesAnyAndAndTakesAll) {
  filter(ERXFCON::UCEN | ERXFCON::MCEN);
  EXPECT_TRUE(accepts(Enc28j60Bench::mac));
  EXPECT_TRUE(accepts(multicast));
  EXPECT_FALSE(accepts(stranger));

  filter(ERXFCON::ANDOR | ERXFCON::UCEN | ERXFCON::MCEN);
  EXPECT_FALSE(accepts(Enc28j60Bench::mac));
  EXPECT_FALSE(accepts(multicast));

  pattern(0, 0x3000, 0xF7F9);  // type 0806h
  filter(ERXFCON::ANDOR | ERXFCON::BCEN | ERXFCON::PMEN);
  EXPECT_TRUE(accepts(bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0806)));
  EXPECT_FALSE(accepts(bench.frame(60, Enc28j60Bench::mac, 0, 0x0806)));
  EXPECT_FALSE(accepts(bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0800)));

  EthernetFrame damaged = bench.frame(60, Enc28j60Bench::broadcast, 0, 0x0806);
  damaged.octets[40] ^= 1;
  EXPECT_TRUE(accepts(damaged));
  filter(ERXFCON::ANDOR | ERXFCON::BCEN | ERXFCON::PMEN | ERXFCON::CRCEN);
  EXPECT_FALSE(accepts(damaged));
}

}  // namespace
}  // namespace avrlan
