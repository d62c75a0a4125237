#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

constexpr std::int64_t hz = 16'000'000;

Duration cycles(std::int64_t n, std::int64_t divider) {
  return Duration::picoseconds(n * divider * 62'500);
}

class SystemClock : public ::testing::TestWithParam<const char*> {
 protected:
  Bench bench{std::string{"system_clock_"} + GetParam(), GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Mcus, SystemClock, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

TEST_P(SystemClock, IsChangedWithinFourCyclesOfClkpce) {
  bench.run_to("late_done");
  EXPECT_EQ(bench.reg(18), 0);
  bench.run_to("in_time_done");
  EXPECT_EQ(bench.reg(18), 3);
  bench.run_to("not_alone");
  EXPECT_EQ(bench.reg(18), 0);
}

TEST_P(SystemClock, IsDividedByTwoToThePowerOfClkps) {
  for (int clkps = 0; clkps <= 8; ++clkps) {
    bench.run_to("divided_" + std::to_string(clkps));
    const Instant start = bench.machine.now();
    const Cycles cycle = bench.machine.cycle();
    bench.step();
    EXPECT_EQ(bench.machine.cycle() - cycle, Cycles{1}) << clkps;
    EXPECT_EQ(bench.machine.now() - start, cycles(1, std::int64_t{1} << clkps)) << clkps;
  }
}

TEST_P(SystemClock, AUsartFrameGoesOnAtTheNewRate) {
  std::vector<Instant> sent;
  bench.machine.on_uart([&](std::uint8_t) { sent.push_back(bench.scheduler.now()); });
  bench.run_to("write");
  const Cycles start = bench.machine.cycle() + Cycles{2};
  bench.run_to("slower");
  const Cycles change = bench.machine.cycle();
  const Instant changed = bench.machine.now();
  bench.run_to("sent");
  ASSERT_EQ(sent.size(), 1U);
  constexpr std::int64_t bit = 16 * 8;
  // The frame began at the next bit of the free-running baud rate generator.
  const std::int64_t slow = (sent[0] - changed) / cycles(1, 8);
  EXPECT_EQ(sent[0] - changed, cycles(slow, 8));
  EXPECT_GE((change - start).count + slow, 10 * bit);
  EXPECT_LT((change - start).count + slow, 11 * bit);
}

TEST_P(SystemClock, WhatIsPendingOutsideHappensAtItsTime) {
  bench.run_to("write");
  std::vector<std::pair<Instant, std::int64_t>> happened;
  const Instant due = bench.machine.now() + Duration::microseconds(50);
  bench.scheduler.at(due, [&] { happened.emplace_back(bench.scheduler.now(), bench.machine.cycle().count); });
  bench.run_to("slower");
  const Instant changed = bench.machine.now();
  const Cycles change = bench.machine.cycle();
  bench.machine.run_until(due + Duration::microseconds(10));
  ASSERT_EQ(happened.size(), 1U);
  EXPECT_EQ(happened[0].first, due);
  const std::int64_t slow = (due - changed).picoseconds() / (8 * 62'500);
  EXPECT_GE(happened[0].second, change.count + slow);
  EXPECT_LE(happened[0].second, change.count + slow + 4) << "before the next instruction";
}

TEST_P(SystemClock, Ckdiv8StartsAtAnEighth) {
  Firmware firmware = assembled(std::string{"system_clock_"} + GetParam());
  firmware.fuses = {0x7f};
  Bench divided(firmware, board_with(GetParam()));
  constexpr std::uint16_t CLKPR = 0x61;
  EXPECT_EQ(divided.machine.peek(CLKPR), 3);
  EXPECT_EQ(divided.machine.hz(), hz) << "the source's";
  divided.step();
  EXPECT_EQ(divided.machine.now().since_start(), cycles(1, 8));
}

TEST_P(SystemClock, CkselCanChooseTheInternalOscillator) {
  Firmware firmware = assembled(std::string{"system_clock_"} + GetParam());
  firmware.fuses = {0xe2};
  Bench internal(firmware, board_with(GetParam()));
  EXPECT_EQ(internal.machine.hz(), 8'000'000);
}

TEST(Xdiv, DividesBy129LessItsValue) {
  Bench bench("xdiv_atmega128", "atmega128");
  bench.run_to("divided");
  const Instant start = bench.machine.now();
  bench.step();
  EXPECT_EQ(bench.machine.now() - start, cycles(1, 129 - 29));
  bench.run_to("kept");
  EXPECT_EQ(bench.reg(18), 0x80 | 29);
  bench.run_to("undivided_again");
  const Instant again = bench.machine.now();
  bench.step();
  EXPECT_EQ(bench.machine.now() - again, cycles(1, 1));
}

}  // namespace
}  // namespace avrlan::testing
