#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"
#include "tests/accuracy/machine/plain_simavr.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t TIFR0 = 0x35;
constexpr std::uint8_t TOV = 0x01, OCFA = 0x02, OCFB = 0x04;

class TimerAccess : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string mcu = GetParam();
  Bench bench{"timer_access_" + mcu, mcu};
};
INSTANTIATE_TEST_SUITE_P(Mcus, TimerAccess, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

TEST_P(TimerAccess, CountsAsMeasuredOnSilicon) {
  bench.run_to("in_after_store");
  EXPECT_EQ(bench.reg(17), 0x31);
  bench.run_to("lds_after_store");
  EXPECT_EQ(bench.reg(17), 2) << "LDS looks in its second cycle";
  bench.run_to("after_start");
  EXPECT_EQ(bench.reg(17), 2);
  bench.run_to("after_stop");
  EXPECT_EQ(bench.reg(17), 2);
}

TEST_P(TimerAccess, AWrittenCountIsKeptAndOverflowsAtTheFirstClock) {
  bench.run_to("kept");
  EXPECT_EQ(bench.reg(17), 0xff);
  bench.run_to("overflow_of_written");
  EXPECT_EQ(bench.reg(17) & TOV, 0);
  EXPECT_EQ(bench.reg(18) & TOV, TOV);
}

TEST_P(TimerAccess, AStoreToTcntBlocksTheNextCompareMatch) {
  bench.run_to("blocked");
  EXPECT_EQ(bench.reg(17) & OCFA, 0);
}

TEST_P(TimerAccess, CtcWithTopBelowTheCountRunsToMax) {
  const Cycles start = bench.run_to("missed_top");
  const auto flag_at = [&](std::uint8_t flag) {
    return (bench.run_until([&] { return (bench.machine.peek(TIFR0) & flag) != 0; }) - start).count;
  };
  EXPECT_EQ(flag_at(TOV), 256 - 100);
  EXPECT_EQ(flag_at(OCFA), 256 - 100 + 51);
}

TEST_P(TimerAccess, AOneStoredToTifrClearsThatFlagOnly) {
  bench.run_to("one_cleared");
  EXPECT_EQ(bench.reg(17), TOV | OCFA | OCFB);
  EXPECT_EQ(bench.reg(18), OCFA | OCFB);
}

TEST_P(TimerAccess, TheInterruptIsTakenWhenTheFlagIsSet) {
  const std::int64_t entry = mcu == "atmega2560" ? 5 : 4;
  const Cycles started = bench.run_to("started");
  const Cycles overflow = started + Cycles{1 + 256 - 246};
  EXPECT_EQ(bench.run_to_address(16 * 4 + (mcu == "atmega2560" ? 7 * 4 : 0)), overflow + Cycles{entry});
  bench.run_to("in_handler");
  // JMP to the handler takes three cycles.
  EXPECT_EQ(bench.reg(17), entry + 3);
  EXPECT_EQ(bench.reg(18) & TOV, 0) << "cleared by the response";
}

// The crystal's edges are at n / 32768 s; in power-save nothing else runs.
TEST_P(TimerAccess, TheCrystalGoesOnInPowerSave) {
  Bench asleep("timer_sleep_" + mcu, mcu);
  const auto edge = [](std::int64_t n) { return Cycles{(n * 15625 + 31) / 32}; };  // 488.28125 cycles each, rounded up
  const Cycles updated = asleep.run_to("updated");
  // TCCR2B is latched at the second edge after the store, which came in the first period.
  EXPECT_GE(updated, edge(2) + Cycles{3});
  EXPECT_LE(updated, edge(2) + Cycles{15});
  const Cycles sleeps = asleep.run_to("sleeps");
  const Cycles handler = asleep.run_to_address(mcu == "atmega2560" ? 15 * 4 : 9 * 4);
  // From 0xf0 the 16th clock overflows.
  const std::int64_t response = mcu == "atmega2560" ? 5 : 4;
  EXPECT_EQ(handler, edge(2 + 16) + Cycles{3 + 16384 + response + response});
  asleep.run_to("woken");
  EXPECT_EQ(asleep.reg(17), 0xf0) << "reads as before SLEEP until the next edge";
  asleep.run_to("later");
  // The start-up time, and 600 cycles of the program, are 34.8 clocks.
  EXPECT_EQ(asleep.reg(22), 34);
  const int counted = asleep.reg(20) | asleep.reg(21) << 8;
  // Timer 1 ran up to the end of SLEEP and from the wake-up on.
  EXPECT_LT(counted, 60);
  EXPECT_GT(handler, sleeps + Cycles{16384});
}

}  // namespace
}  // namespace avrlan::testing
