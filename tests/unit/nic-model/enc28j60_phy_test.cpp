// The PHY behind the MII registers, DS39662E 3.3, and its link.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Phy;
using enc28j60::Reg;
namespace MISTAT = enc28j60::MISTAT;
namespace PHSTAT1 = enc28j60::PHSTAT1;
namespace PHSTAT2 = enc28j60::PHSTAT2;

constexpr Duration mii_time = Duration::nanoseconds(10'240);

class Enc28j60Phy : public testing::Test {
 protected:
  Enc28j60Phy() { bench.advance(Duration::milliseconds(1)); }
  std::uint8_t mistat() { return bench.chip.peek(Reg::MISTAT); }
  std::uint16_t mird() {
    return static_cast<std::uint16_t>(bench.chip.peek(Reg::MIRDL) | bench.chip.peek(Reg::MIRDH) << 8);
  }

  Enc28j60Bench bench;
};

TEST_F(Enc28j60Phy, AReadTakes10240Nanoseconds) {
  bench.write(Reg::MIREGADR, static_cast<unsigned>(Phy::PHID1));
  bench.write(Reg::MICMD, 1);
  const Instant start = bench.now();
  EXPECT_EQ(mistat(), MISTAT::BUSY | MISTAT::NVALID);
  bench.scheduler.run_until(start + mii_time - Duration::picoseconds(1));
  EXPECT_EQ(mistat(), MISTAT::BUSY | MISTAT::NVALID);
  EXPECT_EQ(mird(), 0);
  bench.scheduler.run_until(start + mii_time);
  EXPECT_EQ(mistat(), 0);
  EXPECT_EQ(mird(), 0x0083);
}

TEST_F(Enc28j60Phy, AWriteStartsWithMiwrhAndTakesAsLong) {
  bench.write(Reg::MIREGADR, static_cast<unsigned>(Phy::PHLCON));
  bench.write(Reg::MIWRL, 0x76);
  EXPECT_EQ(mistat(), 0);
  bench.write(Reg::MIWRH, 0x34);
  EXPECT_EQ(mistat(), MISTAT::BUSY);
  bench.advance(mii_time - Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Phy::PHLCON), 0x3422);
  bench.advance(Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Phy::PHLCON), 0x3476);
  EXPECT_EQ(mistat(), 0);
}

TEST_F(Enc28j60Phy, AnAccessWhileBusyIsLost) {
  bench.write(Reg::MIREGADR, static_cast<unsigned>(Phy::PHID1));
  bench.write_pair(Reg::MIWRL, 0x1234);
  bench.write(Reg::MICMD, 1);
  EXPECT_TRUE(bench.reported("enc28j60-mii-busy"));
  bench.advance(mii_time);
  EXPECT_EQ(mird(), 0);
}

TEST_F(Enc28j60Phy, AScanRepeatsUntilItIsStopped) {
  bench.chip.set_link(false);
  bench.write(Reg::MIREGADR, static_cast<unsigned>(Phy::PHSTAT2));
  bench.write(Reg::MICMD, 2);
  EXPECT_EQ(mistat(), MISTAT::BUSY | MISTAT::NVALID | MISTAT::SCAN);
  bench.advance(mii_time);
  EXPECT_EQ(mistat(), MISTAT::BUSY | MISTAT::SCAN);
  EXPECT_EQ(mird() & PHSTAT2::LSTAT, 0);
  bench.chip.set_link(true);
  bench.advance(Duration::milliseconds(32) + mii_time);
  EXPECT_EQ(mird() & PHSTAT2::LSTAT, PHSTAT2::LSTAT);
  bench.write(Reg::MICMD, 0);
  EXPECT_EQ(mistat(), MISTAT::BUSY) << "the read that is under way is finished";
  bench.advance(mii_time);
  EXPECT_EQ(mistat(), 0);
}

TEST_F(Enc28j60Phy, TheLinkComesUpTwoPulsesAfterTheClock) {
  Enc28j60Bench fresh;
  fresh.advance(Duration::microseconds(300) + Duration::milliseconds(32) - Duration::picoseconds(1));
  EXPECT_EQ(fresh.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, 0);
  fresh.advance(Duration::picoseconds(1));
  EXPECT_EQ(fresh.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, PHSTAT2::LSTAT);
  fresh.chip.set_link(false);
  EXPECT_EQ(fresh.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, 0);
}

TEST_F(Enc28j60Phy, ACableThatIsPulledBeforeTheLinkIsUpNeverBringsIt) {
  Enc28j60Bench fresh;
  fresh.advance(Duration::milliseconds(20));
  fresh.chip.set_link(false);
  fresh.advance(Duration::milliseconds(20));
  EXPECT_EQ(fresh.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, 0);
  fresh.chip.set_link(true);
  fresh.advance(Duration::milliseconds(32));
  EXPECT_EQ(fresh.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, PHSTAT2::LSTAT);
}

TEST_F(Enc28j60Phy, LlstatRemembersThatTheLinkWasDown) {
  bench.advance(Duration::milliseconds(40));
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT1), 0x1800) << "it was down at power-on";
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT1), 0x1800 | PHSTAT1::LLSTAT);
  bench.chip.set_link(false);
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT1), 0x1800);
  bench.chip.set_link(true);
  bench.advance(Duration::milliseconds(40));
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT1), 0x1800);
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT1), 0x1800 | PHSTAT1::LLSTAT);
}

TEST_F(Enc28j60Phy, ForcedLinkIsUpWithoutAPartner) {
  bench.chip.set_link(false);
  bench.write_phy(Phy::PHCON2, enc28j60::PHCON2::FRCLNK);
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT2) & PHSTAT2::LSTAT, PHSTAT2::LSTAT);
}

TEST_F(Enc28j60Phy, DpxstatFollowsPdpxmdAndItFollowsTheStrap) {
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT2) & PHSTAT2::DPXSTAT, 0);
  bench.write_phy(Phy::PHCON1, enc28j60::PHCON1::PDPXMD);
  EXPECT_EQ(bench.read_phy(Phy::PHSTAT2) & PHSTAT2::DPXSTAT, PHSTAT2::DPXSTAT);

  Enc28j60Bench strapped{{.ledb_full_duplex = true}};
  strapped.advance(Duration::milliseconds(1));
  EXPECT_EQ(strapped.read_phy(Phy::PHCON1), enc28j60::PHCON1::PDPXMD);
  strapped.write_phy(Phy::PHCON1, 0);
  strapped.write_phy(Phy::PHCON1, enc28j60::PHCON1::PRST);
  EXPECT_EQ(strapped.read_phy(Phy::PHCON1), enc28j60::PHCON1::PDPXMD);
}

TEST_F(Enc28j60Phy, PowerDownAndLoopbackTakeTheLinkAway) {
  for (const unsigned mode : {enc28j60::PHCON1::PPWRSV, enc28j60::PHCON1::PLOOPBK}) {
    bench.advance(Duration::milliseconds(40));
    EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, PHSTAT2::LSTAT);
    bench.write_phy(Phy::PHCON1, mode);
    EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, 0);
    bench.write_phy(Phy::PHCON1, 0);
    EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & PHSTAT2::LSTAT, 0);
  }
}

TEST_F(Enc28j60Phy, LoopbackReturnsWhatIsSent) {
  bench.start();
  bench.write_phy(Phy::PHCON1, enc28j60::PHCON1::PLOOPBK | enc28j60::PHCON1::PDPXMD);
  bench.request(bench.octets(100));
  bench.advance(Duration::milliseconds(1));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 1);
  EXPECT_EQ(bench.take().octets, Enc28j60Bench::with_fcs(bench.frame(100)));
}

TEST_F(Enc28j60Phy, Phstat2ShowsTheTransmitterAndTheReceiverAtWork) {
  bench.start();
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & (PHSTAT2::TXSTAT | PHSTAT2::RXSTAT), 0);
  bench.request(bench.octets(100));
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & PHSTAT2::TXSTAT, PHSTAT2::TXSTAT);
  bench.wire.from_network(bench.frame(1514));
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & PHSTAT2::RXSTAT, PHSTAT2::RXSTAT);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & (PHSTAT2::TXSTAT | PHSTAT2::RXSTAT), 0);
}

// --- LEDs, register 2-2

struct LedEdge {
  Duration since;
  Enc28j60::Led which;
  bool lit;
  friend bool operator==(const LedEdge&, const LedEdge&) = default;
};
std::ostream& operator<<(std::ostream& out, const LedEdge& edge) {
  return out << (edge.which == Enc28j60::Led::a ? 'A' : 'B') << edge.lit << '@' << edge.since.nanoseconds();
}

class Enc28j60Leds : public testing::Test {
 protected:
  using Led = Enc28j60::Led;
  Enc28j60Leds() {
    bench.start();
    bench.chip.on_led([this](std::size_t number, bool lit) {
      edges.push_back({bench.now() - start, static_cast<Led>(number), lit});
    });
  }
  void configure(unsigned a, unsigned b, unsigned rest = 0x3000) {
    bench.write_phy(Phy::PHLCON, rest | a << 8 | b << 4);
    bench.advance(Duration::milliseconds(200));
    edges.clear();
    start = bench.now();
  }

  Enc28j60Bench bench;
  std::vector<LedEdge> edges;
  Instant start;
};

TEST_F(Enc28j60Leds, ShowReceptionAsTransmitAndReceiveActivity) {
  configure(0x7, 0x1);
  bench.wire.from_network(bench.frame(60));
  EXPECT_TRUE(bench.chip.led(Led::a));
  EXPECT_FALSE(bench.chip.led(Led::b));
}

// The reset value: LEDA shows the link, LEDB reception, stretched to 40 ms.
TEST_F(Enc28j60Leds, ShowLinkAndReceptionAfterReset) {
  EXPECT_TRUE(bench.chip.led(Led::a));
  EXPECT_FALSE(bench.chip.led(Led::b));
  start = bench.now();
  bench.wire.from_network(bench.frame(60));
  bench.advance(Duration::milliseconds(100));
  const Duration frame = Duration::nanoseconds(57'600);
  edges.erase(edges.begin());  // LEDA, when the first look at both finds it lit
  EXPECT_EQ(edges,
            (std::vector<LedEdge>{{Duration{}, Led::b, true}, {frame + Duration::milliseconds(40), Led::b, false}}));
  bench.chip.set_link(false);
  EXPECT_FALSE(bench.chip.led(Led::a));
}

TEST_F(Enc28j60Leds, ShowActivityAsLongAsItLastsWithoutStretching) {
  configure(0x1, 0x7);
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  const Duration begin = bench.now() - start;
  const Duration end = begin + Duration::nanoseconds(57'600);
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(edges, (std::vector<LedEdge>{
                       {begin, Led::a, true}, {begin, Led::b, true}, {end, Led::a, false}, {end, Led::b, false}}));
}

TEST_F(Enc28j60Leds, StretchAsLongAsLfrqSays) {
  const std::pair<unsigned, Duration> lengths[] = {{0x3002, Duration::milliseconds(40)},
                                                   {0x3006, Duration::milliseconds(73)},
                                                   {0x300A, Duration::milliseconds(139)}};
  for (const auto& [rest, length] : lengths) {
    configure(0x2, 0x9, rest);
    bench.wire.from_network(bench.frame(60));
    bench.advance(Duration::milliseconds(200));
    EXPECT_EQ(edges, (std::vector<LedEdge>{{Duration{}, Led::a, true},
                                           {Duration::nanoseconds(57'600) + length, Led::a, false}}));
  }
}

TEST_F(Enc28j60Leds, CombineLinkAndActivity) {
  configure(0xC, 0xD);
  EXPECT_TRUE(bench.chip.led(Led::a));
  EXPECT_TRUE(bench.chip.led(Led::b));
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  EXPECT_TRUE(bench.chip.led(Led::a));
  EXPECT_FALSE(bench.chip.led(Led::b));
  bench.advance(Duration::milliseconds(100));
  bench.arrive(bench.frame(60));
  EXPECT_FALSE(bench.chip.led(Led::a)) << "always stretched";
  EXPECT_FALSE(bench.chip.led(Led::b));
  bench.advance(Duration::milliseconds(100));
  bench.chip.set_link(false);
  EXPECT_FALSE(bench.chip.led(Led::a));
  EXPECT_FALSE(bench.chip.led(Led::b));
}

TEST_F(Enc28j60Leds, ShowDuplexOnAndOff) {
  configure(0x5, 0x8);
  EXPECT_TRUE(bench.chip.led(Led::a));
  EXPECT_TRUE(bench.chip.led(Led::b));
  configure(0xE, 0x9);
  EXPECT_TRUE(bench.chip.led(Led::a)) << "only the duplex (erratum 11)";
  EXPECT_FALSE(bench.chip.led(Led::b));
  bench.write_phy(Phy::PHCON1, 0);
  EXPECT_FALSE(bench.chip.led(Led::a));
}

TEST_F(Enc28j60Leds, ShowCollisions) {
  bench.write(Reg::MACON3, 0x32);
  bench.write_phy(Phy::PHCON1, 0);
  configure(0x3, 0x9, 0x3002);
  bench.wire.from_network(bench.frame(1514));
  bench.wire.from_network(bench.frame(60));
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  bench.advance(Duration::milliseconds(10));
  EXPECT_TRUE(bench.chip.led(Led::a));
  bench.advance(Duration::milliseconds(50));
  EXPECT_FALSE(bench.chip.led(Led::a));
}

}  // namespace
}  // namespace avrlan
