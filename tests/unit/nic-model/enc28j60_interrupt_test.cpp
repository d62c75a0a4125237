// Interrupts and the INT pin, DS39662E 12.0.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Phy;
using enc28j60::Reg;
namespace EIE = enc28j60::EIE;
namespace EIR = enc28j60::EIR;
namespace ESTAT = enc28j60::ESTAT;

class Enc28j60Interrupts : public testing::Test {
 protected:
  Enc28j60Interrupts() {
    bench.start();
    bench.int_edges.clear();
  }
  bool pending() { return (bench.chip.peek(Reg::ESTAT) & ESTAT::INT) != 0; }

  Enc28j60Bench bench;
};

TEST_F(Enc28j60Interrupts, PinFallsAtTheLastBitOfAPacketAndStaysUntilTheLastIsReleased) {
  bench.write(Reg::EIE, EIE::INTIE | EIE::PKTIE);
  const EthernetFrame frame = bench.frame(60);
  const Instant start = bench.now();
  bench.wire.from_network(frame);
  bench.wire.from_network(frame);
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(bench.int_edges.size(), 1u);
  EXPECT_EQ(bench.int_edges[0].when, start + Duration::nanoseconds(57'600));
  EXPECT_FALSE(bench.int_edges[0].high);
  EXPECT_FALSE(bench.chip.int_pin());
  EXPECT_TRUE(pending());

  bench.take();
  EXPECT_FALSE(bench.chip.int_pin()) << "one is left";
  bench.clear(Reg::EIR, EIR::PKTIF);
  EXPECT_FALSE(bench.chip.int_pin()) << "software cannot clear PKTIF (12.1.7)";
  bench.take();
  EXPECT_TRUE(bench.chip.int_pin());
  EXPECT_FALSE(pending());
  EXPECT_EQ(bench.int_edges.size(), 2u);
}

TEST_F(Enc28j60Interrupts, FlagsAreSetWhateverIsEnabled) {
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::PKTIF);
  EXPECT_TRUE(bench.chip.int_pin());
  bench.write(Reg::EIE, EIE::PKTIE);
  EXPECT_TRUE(bench.chip.int_pin()) << "INTIE is clear";
  bench.write(Reg::EIE, EIE::INTIE | EIE::TXIE);
  EXPECT_TRUE(bench.chip.int_pin()) << "another source";
  bench.write(Reg::EIE, EIE::INTIE | EIE::PKTIE);
  EXPECT_FALSE(bench.chip.int_pin());
}

// 12.0: a handler clears INTIE on entry and sets it on exit, for another edge when something is left.
TEST_F(Enc28j60Interrupts, IntieMakesANewEdge) {
  bench.write(Reg::EIE, EIE::INTIE | EIE::PKTIE);
  bench.arrive(bench.frame(60));
  bench.clear(Reg::EIE, EIE::INTIE);
  EXPECT_TRUE(bench.chip.int_pin());
  bench.set(Reg::EIE, EIE::INTIE);
  EXPECT_FALSE(bench.chip.int_pin());
  ASSERT_EQ(bench.int_edges.size(), 3u);
}

TEST_F(Enc28j60Interrupts, TransmitDoneIsClearedByTheHost) {
  bench.write(Reg::EIE, EIE::INTIE | EIE::TXIE);
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  EXPECT_TRUE(bench.chip.int_pin());
  bench.advance(Duration::nanoseconds(57'600));
  EXPECT_FALSE(bench.chip.int_pin());
  bench.clear(Reg::EIR, EIR::TXIF);
  EXPECT_TRUE(bench.chip.int_pin());
}

TEST_F(Enc28j60Interrupts, EverySourceReachesThePinThroughItsOwnEnable) {
  const auto check = [this](std::uint8_t source, const char* name) {
    EXPECT_EQ(bench.read(Reg::EIR) & source, source) << name;
    for (const std::uint8_t enabled : {EIE::PKTIE, EIE::DMAIE, EIE::LINKIE, EIE::TXIE, EIE::TXERIE, EIE::RXERIE}) {
      bench.write(Reg::EIE, EIE::INTIE | enabled);
      EXPECT_EQ(bench.chip.int_pin(), (bench.read(Reg::EIR) & enabled) == 0) << name << ' ' << int{enabled};
    }
    bench.write(Reg::EIE, 0);
    bench.write(Reg::EIR, 0);
  };
  bench.write_pair(Reg::EDMANDL, 0x10);
  bench.set(Reg::ECON1, enc28j60::ECON1::DMAST);
  bench.advance(Duration::microseconds(10));
  check(EIR::DMAIF, "DMA");
  bench.request(bench.octets(2000, Enc28j60Bench::peer));
  bench.advance(Duration::milliseconds(3));
  check(EIR::TXERIF, "TXER");
  for (int n = 0; n < 5; ++n) bench.arrive(bench.frame(1514));
  check(EIR::RXERIF, "RXER");
}

// 12.1.5: needs both enables in the PHY, tells of a change, is cleared by reading PHIR.
TEST_F(Enc28j60Interrupts, LinkChangeNeedsThePhysEnablesAndIsClearedByReadingPhir) {
  bench.read_phy(Phy::PHIR);
  bench.write(Reg::EIE, EIE::INTIE | EIE::LINKIE);
  bench.chip.set_link(false);
  EXPECT_TRUE(bench.chip.int_pin());
  EXPECT_EQ(bench.read_phy(Phy::PHIR), enc28j60::PHIR::PLNKIF);
  bench.write_phy(Phy::PHIE, enc28j60::PHIE::PLNKIE);
  bench.chip.set_link(true);
  bench.advance(Duration::milliseconds(40));
  EXPECT_EQ(bench.read(Reg::EIR), 0);
  bench.write_phy(Phy::PHIE, enc28j60::PHIE::PLNKIE | enc28j60::PHIE::PGEIE);
  bench.chip.set_link(false);
  EXPECT_FALSE(bench.chip.int_pin());
  EXPECT_EQ(bench.read(Reg::EIR), EIR::LINKIF);
  bench.clear(Reg::EIR, EIR::LINKIF);
  EXPECT_EQ(bench.read(Reg::EIR), EIR::LINKIF) << "read-only here";
  EXPECT_EQ(bench.read_phy(Phy::PHIR), enc28j60::PHIR::PLNKIF | enc28j60::PHIR::PGIF);
  EXPECT_TRUE(bench.chip.int_pin());
  EXPECT_EQ(bench.read(Reg::EIR), 0);
}

TEST_F(Enc28j60Interrupts, AResetReleasesThePin) {
  bench.write(Reg::EIE, EIE::INTIE | EIE::PKTIE);
  bench.arrive(bench.frame(60));
  EXPECT_FALSE(bench.chip.int_pin());
  bench.spi({0xFF});
  EXPECT_TRUE(bench.chip.int_pin());
}

}  // namespace
}  // namespace avrlan
