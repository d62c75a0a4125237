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

}  // namespace
}  // namespace avrlan
