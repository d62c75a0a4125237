// DMA and self-test, DS39662E 13.0 and 15.0.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Reg;
namespace ECON1 = enc28j60::ECON1;
namespace EIR = enc28j60::EIR;

class Enc28j60Dma : public testing::Test {
 protected:
  Enc28j60Dma() { bench.start(); }

  void range(unsigned first, unsigned last, unsigned destination = 0x1000) {
    bench.write_pair(Reg::EDMASTL, first);
    bench.write_pair(Reg::EDMANDL, last);
    bench.write_pair(Reg::EDMADSTL, destination);
  }
  bool running() const { return (bench.chip.peek(Reg::ECON1) & ECON1::DMAST) != 0; }
  Duration run(unsigned mode) {
    bench.set(Reg::ECON1, ECON1::DMAST | mode);
    const Instant start = bench.now();
    while (running() && bench.now() - start < Duration::milliseconds(5)) bench.advance(Duration::nanoseconds(40));
    const Duration taken = bench.now() - start;
    bench.clear(Reg::ECON1, ECON1::CSUMEN);
    return taken;
  }
  std::uint16_t checksum(unsigned first, unsigned last) {
    range(first, last);
    run(ECON1::CSUMEN);
    return bench.read_pair(Reg::EDMACSL);
  }

  Enc28j60Bench bench;
};

// 13.2: {89h, ABh, CDh} is summed as 89ABh + CD00h.
TEST_F(Enc28j60Dma, ChecksumOfTheDatasheetsExample) {
  bench.write_buffer(0x1A00, {0x89, 0xAB, 0xCD});
  EXPECT_EQ(checksum(0x1A00, 0x1A02), 0xA953);
  EXPECT_EQ(bench.read(Reg::EIR), EIR::DMAIF);
  EXPECT_EQ(bench.read_pair(Reg::EDMASTL), 0x1A00) << "the pointers stay";
}

TEST_F(Enc28j60Dma, ChecksumCarriesRoundAsRfc1071) {
  bench.write_buffer(0x1A00, {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7});  // the RFC's example: sum DDF2h
  EXPECT_EQ(checksum(0x1A00, 0x1A07), 0xFFFF - 0xDDF2);
  bench.write_buffer(0x1A00, Octets(1500, 0xFF));
  EXPECT_EQ(checksum(0x1A00, 0x1A00 + 1499), 0x0000);
}

TEST_F(Enc28j60Dma, CopyTakesTwoClocksAnOctetAndChecksumOne) {
  range(0x1A00, 0x1A00 + 999);
  EXPECT_EQ(run(0), Duration::nanoseconds(80'000));
  EXPECT_EQ(run(ECON1::CSUMEN), Duration::nanoseconds(40'000));
}

TEST_F(Enc28j60Dma, CopiesLikeAReaderOfTheReceiveBuffer) {
  bench.write_buffer(0x19FE, {1, 2});
  bench.write_buffer(0x0000, {3, 4});
  range(0x19FE, 0x0001, 0x1C00);
  run(0);
  EXPECT_EQ(bench.read_buffer(0x1C00, 4), (Octets{1, 2, 3, 4}));
}

TEST_F(Enc28j60Dma, DestinationIsLinearAndWrapsAtTheEndOfMemory) {
  bench.write_buffer(0x1A00, {1, 2, 3, 4});
  range(0x1A00, 0x1A03, 0x19FE);
  run(0);
  EXPECT_EQ(bench.chip.buffer()[0x19FF], 2);
  EXPECT_EQ(bench.chip.buffer()[0x1A00], 3) << "ERXND does not matter";
  bench.write_buffer(0x1B00, {5, 6, 7, 8});
  range(0x1B00, 0x1B03, 0x1FFE);
  run(0);
  EXPECT_EQ(bench.chip.buffer()[0x1FFF], 6);
  EXPECT_EQ(bench.chip.buffer()[0x0000], 7);
}

// 12.1.6
TEST_F(Enc28j60Dma, ClearingDmastCancels) {
  range(0x1A00, 0x1B00);
  bench.set(Reg::ECON1, ECON1::DMAST);
  bench.clear(Reg::ECON1, ECON1::DMAST);
  EXPECT_EQ(bench.read(Reg::EIR), EIR::DMAIF);
  bench.clear(Reg::EIR, EIR::DMAIF);
  bench.advance(Duration::milliseconds(1));
  EXPECT_EQ(bench.read(Reg::EIR), 0);
}

// 13.0, notes 1 and 2.
TEST_F(Enc28j60Dma, OneOctetNeverEndsAndOverwritesAllMemory) {
  bench.write_buffer(0x1A00, {0x5A});
  range(0x1A00, 0x1A00, 0x1A01);
  EXPECT_GE(run(0), Duration::milliseconds(5));
  EXPECT_TRUE(running());
  EXPECT_TRUE(bench.reported("enc28j60-dma-never-ends"));
  EXPECT_EQ(bench.chip.buffer()[0x1FFF], 0x5A);
  EXPECT_EQ(bench.chip.buffer()[0x0400], 0x5A);
  bench.clear(Reg::ECON1, ECON1::DMAST);
  EXPECT_FALSE(running());
}

TEST_F(Enc28j60Dma, AChecksumOfOneOctetNeverEndsEither) {
  const std::uint16_t before = checksum(0x1A00, 0x1A0F);
  const Octets memory(bench.chip.buffer().begin(), bench.chip.buffer().end());
  range(0x1A00, 0x1A00);
  EXPECT_GE(run(ECON1::CSUMEN), Duration::milliseconds(5));
  EXPECT_EQ(bench.read_pair(Reg::EDMACSL), before);
  EXPECT_TRUE(std::ranges::equal(bench.chip.buffer(), memory));
}

TEST_F(Enc28j60Dma, AnEndThatTheWrapJumpsOverIsNeverReached) {
  range(0x1000, 0x1B00);
  EXPECT_GE(run(0), Duration::milliseconds(5));
  EXPECT_TRUE(bench.reported("enc28j60-dma-never-ends"));
}

// 7.1 and 13.1: whichever was there first is finished first.
TEST_F(Enc28j60Dma, TakesTurnsWithTheTransmitter) {
  range(0x0000, 0x0FFF, 0x0800);
  bench.set(Reg::ECON1, ECON1::DMAST);
  const Instant dma_end = bench.now() + Duration::nanoseconds(80) * 0x1000;
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  ASSERT_LT(bench.now(), dma_end);
  bench.advance(Duration::milliseconds(1));
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].end, dma_end + Duration::nanoseconds(57'600));

  bench.clear(Reg::EIR, EIR::DMAIF);
  bench.sent.clear();
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  const Instant transmit_end = bench.now() + Duration::nanoseconds(57'600);
  bench.set(Reg::ECON1, ECON1::DMAST);
  bench.scheduler.run_until(transmit_end + Duration::nanoseconds(80) * 0x1000 - Duration::picoseconds(1));
  EXPECT_TRUE(running());
  EXPECT_EQ(bench.sent.size(), 1u);
  bench.advance(Duration::picoseconds(1));
  EXPECT_FALSE(running());
}

TEST_F(Enc28j60Dma, CancellingTheOneLetsTheOtherGo) {
  range(0x0000, 0x0FFF, 0x0800);
  bench.set(Reg::ECON1, ECON1::DMAST);
  bench.request(bench.octets(60, Enc28j60Bench::peer));
  bench.clear(Reg::ECON1, ECON1::DMAST);
  bench.advance(Duration::nanoseconds(57'600));
  EXPECT_EQ(bench.sent.size(), 1u);

  bench.clear(Reg::EIR, EIR::DMAIF);
  bench.request(bench.octets(1514, Enc28j60Bench::peer));
  bench.set(Reg::ECON1, ECON1::DMAST);
  bench.clear(Reg::ECON1, ECON1::TXRTS);
  bench.advance(Duration::nanoseconds(80) * 0x1000);
  EXPECT_FALSE(running());
}

// Erratum 17, either way round.
TEST_F(Enc28j60Dma, AChecksumLosesTheFrameThatComesIn) {
  range(0x1A00, 0x1A03);
  bench.wire.from_network(bench.frame(1514));
  run(ECON1::CSUMEN);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
  EXPECT_EQ(bench.read(Reg::EIR), EIR::RXERIF | EIR::DMAIF);
  EXPECT_EQ(bench.read(Reg::ESTAT) & enc28j60::ESTAT::BUFER, enc28j60::ESTAT::BUFER);
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::receive_aborted), 1u);
  EXPECT_EQ(bench.chip.counters().drops.total(), 1u);
  EXPECT_TRUE(bench.reported("enc28j60-checksum-while-receiving"));

  range(0x0000, 0x0FFF);
  bench.set(Reg::ECON1, ECON1::DMAST | ECON1::CSUMEN);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
  bench.advance(Duration::milliseconds(1));
  bench.clear(Reg::ECON1, ECON1::CSUMEN);

  bench.wire.from_network(bench.frame(1514));
  run(0);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 1) << "a copy does no harm";
}

// --- 15.0

class Enc28j60SelfTest : public Enc28j60Dma {
 protected:
  Duration fill(unsigned mode) {
    bench.write_pair(Reg::ERXSTL, 0x05FA);
    bench.write_pair(Reg::ERXNDL, 0x1FFF);
    bench.write(Reg::EBSTCON, mode | enc28j60::EBSTCON::TME | enc28j60::EBSTCON::BISTST);
    const Instant start = bench.now();
    while ((bench.chip.peek(Reg::EBSTCON) & enc28j60::EBSTCON::BISTST) != 0) bench.advance(Duration::nanoseconds(40));
    return bench.now() - start;
  }
};

// 15.3: the checksum is always F807h.
TEST_F(Enc28j60SelfTest, AddressFillGivesTheDatasheetsChecksum) {
  EXPECT_EQ(fill(0x04), Duration::nanoseconds(40) * 8192);
  EXPECT_EQ(bench.read_pair(Reg::EBSTCSL), 0xF807);
  EXPECT_EQ(checksum(0x0000, 0x1FFF), 0xF807);
  EXPECT_EQ(bench.chip.buffer()[0x0E2A], 0x2A);
}

TEST_F(Enc28j60SelfTest, PatternShiftFillRotatesTheSeed) {
  bench.write(Reg::EBSTSD, 0b0110'0001);
  fill(3 << 5 | 0x08);
  EXPECT_EQ(bench.chip.buffer()[0], 0b0110'0001);
  EXPECT_EQ(bench.chip.buffer()[1], 0b0000'1011);
  EXPECT_EQ(bench.chip.buffer()[2], 0b0101'1000);
  EXPECT_EQ(checksum(0x0000, 0x1FFF), bench.read_pair(Reg::EBSTCSL));
}

TEST_F(Enc28j60SelfTest, RandomFillDependsOnTheSeedAlone) {
  bench.write(Reg::EBSTSD, 0xAA);
  fill(0x00);
  const std::uint16_t first = bench.read_pair(Reg::EBSTCSL);
  EXPECT_EQ(checksum(0x0000, 0x1FFF), first);
  bench.write(Reg::EBSTSD, 0x01);
  fill(0x00);
  EXPECT_NE(bench.chip.buffer()[0], 0xAA);
  bench.write(Reg::EBSTSD, 0xAA);
  fill(0x00);
  EXPECT_EQ(bench.read_pair(Reg::EBSTCSL), first);
}

TEST(Enc28j60DmaTurns, GoesOnWhenATransmissionThatWaitsForItIsCancelled) {
  Enc28j60Bench bench;
  bench.start();
  bench.write_buffer(0x1A00, Octets(0x400, 0x5A));
  bench.write_pair(enc28j60::Reg::EDMASTL, 0x1A00);
  bench.write_pair(enc28j60::Reg::EDMANDL, 0x1DFF);
  bench.write_pair(enc28j60::Reg::EDMADSTL, 0x1000);
  bench.set(enc28j60::Reg::ECON1, enc28j60::ECON1::DMAST);
  const Instant started = bench.now();
  bench.set(enc28j60::Reg::ECON1, enc28j60::ECON1::TXRTS);
  bench.clear(enc28j60::Reg::ECON1, enc28j60::ECON1::TXRTS);
  bench.scheduler.run_until(started + Duration::nanoseconds(80 * 0x400 - 1));
  EXPECT_NE(bench.chip.peek(enc28j60::Reg::ECON1) & enc28j60::ECON1::DMAST, 0);
  bench.scheduler.run_until(started + Duration::nanoseconds(80 * 0x400));
  EXPECT_EQ(bench.chip.peek(enc28j60::Reg::ECON1) & enc28j60::ECON1::DMAST, 0);
  EXPECT_EQ(bench.chip.buffer()[0x13FF], 0x5A);
  EXPECT_TRUE(bench.sent.empty());
}

TEST(Enc28j60DmaTurns, ACopyHarmsNoReception) {
  Enc28j60Bench bench;
  bench.start();
  bench.write_pair(enc28j60::Reg::EDMASTL, 0x0800);
  bench.write_pair(enc28j60::Reg::EDMANDL, 0x19FF);
  bench.write_pair(enc28j60::Reg::EDMADSTL, 0x1A00);
  bench.set(enc28j60::Reg::ECON1, enc28j60::ECON1::DMAST);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read(enc28j60::Reg::EPKTCNT), 1);
  EXPECT_FALSE(bench.reported("enc28j60-checksum-while-receiving"));
}

}  // namespace
}  // namespace avrlan
