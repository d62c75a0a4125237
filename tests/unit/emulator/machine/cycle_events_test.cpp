#include "emulator/peripherals/cycle_events.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/peripherals/clock_domains.hpp"

namespace avrlan::peripherals {
namespace {

constexpr Instant microseconds(std::int64_t n) {
  return Instant::at(Duration::microseconds(n));
}

class CycleEventsTest : public ::testing::Test {
 protected:
  CycleEvents::EventId note(std::int64_t cycle, const std::string& what) {
    return events.at(Cycles{cycle}, [this, what] { happened.push_back({what, scheduler.now()}); });
  }
  struct Happened {
    std::string what;
    Instant when;
    bool operator==(const Happened&) const = default;
  };

  Scheduler scheduler;
  McuClock clock{1'000'000};
  CycleEvents events{scheduler, clock};
  std::vector<Happened> happened;
};

TEST_F(CycleEventsTest, HappenByCycleAndThenByInsertion) {
  note(20, "c");
  note(10, "a");
  note(20, "d");
  note(10, "b");
  scheduler.run_until(microseconds(15));
  EXPECT_EQ(happened, (std::vector<Happened>{{"a", microseconds(10)}, {"b", microseconds(10)}}));
  scheduler.run_until(microseconds(30));
  ASSERT_EQ(happened.size(), 4U);
  EXPECT_EQ(happened[2], (Happened{"c", microseconds(20)}));
  EXPECT_EQ(happened[3], (Happened{"d", microseconds(20)}));
}

TEST_F(CycleEventsTest, OneThatWasCancelledDoesNotHappen) {
  auto a = note(10, "a");
  auto b = note(20, "b");
  events.cancel(a);
  EXPECT_FALSE(a);
  events.cancel(b);
  note(30, "c");
  scheduler.run_until(microseconds(29));
  EXPECT_TRUE(happened.empty());
  scheduler.run_until(microseconds(30));
  EXPECT_EQ(happened.size(), 1u);
  EXPECT_EQ(scheduler.next(), Instant::never());
}

TEST_F(CycleEventsTest, AreOneEventOfTheScheduler) {
  int told = 0;
  scheduler.on_earlier([&](Instant) { ++told; });
  note(10, "a");
  for (int cycle = 11; cycle < 30; ++cycle) note(cycle, "later");
  EXPECT_EQ(told, 1);
  note(5, "earlier");
  EXPECT_EQ(told, 2);
  EXPECT_EQ(scheduler.next(), microseconds(5));
}

// What is scheduled while the second is still due must not get the time of a third.
TEST_F(CycleEventsTest, TheTimeDoesNotMovePastTheNextOne) {
  events.at(Cycles{10}, [&] { scheduler.set_now(microseconds(100)); });
  note(11, "next");
  scheduler.run_until(microseconds(100));
  EXPECT_EQ(happened.at(0).when, microseconds(11));
}

TEST_F(CycleEventsTest, AChangeOfFrequencyMovesWhatIsPendingToItsCycle) {
  int changes = 0;
  events.on_change([&] { ++changes; });
  note(100, "a");
  note(200, "b");
  scheduler.at(microseconds(160), [&] { happened.push_back({"instant", scheduler.now()}); });
  events.set_divider(2, Cycles{50});
  scheduler.run_until(microseconds(1'000));
  EXPECT_EQ(happened, (std::vector<Happened>{
                          {"a", microseconds(150)}, {"instant", microseconds(160)}, {"b", microseconds(350)}}));
  EXPECT_EQ(changes, 1);
}

TEST_F(CycleEventsTest, AFasterClockBringsThemForward) {
  events.set_divider(4, Cycles{0});
  note(150, "a");
  EXPECT_EQ(scheduler.next(), microseconds(600));
  events.set_divider(2, Cycles{50});
  EXPECT_EQ(scheduler.next(), microseconds(400));
}

TEST_F(CycleEventsTest, LeaveTheSchedulerWithTheirMachine) {
  {
    CycleEvents others(scheduler, clock);
    others.at(Cycles{10}, [] { FAIL(); });
  }
  scheduler.run_until(microseconds(30));
}

// ATmega328P datasheet, table "Active Clock Domains and Wake-up Sources in the Different Sleep Modes".
TEST(ClockDomains, StopAsTheTableHasThem) {
  using cpu::SleepMode;
  struct Row {
    SleepMode mode;
    bool io, adc, asy;
  };
  for (const auto& row :
       {Row{SleepMode::idle, true, true, true}, Row{SleepMode::adc_noise_reduction, false, true, true},
        Row{SleepMode::power_down, false, false, false}, Row{SleepMode::power_save, false, false, true},
        Row{SleepMode::standby, false, false, false}, Row{SleepMode::extended_standby, false, false, true}}) {
    ClockDomains clocks;
    std::vector<std::pair<bool, std::int64_t>> told;
    clocks.watch(ClockDomain::io, [&](bool runs, Cycles at) { told.emplace_back(runs, at.count); });
    clocks.fell_asleep(row.mode, Cycles{7});
    const auto mode = static_cast<int>(row.mode);
    EXPECT_FALSE(clocks.runs(ClockDomain::cpu)) << mode;
    EXPECT_FALSE(clocks.runs(ClockDomain::flash)) << mode;
    EXPECT_EQ(clocks.runs(ClockDomain::io), row.io) << mode;
    EXPECT_EQ(clocks.runs(ClockDomain::adc), row.adc) << mode;
    EXPECT_EQ(clocks.runs(ClockDomain::asy), row.asy) << mode;
    clocks.woke(Cycles{9});
    EXPECT_TRUE(clocks.runs(ClockDomain::cpu)) << mode;
    EXPECT_TRUE(clocks.runs(ClockDomain::asy)) << mode;
    if (row.io) {
      EXPECT_TRUE(told.empty()) << mode;
    } else {
      EXPECT_EQ(told, (std::vector<std::pair<bool, std::int64_t>>{{false, 7}, {true, 9}})) << mode;
    }
  }
}

}  // namespace
}  // namespace avrlan::peripherals
