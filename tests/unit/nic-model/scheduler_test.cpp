#include "nic-model/core/scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace avrlan {
namespace {

Instant us(std::int64_t n) {
  return Instant::at(Duration::microseconds(n));
}

class SchedulerTest : public testing::Test {
 protected:
  Scheduler::EventId note(std::int64_t when, const std::string& what) {
    return scheduler.at(us(when), [this, what] { log += what + "@" + std::to_string(now()) + " "; });
  }
  std::int64_t now() const { return scheduler.now().since_start().microseconds(); }

  Scheduler scheduler;
  std::string log;
};

TEST_F(SchedulerTest, RunsInOrderOfTimeAndDatesEachAction) {
  note(30, "c");
  note(10, "a");
  note(20, "b");
  EXPECT_EQ(scheduler.next(), us(10));
  scheduler.run_until(us(25));
  EXPECT_EQ(log, "a@10 b@20 ");
  EXPECT_EQ(scheduler.now(), us(25));
  EXPECT_EQ(scheduler.next(), us(30));
  scheduler.run_until(us(30));
  EXPECT_EQ(log, "a@10 b@20 c@30 ");
  EXPECT_TRUE(scheduler.next().is_never());
}

TEST_F(SchedulerTest, BreaksTiesByInsertionOrder) {
  for (int n = 0; n < 100; ++n) {
    const char name = static_cast<char>('!' + n % 90);
    scheduler.at(us(n % 2), [this, name] { log += name; });
  }
  scheduler.run_until(us(1));
  std::string even, odd;
  for (int n = 0; n < 100; ++n) (n % 2 == 0 ? even : odd) += static_cast<char>('!' + n % 90);
  EXPECT_EQ(log, even + odd);
}

TEST_F(SchedulerTest, RunsWhatAnActionAddsWhenItIsDue) {
  scheduler.at(us(10), [this] {
    log += "first ";
    note(5, "past");  // means now
    note(10, "same");
    note(12, "soon");
    note(21, "later");
  });
  note(10, "second");
  scheduler.run_until(us(20));
  EXPECT_EQ(log, "first second@10 past@10 same@10 soon@12 ");
  EXPECT_EQ(scheduler.next(), us(21));
}

TEST_F(SchedulerTest, NeverRunsBackwards) {
  scheduler.run_until(us(50));
  note(10, "late");
  EXPECT_EQ(scheduler.next(), us(50));
  scheduler.run_until(us(40));
  EXPECT_EQ(log, "");
  EXPECT_EQ(scheduler.now(), us(50));
  scheduler.run_until(us(50));
  EXPECT_EQ(log, "late@50 ");
}

TEST_F(SchedulerTest, CancelsByIdAndIgnoresIdsThatHaveHadTheirDay) {
  Scheduler::EventId a = note(10, "a");
  Scheduler::EventId b = note(20, "b");
  Scheduler::EventId nothing;
  EXPECT_TRUE(a);
  EXPECT_FALSE(nothing);
  scheduler.cancel(nothing);
  Scheduler::EventId same = a;
  scheduler.cancel(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(scheduler.next(), us(20));

  // The slot of a is taken again; its old name must not cancel the new event.
  note(15, "c");
  scheduler.cancel(same);
  scheduler.run_until(us(17));
  EXPECT_EQ(log, "c@15 ");
  scheduler.run_until(us(30));
  scheduler.cancel(b);
  EXPECT_EQ(log, "c@15 b@20 ");
}

TEST_F(SchedulerTest, LetsAnActionCancelWhatIsDueAtTheSameTime) {
  Scheduler::EventId victim;
  scheduler.at(us(10), [&] { scheduler.cancel(victim); });
  victim = note(10, "victim");
  note(11, "after");
  scheduler.run_until(us(20));
  EXPECT_EQ(log, "after@11 ");
}

TEST_F(SchedulerTest, TellsWhenNextMovesEarlier) {
  std::vector<std::int64_t> told;
  scheduler.on_earlier([&](Instant when) { told.push_back(when.since_start().microseconds()); });
  note(30, "a");
  note(40, "b");
  note(30, "c");
  Scheduler::EventId d = note(20, "d");
  EXPECT_EQ(told, (std::vector<std::int64_t>{30, 20}));
  scheduler.cancel(d);
  note(25, "e");
  EXPECT_EQ(told, (std::vector<std::int64_t>{30, 20, 25}));
  // Also when it is an action that adds the earlier event.
  scheduler.at(us(26), [this] { note(27, "f"); });
  scheduler.run_until(us(26));
  EXPECT_EQ(told, (std::vector<std::int64_t>{30, 20, 25, 27}));
}

TEST_F(SchedulerTest, SetNowDatesWithoutRunningAndStopsAtNext) {
  note(10, "a");
  scheduler.set_now(us(7));
  EXPECT_EQ(scheduler.now(), us(7));
  scheduler.set_now(us(5));
  EXPECT_EQ(scheduler.now(), us(7));
  scheduler.set_now(us(99));
  EXPECT_EQ(scheduler.now(), us(10));
  EXPECT_EQ(log, "");
  scheduler.run_until(us(10));
  EXPECT_EQ(log, "a@10 ");
}

// Against a sorted list, with fixed pseudo-random times, cancellations and slices.
TEST_F(SchedulerTest, AgreesWithASortedListOverManyRandomSteps) {
  struct Expected {
    Instant when;
    int number;
  };
  std::vector<Expected> expected;
  std::vector<std::pair<Scheduler::EventId, int>> ids;
  std::vector<int> ran, should_run;
  std::uint32_t random = 12345;
  const auto next_random = [&random](std::uint32_t below) {
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % below;
  };
  for (int step = 0; step < 20'000; ++step) {
    switch (next_random(4)) {
      case 0:
      case 1: {
        const Instant when = scheduler.now() + Duration::nanoseconds(next_random(200));
        ids.emplace_back(scheduler.at(when, [&ran, step] { ran.push_back(step); }), step);
        expected.push_back({when, step});
        break;
      }
      case 2:
        if (!ids.empty()) {
          auto& [id, number] = ids[next_random(static_cast<std::uint32_t>(ids.size()))];
          scheduler.cancel(id);
          std::erase_if(expected, [n = number](const Expected& e) { return e.number == n; });
        }
        break;
      default: {
        const Instant until = scheduler.now() + Duration::nanoseconds(next_random(60));
        std::stable_sort(expected.begin(), expected.end(),
                         [](const Expected& a, const Expected& b) { return a.when < b.when; });
        const auto end =
            std::find_if(expected.begin(), expected.end(), [until](const Expected& e) { return e.when > until; });
        for (auto e = expected.begin(); e != end; ++e) should_run.push_back(e->number);
        expected.erase(expected.begin(), end);
        scheduler.run_until(until);
        ASSERT_EQ(scheduler.now(), until);
        ASSERT_EQ(ran, should_run) << "step " << step;
        break;
      }
    }
  }
  EXPECT_GT(ran.size(), 4'000u);
}

// A timer that is put off a million times behind an event that comes sooner, as a CPU does with the one that bounds its
// slice: what was cancelled is thrown out now and then, or this would take gigabytes.
TEST_F(SchedulerTest, DoesNotGrowWhenATimerIsPutOffAgainAndAgain) {
  note(1, "first");
  Scheduler::EventId timer;
  for (int n = 0; n < 1'000'000; ++n) {
    scheduler.cancel(timer);
    timer = scheduler.at(us(500'000 + n % 1000), [this] { log += "timer "; });
  }
  note(1'000'000, "end");
  scheduler.run_until(us(1'000'000));
  EXPECT_EQ(log, "first@1 timer end@1000000 ");
}

}  // namespace
}  // namespace avrlan
