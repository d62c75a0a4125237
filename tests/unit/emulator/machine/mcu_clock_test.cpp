#include "emulator/board/mcu_clock.hpp"

#include <gtest/gtest.h>

#include <random>

namespace avrlan {
namespace {

constexpr std::int64_t frequencies[] = {32'768, 1'000'000, 3'686'400, 7'372'800, 14'745'600, 16'000'000, 20'000'000};

TEST(McuClock, SixteenMegahertzIsExact) {
  const McuClock clock(16'000'000);
  EXPECT_EQ(clock.at(Cycles{1}), Instant::at(Duration::picoseconds(62'500)));
  EXPECT_EQ(clock.at(Cycles{16'000'000}), Instant::at(Duration::seconds(1)));
}

TEST(McuClock, AYearAtAnOddFrequencyHasNoDrift) {
  const McuClock clock(14'745'600);
  constexpr std::int64_t seconds = 100 * 86'400;
  EXPECT_EQ(clock.at(Cycles{14'745'600 * seconds}), Instant::at(Duration::seconds(seconds)));
  EXPECT_EQ(clock.first_at(Instant::at(Duration::seconds(seconds))), Cycles{14'745'600 * seconds});
}

TEST(McuClock, CyclesSurviveTheWayToTimeAndBack) {
  std::mt19937_64 random(1);
  for (const auto hz : frequencies) {
    const McuClock clock(hz, Instant::at(Duration::picoseconds(12'345)));
    for (int i = 0; i < 10'000; ++i) {
      const Cycles c{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hz * 86'400))};
      ASSERT_EQ(clock.first_at(clock.at(c)), c) << hz;
      ASSERT_EQ(clock.first_at(clock.at(c) + Duration::picoseconds(1)), c + Cycles{1}) << hz;
    }
  }
}

TEST(McuClock, TheFirstCycleAtATimeDoesNotBeginBeforeIt) {
  std::mt19937_64 random(2);
  for (const auto hz : frequencies) {
    const McuClock clock(hz);
    for (int i = 0; i < 10'000; ++i) {
      const Instant t = Instant::at(Duration::picoseconds(static_cast<std::int64_t>(random() >> 3)));
      const Cycles c = clock.first_at(t);
      ASSERT_GE(clock.at(c), t) << hz;
      ASSERT_LT(clock.at(c - Cycles{1}), t) << hz;
    }
  }
}

TEST(McuClock, AChangeOfFrequencyCountsFromItsCycle) {
  McuClock clock(16'000'000);
  clock.set_hz(14'745'600, Cycles{1'600'000});
  EXPECT_EQ(clock.at(Cycles{1'600'000}), Instant::at(Duration::milliseconds(100)));
  EXPECT_EQ(clock.at(Cycles{1'600'000 + 14'745'600}), Instant::at(Duration::milliseconds(1'100)));
  EXPECT_EQ(clock.first_at(Instant::at(Duration::milliseconds(1'100))), Cycles{1'600'000 + 14'745'600});
  // A thousand changes at cycles that are no whole picoseconds: each costs less than one.
  Cycles now{1'600'000};
  for (int i = 0; i < 1'000; ++i) {
    now += Cycles{7};
    clock.set_hz(i % 2 == 0 ? 7'372'800 : 14'745'600, now);
    ASSERT_EQ(clock.first_at(clock.at(now + Cycles{5})), now + Cycles{5});
  }
  const double picoseconds = 100e9 + 500 * 7 * 1e12 / 14'745'600 + 500 * 7 * 1e12 / 7'372'800;
  EXPECT_NEAR(static_cast<double>(clock.at(now).since_start().picoseconds()), picoseconds, 1'000);
}

TEST(McuClock, TheEndOfTimeIsNever) {
  const McuClock clock(14'745'600);
  EXPECT_EQ(clock.first_at(Instant::never()), Cycles::never());
  EXPECT_EQ(clock.at(Cycles::never()), Instant::never());
}

TEST(McuClock, StandsAndGoesOnWithTheCycleAtWhichItStood) {
  McuClock clock(10'000'000);  // 100 ns
  clock.set_hz(0, Cycles{50});
  EXPECT_EQ(clock.at(Cycles{50}), Instant::at(Duration::microseconds(5)));
  EXPECT_TRUE(clock.at(Cycles{51}).is_never());
  EXPECT_TRUE(clock.at(Cycles{1'000'000'000}).is_never());
  clock.start(1'000'000, Instant::at(Duration::microseconds(20)));
  EXPECT_EQ(clock.at(Cycles{50}), Instant::at(Duration::microseconds(20)));
  EXPECT_EQ(clock.at(Cycles{53}), Instant::at(Duration::microseconds(23)));
  EXPECT_EQ(clock.first_at(Instant::at(Duration::microseconds(23))), Cycles{53});
}

}  // namespace
}  // namespace avrlan
