// Resets, clocks and power save, DS39662E 2.2, 2.3, 11.0 and 14.0.

#include <gtest/gtest.h>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {
namespace {

using enc28j60::Phy;
using enc28j60::Reg;
namespace ECON2 = enc28j60::ECON2;
namespace ESTAT = enc28j60::ESTAT;

bool clock_ready(const Enc28j60Bench& bench) {
  return (bench.chip.peek(Reg::ESTAT) & ESTAT::CLKRDY) != 0;
}

// 2.2: 7500 periods of 25 MHz.
TEST(Enc28j60PowerOn, ClockIsReadyAfter300Microseconds) {
  Enc28j60Bench bench;
  bench.advance(Duration::microseconds(300) - Duration::picoseconds(1));
  EXPECT_FALSE(clock_ready(bench));
  bench.advance(Duration::picoseconds(1));
  EXPECT_TRUE(clock_ready(bench));
}

TEST(Enc28j60PowerOn, UntilThenOnlyEthRegistersAndMemoryAnswer) {
  Enc28j60Bench bench;
  bench.write_pair(Reg::ERDPTL, 0x0123);
  EXPECT_EQ(bench.read_pair(Reg::ERDPTL), 0x0123);
  bench.write_buffer(0x0010, {1, 2});
  EXPECT_EQ(bench.read_buffer(0x0010, 2), (Octets{1, 2}));
  EXPECT_FALSE(bench.reported("enc28j60-clock-not-ready"));

  bench.write(Reg::MACON3, 0x32);
  EXPECT_TRUE(bench.reported("enc28j60-clock-not-ready"));
  EXPECT_EQ(bench.read(Reg::MAMXFLH), 0);
  ASSERT_LT(bench.now(), Instant::at(Duration::microseconds(300)));
  bench.advance(Duration::microseconds(300));
  EXPECT_EQ(bench.read(Reg::MACON3), 0) << "the write was lost";
  EXPECT_EQ(bench.read(Reg::MAMXFLH), 6);
}

// 11.2 and notes 1 and 3 of table 3-2: a system reset leaves CLKRDY and ECOCON alone.
TEST(Enc28j60SystemReset, LeavesTheClockAlone) {
  Enc28j60Bench bench;
  bench.start();
  bench.write(Reg::ECOCON, 2);
  bench.arrive(bench.frame(60));
  bench.spi({0xFF});
  EXPECT_TRUE(clock_ready(bench));
  EXPECT_EQ(bench.chip.peek(Reg::ECOCON), 2);
  EXPECT_EQ(bench.chip.peek(Reg::EPKTCNT), 0);
  EXPECT_EQ(bench.chip.peek(Reg::ERXNDH), 0x1F);
  EXPECT_EQ(bench.chip.peek(Phy::PHCON2), 0);
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & enc28j60::PHSTAT2::LSTAT, 0) << "the link has to come up again";
  bench.advance(Duration::milliseconds(32));
  EXPECT_NE(bench.chip.peek(Phy::PHSTAT2) & enc28j60::PHSTAT2::LSTAT, 0);
}

TEST(Enc28j60SystemReset, AbortsWhatIsOnTheWire) {
  Enc28j60Bench bench;
  bench.start();
  bench.request(bench.octets(1514, Enc28j60Bench::peer));
  bench.wire.from_network(bench.frame(1514));
  bench.write(Reg::MICMD, 1);
  bench.spi({0xFF});
  bench.advance(Duration::milliseconds(3));
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::transmit_aborted), 1u);
  EXPECT_EQ(bench.chip.counters().rx_frames, 0u);
  EXPECT_EQ(bench.chip.peek(Reg::EIR), 0);
  EXPECT_EQ(bench.chip.peek(Reg::MIRDL), 0);
}

// Erratum 2: CLKRDY does not tell; a driver has to wait a millisecond.
TEST(Enc28j60SystemReset, UsingTheMacTooSoonIsReported) {
  Enc28j60Bench bench;
  bench.start();
  bench.spi({0xFF});
  bench.advance(Duration::microseconds(500));
  bench.write(Reg::MACON3, 0x32);
  EXPECT_TRUE(bench.reported("enc28j60-too-soon-after-reset"));
  bench.diagnostics.clear();
  bench.advance(Duration::microseconds(500));
  bench.write(Reg::MACON3, 0x32);
  EXPECT_TRUE(bench.diagnostics.empty());
}

TEST(Enc28j60ResetPin, HoldsTheChipAndResetsIt) {
  Enc28j60Bench bench;
  bench.start();
  bench.write(Reg::EIE, 0x40);
  bench.chip.reset_pin(true);
  EXPECT_EQ(bench.spi({0x1B, 0}), (Octets{0xFF, 0xFF}));
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::power_down), 1u);
  bench.chip.reset_pin(false);
  bench.chip.reset_pin(false);
  EXPECT_EQ(bench.spi({0x1B, 0})[1], 0x00);
  EXPECT_TRUE(clock_ready(bench));
}

class Enc28j60PowerSave : public testing::Test {
 protected:
  Enc28j60PowerSave() { bench.start(); }
  Enc28j60Bench bench;
};

// The sequence of 14.0, as EtherCard's powerDown() and powerUp() have it.
TEST_F(Enc28j60PowerSave, SleepsAndWakes) {
  bench.clear(Reg::ECON1, enc28j60::ECON1::RXEN);
  bench.set(Reg::ECON2, ECON2::VRPS);
  bench.set(Reg::ECON2, ECON2::PWRSV);
  EXPECT_FALSE(clock_ready(bench));
  bench.write_buffer(0x1A00, {1, 2, 3});
  EXPECT_EQ(bench.read_buffer(0x1A00, 3), (Octets{1, 2, 3})) << "memory and ETH registers stay within reach";
  EXPECT_TRUE(bench.diagnostics.empty());
  EXPECT_EQ(bench.read(Reg::MAADR1), 0);
  EXPECT_TRUE(bench.reported("enc28j60-clock-not-ready"));
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::power_down), 1u);

  bench.clear(Reg::ECON2, ECON2::PWRSV);
  const Instant woken = bench.now();
  bench.scheduler.run_until(woken + Duration::microseconds(300) - Duration::picoseconds(1));
  EXPECT_FALSE(clock_ready(bench));
  bench.advance(Duration::picoseconds(1));
  EXPECT_TRUE(clock_ready(bench));
  EXPECT_EQ(bench.read(Reg::MAADR1), Enc28j60Bench::mac[0]) << "its registers were kept";
  EXPECT_EQ(bench.chip.peek(Phy::PHSTAT2) & enc28j60::PHSTAT2::LSTAT, 0);
  bench.scheduler.run_until(woken + Duration::microseconds(300) + Duration::milliseconds(32));
  EXPECT_NE(bench.chip.peek(Phy::PHSTAT2) & enc28j60::PHSTAT2::LSTAT, 0);
  bench.set(Reg::ECON1, enc28j60::ECON1::RXEN);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 1);
}

TEST_F(Enc28j60PowerSave, WakingTwiceStartsTheClockOnce) {
  bench.set(Reg::ECON2, ECON2::PWRSV);
  bench.clear(Reg::ECON2, ECON2::PWRSV);
  bench.advance(Duration::microseconds(200));
  bench.set(Reg::ECON2, ECON2::PWRSV);
  bench.advance(Duration::microseconds(200));
  EXPECT_FALSE(clock_ready(bench));
  bench.clear(Reg::ECON2, ECON2::PWRSV);
  bench.advance(Duration::microseconds(299));
  EXPECT_FALSE(clock_ready(bench));
  bench.advance(Duration::microseconds(1));
  EXPECT_TRUE(clock_ready(bench));
}

TEST_F(Enc28j60PowerSave, LosesATransmissionThatWasNotWaitedFor) {
  bench.request(bench.octets(1514, Enc28j60Bench::peer));
  bench.set(Reg::ECON2, ECON2::PWRSV);
  EXPECT_TRUE(bench.reported("enc28j60-sleep-while-transmitting"));
  EXPECT_EQ(bench.read(Reg::ECON1) & enc28j60::ECON1::TXRTS, 0);
  bench.advance(Duration::milliseconds(3));
  EXPECT_TRUE(bench.sent.empty());
}

// Erratum 19.
TEST_F(Enc28j60PowerSave, TheResetCommandHasNoEffect) {
  bench.write(Reg::EIE, 0x40);
  bench.set(Reg::ECON2, ECON2::PWRSV);
  bench.spi({0xFF});
  EXPECT_EQ(bench.read(Reg::EIE), 0x40);
  EXPECT_TRUE(bench.reported("enc28j60-reset-asleep"));
  bench.clear(Reg::ECON2, ECON2::PWRSV);
  bench.advance(Duration::microseconds(300));
  bench.spi({0xFF});
  EXPECT_EQ(bench.read(Reg::EIE), 0x00);
}

// Register 2-1 and 2.3: low until the clock has started, then 6.25 MHz until told otherwise.
TEST(Enc28j60Clkout, FollowsTheOscillatorAndEcocon) {
  Enc28j60Bench bench;
  std::vector<std::int64_t> told;
  bench.chip.on_clkout([&](std::int64_t hz) { told.push_back(hz); });
  EXPECT_EQ(bench.chip.clkout_hz(), 0);
  bench.advance(Duration::microseconds(300));
  EXPECT_EQ(bench.chip.clkout_hz(), 6'250'000);
  for (const unsigned code : {1u, 2u, 3u, 5u, 0u, 6u, 4u}) bench.write(Reg::ECOCON, code);
  EXPECT_EQ(told, (std::vector<std::int64_t>{6'250'000, 25'000'000, 12'500'000, 8'333'333, 3'125'000, 0, 6'250'000}));

  told.clear();
  bench.spi({0xFF});
  bench.advance(Duration::milliseconds(1));
  EXPECT_TRUE(told.empty()) << "a reset does not alter it";
}

// --- errata that are switches: on as in silicon, off as the datasheet has it

TEST(Enc28j60Errata, ClkoutStopsInPowerSave) {
  for (const bool on : {true, false}) {
    Enc28j60Bench bench{{.errata = {.clkout_stops_in_power_save = on}}};
    bench.advance(Duration::milliseconds(1));
    bench.set(Reg::ECON2, ECON2::PWRSV);
    EXPECT_EQ(bench.chip.clkout_hz(), on ? 0 : 6'250'000);
    bench.clear(Reg::ECON2, ECON2::PWRSV);
    EXPECT_EQ(bench.chip.clkout_hz(), 6'250'000);
  }
}

TEST(Enc28j60Errata, ClkrdySurvivesAReset) {
  Enc28j60Bench bench{{.errata = {.clkrdy_survives_reset = false}}};
  bench.start();
  bench.spi({0xFF});
  EXPECT_FALSE(clock_ready(bench));
  bench.advance(Duration::milliseconds(1));
  EXPECT_TRUE(clock_ready(bench));
}

TEST(Enc28j60Errata, ResetIsIgnoredInPowerSave) {
  Enc28j60Bench bench{{.errata = {.reset_ignored_in_power_save = false}}};
  bench.start();
  bench.write(Reg::EIE, 0x40);
  bench.set(Reg::ECON2, ECON2::PWRSV);
  bench.spi({0xFF});
  EXPECT_EQ(bench.read(Reg::EIE), 0x00);
  EXPECT_EQ(bench.read(Reg::ECON2), 0x80);
  bench.advance(Duration::microseconds(300));
  EXPECT_TRUE(clock_ready(bench)) << "it has woken it, too";
}

TEST(Enc28j60Errata, TheReceiveStartMayBeLost) {
  for (const bool on : {true, false}) {
    Enc28j60Bench bench{{.errata = {.receive_start_lost = on}}};
    bench.start();
    bench.write_pair(Reg::ERXSTL, 0x0200);
    bench.arrive(bench.frame(60));
    EXPECT_EQ(bench.read_pair(Reg::ERXWRPTL), on ? 70 : 0x0200 + 70);
    bench.clear(Reg::ECON1, enc28j60::ECON1::RXEN);
    bench.set(Reg::ECON1, enc28j60::ECON1::RXEN);
    EXPECT_TRUE(bench.reported("enc28j60-rx-start-not-zero"));
  }
}

TEST(Enc28j60Errata, PktifMayReadZero) {
  Enc28j60Bench bench{{.errata = {.pktif_reads_zero = true}}};
  bench.start();
  bench.write(Reg::EIE, 0xC0);
  bench.arrive(bench.frame(60));
  EXPECT_EQ(bench.read(Reg::EIR), 0);
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 1);
  EXPECT_FALSE(bench.chip.int_pin());
}

TEST(Enc28j60Errata, AnEvenErxrdptIsHarmlessWithout14) {
  Enc28j60Bench bench{{.errata = {.even_erxrdpt_corrupts = false}}};
  bench.start();
  bench.write_pair(Reg::ERXRDPTL, 72);
  bench.arrive(bench.frame(61));  // its pad octet would reach ERXRDPT
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 0);
  EXPECT_EQ(bench.chip.counters().drops.of(DropReason::fifo_full), 1u);
}

TEST(Enc28j60Errata, AChecksumIsHarmlessWithout17) {
  Enc28j60Bench bench{{.errata = {.checksum_aborts_reception = false}}};
  bench.start();
  bench.write_pair(Reg::EDMANDL, 0x1000);
  bench.wire.from_network(bench.frame(1514));
  bench.set(Reg::ECON1, enc28j60::ECON1::DMAST | enc28j60::ECON1::CSUMEN);
  bench.advance(Duration::milliseconds(2));
  EXPECT_EQ(bench.read(Reg::EPKTCNT), 1);
}

TEST(Enc28j60Lifetime, AChipThatIsGoneLeavesNoEvents) {
  Scheduler scheduler;
  Wire wire{scheduler};
  struct Ignore : DiagnosticSink {
    void report(const Diagnostic&) override {}
  } ignore;
  { const Enc28j60 chip{scheduler, wire, ignore}; }
  EXPECT_TRUE(scheduler.next().is_never());
}

}  // namespace
}  // namespace avrlan
