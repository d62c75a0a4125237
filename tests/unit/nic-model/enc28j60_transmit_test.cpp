// Transmission, DS39662E 7.1: what reaches the wire, when, and what the status vector says of it.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Phy;
using enc28j60::Reg;
namespace ECON1 = enc28j60::ECON1;
namespace EIR = enc28j60::EIR;
namespace ESTAT = enc28j60::ESTAT;
namespace TSV = enc28j60::TSV;

class Enc28j60Transmit : public testing::Test {
 protected:
  Enc28j60Transmit() { bench.start(); }

  EthernetFrame send(const Octets& octets, std::uint8_t control = 0) {
    bench.sent.clear();
    bench.request(octets, control);
    bench.advance(Duration::milliseconds(8));
    if (bench.sent.size() != 1) {
      ADD_FAILURE() << bench.sent.size() << " frames";
      return {};
    }
    return bench.sent[0].frame;
  }
  std::uint64_t status_of(const Octets& octets, std::uint8_t control = 0) {
    send(octets, control);
    return bench.status_vector();
  }
  static Octets out(std::size_t length, unsigned seed = 0, unsigned type = 0x0800) {
    return Enc28j60Bench::octets(length, Enc28j60Bench::peer, seed, type);
  }
  static Octets padded(Octets octets, std::size_t length) {
    octets.resize(std::max(octets.size(), length));
    return octets;
  }
  static std::uint64_t bits(std::initializer_list<unsigned> set) {
    std::uint64_t all = 0;
    for (const unsigned n : set) all |= std::uint64_t{1} << n;
    return all;
  }

  Enc28j60Bench bench;
};

TEST_F(Enc28j60Transmit, SendsTheOctetsBehindTheControlByteWithFcs) {
  const Octets octets = out(1514);
  EXPECT_EQ(send(octets), EthernetFrame::with_fcs(octets));
  EXPECT_EQ(bench.chip.counters().tx_frames, 1u);
  EXPECT_EQ(bench.chip.counters().tx_bytes, 1514u);
  EXPECT_EQ(bench.read_pair(Reg::ETXSTL), 0x1A00);
  EXPECT_EQ(bench.read_pair(Reg::ETXNDL), 0x1A00 + 1514) << "the pointers stay (7.1)";
  EXPECT_TRUE(bench.diagnostics.empty());
}

// To the picosecond: preamble at the instant TXRTS is set, the last FCS bit 8 + 60 + 4 octets later.
TEST_F(Enc28j60Transmit, TakesItsTimeOnTheWire) {
  bench.request(out(60));
  const Instant start = bench.now();
  const Instant end = start + Duration::nanoseconds(57'600);
  bench.scheduler.run_until(end - Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Reg::ECON1) & ECON1::TXRTS, ECON1::TXRTS);
  EXPECT_EQ(bench.chip.peek(Reg::EIR), 0);
  bench.scheduler.run_until(end);
  EXPECT_EQ(bench.chip.peek(Reg::ECON1) & ECON1::TXRTS, 0);
  EXPECT_EQ(bench.chip.peek(Reg::EIR), EIR::TXIF);
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, end);
}

// Register 6-4: MABBIPG + 3 nibble times in full duplex, + 6 in half duplex; 15h and 12h are both 9.6 us.
TEST_F(Enc28j60Transmit, LeavesTheGapThatMabbipgSays) {
  struct Case {
    bool full_duplex;
    unsigned mabbipg;
    Duration gap;
  };
  for (const Case& c :
       {Case{true, 0x15, Duration::nanoseconds(9'600)}, Case{false, 0x12, Duration::nanoseconds(9'600)},
        Case{true, 0x00, Duration::nanoseconds(1'200)}, Case{false, 0x7F, Duration::nanoseconds(53'200)}}) {
    bench.write(Reg::MACON3, c.full_duplex ? 0x33 : 0x32);
    bench.write(Reg::MABBIPG, c.mabbipg);
    bench.sent.clear();
    bench.advance(Duration::milliseconds(1));
    bench.request(out(60));
    bench.advance(Duration::nanoseconds(57'600));
    // At once, by one bit field command whose bytes take no time.
    bench.spi({0x9F, ECON1::TXRTS}, Duration{});
    bench.advance(Duration::milliseconds(1));
    ASSERT_EQ(bench.sent.size(), 2u);
    EXPECT_EQ(bench.sent[1].end - bench.sent[0].end, c.gap + Duration::nanoseconds(57'600)) << c.mabbipg;
  }
}

TEST_F(Enc28j60Transmit, PadsAsMacon3Says) {
  const Octets plain = out(20), vlan = out(20, 0, 0x8100);
  struct Case {
    unsigned padcfg;
    std::size_t plain, vlan;
  };
  for (const Case& c : {Case{0b001, 60, 60}, Case{0b011, 64, 64}, Case{0b111, 64, 64}, Case{0b101, 60, 64},
                        Case{0b000, 20, 20}, Case{0b010, 20, 20}, Case{0b100, 20, 20}, Case{0b110, 20, 20}}) {
    bench.write(Reg::MACON3, c.padcfg << 5 | 0x11);
    EXPECT_EQ(send(plain), EthernetFrame::with_fcs(padded(plain, c.plain))) << c.padcfg;
    EXPECT_EQ(send(vlan), EthernetFrame::with_fcs(padded(vlan, c.vlan))) << c.padcfg;
    EXPECT_EQ(send(out(100)), EthernetFrame::with_fcs(out(100)));
  }
}

TEST_F(Enc28j60Transmit, TakesTheLastFourOctetsForTheFcsWithoutTxcrcen) {
  bench.write(Reg::MACON3, 0x03);
  const EthernetFrame frame = bench.frame(100);
  EXPECT_EQ(send(Enc28j60Bench::with_fcs(frame)), frame);
  EXPECT_EQ(bench.status_vector() & bits({TSV::CrcError}), 0u);

  const EthernetFrame wrong = send(out(100));
  EXPECT_EQ(wrong.octets, out(96));
  EXPECT_FALSE(wrong.fcs_ok());
  EXPECT_EQ(bench.status_vector() & bits({TSV::CrcError, TSV::Done}), bits({TSV::CrcError, TSV::Done}));
}

TEST_F(Enc28j60Transmit, PaddingBringsItsFcsWithIt) {
  bench.write(Reg::MACON3, 0x21);
  EXPECT_EQ(send(out(20)), EthernetFrame::with_fcs(padded(out(20), 60)));
}

TEST_F(Enc28j60Transmit, LeavesAProprietaryHeaderOutOfTheFcs) {
  bench.write(Reg::MACON3, 0x3B);
  const Octets octets = out(80);
  EXPECT_EQ(send(octets).fcs, ethernet_crc(std::span(octets).subspan(4)));
}

// Figure 7-1: with POVERRIDE the control byte decides, else MACON3 does.
TEST_F(Enc28j60Transmit, ObeysThePerPacketControlByte) {
  const Octets octets = out(20);
  EXPECT_EQ(send(octets, 0x0E), EthernetFrame::with_fcs(padded(octets, 60))) << "ignored without POVERRIDE";
  EXPECT_EQ(send(octets, 0x03), EthernetFrame::with_fcs(octets)) << "CRC, no padding";
  EXPECT_EQ(send(octets, 0x07), EthernetFrame::with_fcs(padded(octets, 60)));
  const EthernetFrame own_fcs = bench.frame(70);
  EXPECT_EQ(send(Enc28j60Bench::with_fcs(own_fcs), 0x01), own_fcs) << "neither";
  bench.write(Reg::MACON3, 0x01);
  EXPECT_EQ(send(octets, 0x07), EthernetFrame::with_fcs(padded(octets, 60)));
}

TEST_F(Enc28j60Transmit, CutsAFrameOffAtMamxfl) {
  bench.request(out(1515));
  const Instant start = bench.now();
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF | EIR::TXERIF);
  EXPECT_EQ(bench.read(Reg::ESTAT) & ESTAT::TXABRT, ESTAT::TXABRT);
  EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, 0);
  EXPECT_EQ(bench.status_vector() & bits({TSV::Giant, TSV::Done}), bits({TSV::Giant}));
  EXPECT_EQ(bench.chip.counters().tx_frames, 0u);
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::transmit_aborted), 1u);
  ASSERT_EQ(bench.sent.size(), 1u) << "the medium has carried its beginning";
  EXPECT_FALSE(bench.sent[0].frame.fcs_ok());
  EXPECT_EQ(bench.sent[0].end - start, octet_time * (8 + 1518));
}

TEST_F(Enc28j60Transmit, SendsHugeFramesWhenAllowed) {
  bench.set(Reg::MACON3, enc28j60::MACON3::HFRMEN);
  EXPECT_EQ(send(out(1600)), EthernetFrame::with_fcs(out(1600)));
  EXPECT_EQ(bench.status_vector() & bits({TSV::Giant, TSV::Done}), bits({TSV::Giant, TSV::Done}));
  bench.clear(Reg::MACON3, enc28j60::MACON3::HFRMEN);
  EXPECT_EQ(send(out(1600), 0x0B), EthernetFrame::with_fcs(out(1600))) << "PHUGEEN";
  EXPECT_EQ(bench.read(Reg::ESTAT) & ESTAT::TXABRT, 0);
}

// Table 7-1, at ETXND + 1, seven octets.
TEST_F(Enc28j60Transmit, WritesItsStatusVectorBehindTheFrame) {
  bench.write_buffer(0x1A00 + 101, Octets(9, 0xEE));
  send(out(100));
  const Octets expected{104, 0, 0xC0, 0x00, 104, 0, 0x00, 0xEE, 0xEE};
  EXPECT_EQ(bench.read_buffer(0x1A00 + 101, 9), expected);
}

TEST_F(Enc28j60Transmit, StatusVectorNamesWhatWasSent) {
  const std::uint64_t sizes = 104 | std::uint64_t{104} << TSV::TotalBytesOnWire;
  const auto to = [](const MacAddress& address, unsigned type) { return Enc28j60Bench::octets(100, address, 0, type); };
  const std::uint64_t plain = sizes | bits({TSV::Done, TSV::LengthOutOfRange});
  EXPECT_EQ(status_of(to(Enc28j60Bench::peer, 0x0800)), plain);
  EXPECT_EQ(status_of(to(Enc28j60Bench::broadcast, 0x0800)), plain | bits({TSV::Broadcast}));
  EXPECT_EQ(status_of(to({0x01, 0, 0x5E, 0, 0, 1}, 0x0800)), plain | bits({TSV::Multicast}));
  EXPECT_EQ(status_of(to(Enc28j60Bench::peer, 0x8100)), plain | bits({TSV::VlanTagged}));
  EXPECT_EQ(status_of(to(Enc28j60Bench::peer, 86)), sizes | bits({TSV::Done}));
  EXPECT_EQ(status_of(to(Enc28j60Bench::peer, 85)), sizes | bits({TSV::Done, TSV::LengthCheckError}));
  bench.clear(Reg::MACON3, enc28j60::MACON3::FRMLNEN);
  EXPECT_EQ(status_of(to(Enc28j60Bench::peer, 85)), sizes | bits({TSV::Done}));

  Octets control = to(Enc28j60Bench::peer, 0x8808);
  control[14] = 0;
  control[15] = 1;
  EXPECT_EQ(status_of(control), plain | bits({TSV::ControlFrame, TSV::PauseControlFrame}));
  control[15] = 2;
  EXPECT_EQ(status_of(control), plain | bits({TSV::ControlFrame}));
}

TEST_F(Enc28j60Transmit, WrapsAtTheEndOfMemory) {
  const Octets octets = out(100);
  bench.request(octets, 0, 0x1FC0);
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].frame.octets, octets);
  EXPECT_EQ(bench.status_vector() & 0xFFFF, 104u);
}

TEST_F(Enc28j60Transmit, ReadsTheFrameWhenTheRequestComes) {
  bench.request(out(100, 1));
  bench.write_buffer(0x1A00 + 50, Octets(10, 0));
  EXPECT_TRUE(bench.reported("enc28j60-transmit-buffer-changed"));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.sent[0].frame.octets, out(100, 1));
}

// 12.1.4: TXIF whenever TXRTS falls, also by the host's hand; no status vector, no error flag.
TEST_F(Enc28j60Transmit, ClearingTxrtsCancels) {
  bench.request(out(1514));
  const std::uint64_t before = bench.status_vector();
  bench.advance(Duration::microseconds(100));
  bench.clear(Reg::ECON1, ECON1::TXRTS);
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF);
  EXPECT_EQ(bench.read(Reg::ESTAT) & ESTAT::TXABRT, 0);
  bench.advance(Duration::milliseconds(2));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.status_vector(), before);
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::transmit_aborted), 1u);
  EXPECT_EQ(send(out(60)), EthernetFrame::with_fcs(out(60)));
}

// 11.3, and what drivers do before each frame because of erratum 12.
TEST_F(Enc28j60Transmit, TxrstAbortsAndHoldsTheTransmitter) {
  bench.request(out(1514));
  bench.advance(Duration::microseconds(100));
  bench.set(Reg::ECON1, ECON1::TXRST);
  EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, 0);
  bench.set(Reg::ECON1, ECON1::TXRTS);
  EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, 0) << "held in reset";
  bench.clear(Reg::ECON1, ECON1::TXRST);
  bench.clear(Reg::EIR, EIR::TXERIF | EIR::TXIF);
  bench.advance(Duration::milliseconds(2));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.read(Reg::EIR), 0);
  EXPECT_EQ(send(out(60)), EthernetFrame::with_fcs(out(60)));
}

TEST(Enc28j60TransmitTooSoon, IsReported) {
  Enc28j60Bench bench;
  bench.set(Reg::ECON1, ECON1::TXRTS);
  EXPECT_TRUE(bench.reported("enc28j60-clock-not-ready"));
}

TEST_F(Enc28j60Transmit, ASecondRequestIsLost) {
  bench.request(out(100, 1));
  bench.set(Reg::ECON1, ECON1::TXRTS);
  EXPECT_TRUE(bench.reported("enc28j60-transmit-busy"));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST_F(Enc28j60Transmit, GoesNowhereWithoutALink) {
  bench.chip.set_link(false);
  bench.request(out(60));
  bench.advance(Duration::microseconds(58));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF) << "the MAC does not know";
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::link_down), 1u);
  EXPECT_EQ(bench.chip.counters().tx_frames, 0u);
}

TEST_F(Enc28j60Transmit, GoesNowhereWithTheTransmitterDisabled) {
  bench.write_phy(Phy::PHCON2, enc28j60::PHCON2::TXDIS);
  bench.request(out(60));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF);
  EXPECT_TRUE(bench.sent.empty());
}

// --- half duplex

class Enc28j60HalfDuplex : public Enc28j60Transmit {
 protected:
  Enc28j60HalfDuplex() {
    bench.clear(Reg::ECON1, ECON1::RXEN);
    bench.write(Reg::MACON3, 0x32);
    bench.write(Reg::MABBIPG, 0x12);
    bench.write_phy(Phy::PHCON1, 0);
    bench.set(Reg::ECON1, ECON1::RXEN);
  }
};

TEST_F(Enc28j60HalfDuplex, WaitsForAFrameThatComesIn) {
  bench.wire.from_network(bench.frame(1514));
  const Instant in_end = bench.now() + Duration::nanoseconds(1'220'800);
  bench.request(out(60));
  EXPECT_LT(bench.now(), in_end);
  bench.advance(Duration::milliseconds(3));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, in_end + Duration::nanoseconds(9'600 + 57'600));
  EXPECT_EQ(bench.status_vector() & bits({TSV::PacketDefer}), bits({TSV::PacketDefer}));
}

TEST_F(Enc28j60HalfDuplex, HearsItselfUnlessHdldis) {
  const Octets octets = Enc28j60Bench::octets(100, Enc28j60Bench::broadcast);
  send(octets);
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
  bench.write_phy(Phy::PHCON2, 0);
  send(octets);
  ASSERT_EQ(bench.read(Reg::EPKTCNT), 1);
  EXPECT_EQ(bench.take().octets, Enc28j60Bench::with_fcs(EthernetFrame::with_fcs(octets)));
  send(out(60));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0) << "the filters apply";
  bench.clear(Reg::ECON1, ECON1::RXEN);
  send(octets);
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
}

TEST_F(Enc28j60HalfDuplex, DuplexBitsThatDifferAreReported) {
  bench.write_phy(Phy::PHCON1, enc28j60::PHCON1::PDPXMD);
  bench.request(out(60));
  EXPECT_TRUE(bench.reported("enc28j60-duplex-mismatch"));
}

// 9.1: both ends have waited for the first frame; the chip tries again by itself and says how often it collided.
TEST_F(Enc28j60HalfDuplex, RetriesAfterACollision) {
  bench.wire.from_network(bench.frame(1514));
  bench.wire.from_network(bench.frame(60));
  bench.request(out(60));
  bench.advance(Duration::milliseconds(10));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.chip.counters().rx_frames, 2u);
  const std::uint64_t status = bench.status_vector();
  const std::uint64_t collisions = status >> TSV::CollisionCount & 0xF;
  EXPECT_GE(collisions, 1u);
  EXPECT_EQ(status >> TSV::TotalBytesOnWire & 0xFFFF, 64 + 4 * collisions) << "with the jam of each";
  EXPECT_EQ(status & bits({TSV::Done, TSV::PacketDefer}), bits({TSV::Done, TSV::PacketDefer}));
  EXPECT_EQ(bench.read(Reg::EIR) & (EIR::TXIF | EIR::TXERIF), EIR::TXIF);
}

TEST_F(Enc28j60HalfDuplex, AbortsAfterMaclcon1Collisions) {
  bench.write(Reg::MACLCON1, 0);
  bench.wire.from_network(bench.frame(1514));
  bench.wire.from_network(bench.frame(60));
  bench.request(out(60));
  bench.advance(Duration::milliseconds(10));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.read(Reg::EIR) & (EIR::TXIF | EIR::TXERIF), EIR::TXIF | EIR::TXERIF);
  EXPECT_EQ(bench.read(Reg::ESTAT) & ESTAT::TXABRT, ESTAT::TXABRT);
  EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, 0);
  EXPECT_EQ(bench.status_vector() & bits({TSV::Done, TSV::ExcessiveCollision}), bits({TSV::ExcessiveCollision}));
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::transmit_aborted), 1u);
  bench.clear(Reg::ESTAT, ESTAT::TXABRT);
  EXPECT_EQ(bench.read(Reg::ESTAT) & ESTAT::TXABRT, 0);
}

// Register 6-3: without DEFER it gives up when the medium has been busy for 2.4287 ms.
TEST_F(Enc28j60HalfDuplex, AbortsAfterExcessiveDeferral) {
  bench.write(Reg::MACON4, 0);
  bench.write(Reg::MAIPGL, 0x20);  // longer than the others' gap: never its turn
  for (int n = 0; n < 5; ++n) bench.wire.from_network(bench.frame(1514));
  bench.request(out(60));
  const Instant requested = bench.now();
  bench.advance(deferral_limit - Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Reg::EIR) & EIR::TXERIF, 0);
  bench.advance(Duration::picoseconds(1));
  EXPECT_EQ(bench.chip.peek(Reg::EIR) & EIR::TXERIF, EIR::TXERIF);
  EXPECT_EQ(bench.now() - requested, deferral_limit);
  EXPECT_EQ(bench.status_vector() & bits({TSV::ExcessiveDefer, TSV::PacketDefer}),
            bits({TSV::ExcessiveDefer, TSV::PacketDefer}));
}

// Erratum 12: the next frame never goes out unless the transmitter is reset first.
TEST_F(Enc28j60HalfDuplex, AnAbortStallsTheTransmitterUntilTxrst) {
  bench.write(Reg::MACLCON1, 0);
  bench.wire.from_network(bench.frame(1514));
  bench.wire.from_network(bench.frame(60));
  bench.request(out(60));
  bench.advance(Duration::milliseconds(10));
  bench.clear(Reg::EIR, EIR::TXIF | EIR::TXERIF);

  bench.request(out(60));
  EXPECT_TRUE(bench.reported("enc28j60-transmitter-stalled"));
  bench.advance(Duration::milliseconds(100));
  EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, ECON1::TXRTS);
  EXPECT_TRUE(bench.sent.empty());

  bench.set(Reg::ECON1, ECON1::TXRST);
  bench.clear(Reg::EIR, EIR::TXIF | EIR::TXERIF);
  bench.clear(Reg::ECON1, ECON1::TXRST);
  EXPECT_EQ(bench.read(Reg::EIR) & EIR::TXERIF, EIR::TXERIF) << "so flags are to be cleared after it";
  bench.clear(Reg::EIR, EIR::TXIF | EIR::TXERIF);
  EXPECT_EQ(send(out(60)), EthernetFrame::with_fcs(out(60)));
}

TEST_F(Enc28j60HalfDuplex, AGiantStallsNothing) {
  bench.request(out(2000));
  bench.advance(Duration::milliseconds(3));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF | EIR::TXERIF);
  EXPECT_EQ(send(out(60)), EthernetFrame::with_fcs(out(60)));
}

TEST_F(Enc28j60HalfDuplex, AResetEndsAStall) {
  bench.write(Reg::MACLCON1, 0);
  bench.wire.from_network(bench.frame(1514));
  bench.wire.from_network(bench.frame(60));
  bench.request(out(60));
  bench.advance(Duration::milliseconds(10));
  EXPECT_EQ(bench.read(Reg::EIR) & EIR::TXERIF, EIR::TXERIF);
  bench.spi({0xFF});
  bench.start(0x19FF, false);
  EXPECT_EQ(send(out(60)), EthernetFrame::with_fcs(out(60)));
}

TEST(Enc28j60Errata, AnAbortStallsNothingWithout12) {
  Enc28j60Bench bench{{.errata = {.transmit_abort_stalls = false, .link_pulse_collision_every = 2}}};
  bench.start(0x19FF, false);
  const Octets octets = Enc28j60Bench::octets(200, Enc28j60Bench::peer);
  for (int n = 0; n < 2; ++n) {
    bench.request(octets);
    bench.advance(Duration::milliseconds(1));
  }
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF | EIR::TXERIF);
  EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, 0);
  bench.request(octets);
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.sent.back().frame, EthernetFrame::with_fcs(octets));
}

// 10.1
TEST_F(Enc28j60HalfDuplex, BackpressureSilencesTheOtherEnd) {
  bench.write(Reg::EFLOCON, 1);
  bench.wire.from_network(bench.frame(60));
  bench.advance(Duration::milliseconds(5));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
  send(out(60));
  EXPECT_EQ(bench.status_vector() & bits({TSV::BackpressureApplied}), bits({TSV::BackpressureApplied}));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
  bench.write(Reg::EFLOCON, 0);
  bench.advance(Duration::nanoseconds(57'600));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 1);

  bench.chip.set_link(false);
  bench.write(Reg::EFLOCON, 1);
  bench.wire.from_network(bench.frame(60));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::link_down), 1u) << "nothing to jam without a link";
}

// Errata 13 and 15, as drivers meet them: TXERIF without TXIF, TXRTS left set, LATECOL clear, bit 29 of the vector set;
// the remedy is TXRST and another try.
TEST(Enc28j60Errata, LinkPulsesAreTakenForLateCollisions) {
  for (const bool latecol_unreliable : {true, false}) {
    Enc28j60Bench bench{{.errata = {.link_pulse_collision_every = 2, .latecol_unreliable = latecol_unreliable}}};
    bench.start(0x19FF, false);
    const Octets octets = Enc28j60Bench::octets(200, Enc28j60Bench::peer);
    bench.request(octets);
    bench.advance(Duration::milliseconds(1));
    EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF);
    bench.clear(Reg::EIR, EIR::TXIF);

    bench.request(octets);
    bench.advance(Duration::milliseconds(1));
    EXPECT_EQ(bench.read(Reg::EIR), EIR::TXERIF);
    EXPECT_EQ(bench.read(Reg::ECON1) & ECON1::TXRTS, ECON1::TXRTS);
    EXPECT_EQ(bench.read(Reg::ESTAT) & ESTAT::LATECOL, latecol_unreliable ? 0 : ESTAT::LATECOL);
    EXPECT_EQ(bench.status_vector() >> TSV::LateCollision & 1, 1u);
    ASSERT_EQ(bench.sent.size(), 2u);
    EXPECT_FALSE(bench.sent[1].frame.fcs_ok()) << "what was out by then";
    EXPECT_EQ(bench.chip.counters().tx_frames, 1u);

    bench.clear(Reg::ECON1, ECON1::TXRTS);
    bench.set(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::EIR, EIR::TXIF | EIR::TXERIF);
    bench.set(Reg::ECON1, ECON1::TXRTS);
    bench.advance(Duration::milliseconds(1));
    EXPECT_EQ(bench.sent.back().frame, EthernetFrame::with_fcs(octets));
  }
}

// The window is MACLCON2 octets; what is out when a collision behind it strikes is one octet more.
TEST(Enc28j60Errata, ACollisionIsLateBehindTheWindow) {
  Enc28j60Bench bench{{.errata = {.link_pulse_collision_every = 1}}};
  bench.start(0x19FF, false);
  bench.write(Reg::MACLCON2, 0x3F);
  bench.request(Enc28j60Bench::octets(60, Enc28j60Bench::peer));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXIF) << "64 octets leave no time for one";
  bench.clear(Reg::EIR, EIR::TXIF);
  bench.request(Enc28j60Bench::octets(61, Enc28j60Bench::peer));
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(Reg::EIR), EIR::TXERIF);
  EXPECT_EQ(bench.sent.back().frame.wire_size(), 64u);
}

// --- flow control in full duplex, 10.2

class Enc28j60FlowControl : public Enc28j60Transmit {
 protected:
  Enc28j60FlowControl() {
    bench.write(Reg::MACON1, enc28j60::MACON1::MARXEN | enc28j60::MACON1::RXPAUS | enc28j60::MACON1::TXPAUS);
  }
  static EthernetFrame pause(unsigned quanta, const MacAddress& to = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}) {
    Octets octets = Enc28j60Bench::octets(60, to, 0, 0x8808);
    octets[14] = 0;
    octets[15] = 1;
    octets[16] = static_cast<std::uint8_t>(quanta >> 8);
    octets[17] = static_cast<std::uint8_t>(quanta);
    return EthernetFrame::with_fcs(octets);
  }
};

TEST_F(Enc28j60FlowControl, APauseFrameHoldsBackWhatIsRequestedNext) {
  bench.wire.from_network(pause(100));
  bench.advance(Duration::nanoseconds(57'600));
  const Instant over = bench.now() + slot_time * 100;
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0) << "the host does not see it";
  bench.request(out(60));
  ASSERT_LT(bench.now(), over);
  bench.advance(Duration::milliseconds(8));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, over + Duration::nanoseconds(57'600));
}

TEST_F(Enc28j60FlowControl, APauseOfZeroEndsIt) {
  bench.arrive(pause(0xFFFF));
  bench.request(out(60));
  bench.advance(Duration::milliseconds(8));
  EXPECT_TRUE(bench.sent.empty());
  bench.wire.from_network(pause(0, Enc28j60Bench::mac));
  const Instant arrived = bench.now() + Duration::nanoseconds(57'600);
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, arrived + Duration::nanoseconds(57'600));
}

TEST_F(Enc28j60FlowControl, IsNotObeyedWithoutRxpausNorForOthersNorWhenDamaged) {
  EthernetFrame damaged = pause(100);
  damaged.octets[20] ^= 1;
  bench.arrive(damaged);
  bench.arrive(pause(100, Enc28j60Bench::peer));
  bench.write(Reg::MACON1, enc28j60::MACON1::MARXEN);
  bench.arrive(pause(100));
  bench.request(out(60));
  bench.advance(Duration::nanoseconds(57'600));
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST_F(Enc28j60FlowControl, SendsPauseFramesOnceAgainAndAgainAndToEndIt) {
  bench.write_pair(Reg::EPAUSL, 0x0020);
  bench.write(Reg::EFLOCON, 1);
  EXPECT_EQ(bench.read(Reg::EFLOCON), 0x04) << "once, then off";
  bench.advance(Duration::milliseconds(20));
  ASSERT_EQ(bench.sent.size(), 1u);
  Octets expected{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
  expected.insert(expected.end(), Enc28j60Bench::mac.begin(), Enc28j60Bench::mac.end());
  expected.insert(expected.end(), {0x88, 0x08, 0x00, 0x01, 0x00, 0x20});
  expected.resize(60);
  EXPECT_EQ(bench.sent[0].frame, EthernetFrame::with_fcs(expected));

  bench.sent.clear();
  bench.write(Reg::EFLOCON, 2);
  bench.advance(Duration::milliseconds(5));
  ASSERT_GE(bench.sent.size(), 3u);
  EXPECT_LT(bench.sent[1].end - bench.sent[0].end, slot_time * 0x20) << "before the last has run out";

  bench.write(Reg::EFLOCON, 0);
  const std::size_t before = bench.sent.size();
  bench.advance(Duration::milliseconds(5));
  EXPECT_EQ(bench.sent.size(), before);

  bench.write(Reg::EFLOCON, 3);
  EXPECT_EQ(bench.read(Reg::EFLOCON), 0x04);
  bench.advance(Duration::milliseconds(5));
  const std::size_t count = bench.sent.size();
  EXPECT_EQ(bench.sent.back().frame.octets[16] | bench.sent.back().frame.octets[17], 0);
  bench.advance(Duration::milliseconds(20));
  EXPECT_EQ(bench.sent.size(), count);

  bench.chip.set_link(false);
  bench.write(Reg::EFLOCON, 1);
  bench.chip.set_link(true);
  bench.advance(Duration::milliseconds(50));
  EXPECT_EQ(bench.sent.size(), count);
  bench.write(Reg::MACON1, enc28j60::MACON1::MARXEN);
  bench.write(Reg::EFLOCON, 1);
  bench.advance(Duration::milliseconds(5));
  EXPECT_EQ(bench.sent.size(), count) << "TXPAUS allows it";
}

TEST_F(Enc28j60FlowControl, APauseOfNoTimeIsNotRepeated) {
  bench.write_pair(Reg::EPAUSL, 0);
  bench.write(Reg::EFLOCON, 2);
  bench.advance(Duration::milliseconds(5));
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST_F(Enc28j60FlowControl, WaitsForDmaAndPause) {
  bench.arrive(pause(1));
  bench.write_pair(Reg::EDMANDL, 0x0FFF);
  bench.write_pair(Reg::EDMADSTL, 0x0800);
  bench.set(Reg::ECON1, ECON1::DMAST);
  const Instant dma_end = bench.now() + Duration::nanoseconds(80) * 0x1000;
  bench.request(out(60));
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, dma_end + Duration::nanoseconds(57'600));
}

TEST(Enc28j60Transmissions, AreAnnouncedWhenTheyAreRequested) {
  Enc28j60Bench bench;
  bench.start();
  std::vector<Instant> requested;
  bench.chip.on_event([&](const NicEvent& event) {
    if (event.kind == NicEvent::Kind::transmit_requested) requested.push_back(bench.now());
  });
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  const Instant first = bench.now();
  bench.set(Reg::ECON1, enc28j60::ECON1::TXRTS);  // too early: no request
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(requested, std::vector{first});
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST(Enc28j60Transmissions, TxrstThatHitsAFrameSetsTxerifOnlyWithErratum12) {
  for (const bool on : {true, false}) {
    Enc28j60Bench bench{{.errata = {.transmit_abort_stalls = on}}};
    bench.start();
    bench.request(bench.octets(1000, Enc28j60Bench::peer));
    bench.set(Reg::ECON1, enc28j60::ECON1::TXRST);
    bench.clear(Reg::EIR, enc28j60::EIR::TXERIF);
    bench.clear(Reg::ECON1, enc28j60::ECON1::TXRST);
    EXPECT_EQ((bench.read(Reg::EIR) & enc28j60::EIR::TXERIF) != 0, on);
  }
}

TEST(Enc28j60Transmissions, AFrameInsideTheCollisionWindowCannotCollideLate) {
  Enc28j60Bench bench{{.errata = {.link_pulse_collision_every = 1}}};
  bench.start(0x19FF, false);
  bench.write(Reg::MACLCON2, 0x3F);
  bench.request(bench.octets(60, Enc28j60Bench::peer));  // 64 octets with FCS
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_TRUE(bench.sent[0].frame.fcs_ok());
  bench.request(bench.octets(61, Enc28j60Bench::peer));
  bench.advance(Duration::milliseconds(1));
  EXPECT_NE(bench.status_vector() >> enc28j60::TSV::LateCollision & 1, 0u);
}

TEST(Enc28j60Transmissions, APauseFrameDoesNotStopTheFrameUnderWay) {
  Enc28j60Bench bench;
  bench.start();
  bench.write(Reg::MACON1, 0x05);
  Octets pause{0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
  pause.insert(pause.end(), Enc28j60Bench::peer.begin(), Enc28j60Bench::peer.end());
  for (const int octet : {0x88, 0x08, 0x00, 0x01, 0x00, 0x00}) pause.push_back(static_cast<std::uint8_t>(octet));
  bench.request(bench.octets(1514, Enc28j60Bench::peer));
  bench.arrive(EthernetFrame::padded(pause));
  bench.advance(Duration::milliseconds(5));
  EXPECT_EQ(bench.sent.size(), 1u);
}

TEST(Enc28j60Transmissions, LinkPulsesCollideInHalfDuplexOnly) {
  Enc28j60Bench bench{{.errata = {.link_pulse_collision_every = 1}}};
  bench.start();
  bench.request(bench.octets(1000, Enc28j60Bench::peer));
  bench.advance(Duration::milliseconds(2));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_TRUE(bench.sent[0].frame.fcs_ok());
}

TEST(Enc28j60Transmissions, NoPauseFrameGoesOutWithoutCableOrLink) {
  for (const bool cable : {true, false}) {
    Enc28j60Bench bench;
    bench.start();
    bench.write(Reg::MACON1, 0x0D);
    bench.chip.set_link(cable);
    if (cable) bench.write_phy(Phy::PHCON1, enc28j60::PHCON1::PPWRSV | enc28j60::PHCON1::PDPXMD);
    bench.write(Reg::EFLOCON, 1);
    bench.advance(Duration::milliseconds(1));
    EXPECT_TRUE(bench.sent.empty());
  }
}

}  // namespace
}  // namespace avrlan
