#include "emulator/net/link.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace avrlan::net {
namespace {

struct Arrival {
  Instant at;
  EthernetFrame frame;
};

class Arrivals : public FrameSink {
 public:
  explicit Arrivals(Scheduler& scheduler) : scheduler_(scheduler) {}
  void deliver(const EthernetFrame& frame) override { all.push_back({scheduler_.now(), frame}); }
  std::vector<Arrival> all;

 private:
  Scheduler& scheduler_;
};

// 60 octets whose first two are the number.
EthernetFrame numbered(std::size_t number, std::size_t size = 60) {
  std::vector<std::uint8_t> octets(size);
  octets[0] = static_cast<std::uint8_t>(number >> 8);
  octets[1] = static_cast<std::uint8_t>(number);
  return EthernetFrame::with_fcs(octets);
}
std::size_t number_of(const EthernetFrame& frame) {
  return static_cast<std::size_t>(frame.octets[0] << 8 | frame.octets[1]);
}

// 8 + 60 + 4 + 12 octets at 10 Mbit/s.
constexpr Duration shortest_slot = Duration::nanoseconds(67'200);

class LinkTest : public testing::Test {
 protected:
  Link& make(const std::string& options, int direction = 0) {
    link_.emplace(scheduler_, arrivals_, options.empty() ? LinkOptions() : LinkOptions::parse(options), direction);
    return *link_;
  }
  // Numbered frames, `gap` apart, and everything that arrives within a minute after.
  const std::vector<Arrival>& send(std::size_t count, Duration gap) {
    for (std::size_t i = 0; i < count; ++i) {
      link_->deliver(numbered(i));
      scheduler_.run_until(scheduler_.now() + gap);
    }
    scheduler_.run_until(scheduler_.now() + Duration::seconds(60));
    return arrivals_.all;
  }
  std::vector<std::size_t> numbers() const {
    std::vector<std::size_t> result;
    for (const Arrival& arrival : arrivals_.all) result.push_back(number_of(arrival.frame));
    return result;
  }

  Scheduler scheduler_;
  Arrivals arrivals_{scheduler_};
  std::optional<Link> link_;
};

// The reference values of splitmix64 for seed 0.
TEST(LinkRandom, GivesTheNumbersOfSplitmix64) {
  LinkRandom random(0);
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafU);
  EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(random.next(), 0x06c45d188009454fU);
}

TEST_F(LinkTest, WithoutOptionsTakesNoTimeAndNeverDeliversFromInsideDeliver) {
  Link& link = make("");
  link.deliver(numbered(1));
  EXPECT_TRUE(arrivals_.all.empty());
  scheduler_.run_until(scheduler_.now());
  ASSERT_EQ(arrivals_.all.size(), 1U);
  EXPECT_EQ(arrivals_.all[0].frame, numbered(1));
}

TEST_F(LinkTest, RateSpacesFramesAsTheWireWould) {
  make("rate=10M");
  const auto& all = send(3, Duration());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].at, Instant::at(shortest_slot));
  EXPECT_EQ(all[1].at, Instant::at(shortest_slot * 2));
  EXPECT_EQ(all[2].at, Instant::at(shortest_slot * 3));
}

TEST_F(LinkTest, LongFramesTakeLonger) {
  Link& link = make("rate=1M");
  link.deliver(numbered(0, 1514));
  scheduler_.run_until(Instant::at(Duration::seconds(1)));
  EXPECT_EQ(arrivals_.all.at(0).at, Instant::at(Duration::microseconds((1514 + 24) * 8)));
}

TEST_F(LinkTest, DelayComesOnTop) {
  make("rate=10M,delay=10ms");
  EXPECT_EQ(send(1, Duration()).at(0).at, Instant::at(shortest_slot + Duration::milliseconds(10)));
}

TEST_F(LinkTest, DropsWhatTheQueueCannotHold) {
  make("rate=10M,queue=2");
  send(5, Duration());
  EXPECT_EQ(numbers(), (std::vector<std::size_t>{0, 1, 2})) << "one is being sent, two wait";
  EXPECT_EQ(link_->drops().of(DropReason::queue_full), 2U);
}

TEST_F(LinkTest, AQueueOfNothingTakesAFrameWhenTheLinkIsFree) {
  make("rate=10M,queue=0");
  send(3, shortest_slot / 2);
  EXPECT_EQ(numbers(), (std::vector<std::size_t>{0, 2}));
}

TEST_F(LinkTest, WithoutRateTheQueueIsThatOfTheWireBehind) {
  make("queue=64");
  const auto& all = send(100, Duration());
  EXPECT_EQ(all.size(), 65U);
  EXPECT_EQ(all.back().at, Instant()) << "it adds no time of its own";
  EXPECT_EQ(link_->drops().of(DropReason::queue_full), 35U);
  link_->deliver(numbered(0));
  scheduler_.run_until(scheduler_.now() + Duration::seconds(1));
  EXPECT_EQ(all.size(), 66U) << "after a while there is room again";
}

TEST_F(LinkTest, JitterStaysInItsBoundsAndKeepsTheOrder) {
  make("delay=5ms,jitter=2ms,seed=3");
  const auto& all = send(2000, Duration::milliseconds(10));
  ASSERT_EQ(all.size(), 2000U);
  Duration least = Duration::seconds(1), most;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(number_of(all[i].frame), i);
    const Duration delay = all[i].at - Instant::at(Duration::milliseconds(10) * static_cast<std::int64_t>(i));
    least = std::min(least, delay);
    most = std::max(most, delay);
  }
  EXPECT_GE(least, Duration::milliseconds(3));
  EXPECT_LT(least, Duration::microseconds(3'050));
  EXPECT_LE(most, Duration::milliseconds(7));
  EXPECT_GT(most, Duration::microseconds(6'950));
}

TEST_F(LinkTest, JitterLargerThanTheGapDoesNotReorder) {
  make("delay=5ms,jitter=5ms,queue=1000");
  send(500, Duration::microseconds(100));
  const auto order = numbers();
  ASSERT_EQ(order.size(), 500U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(LinkTest, JitterLargerThanTheDelayNeverArrivesBeforeItIsSent) {
  make("rate=10M,delay=1ms,jitter=3ms");
  const auto& all = send(300, Duration::milliseconds(10));
  std::size_t at_once = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Instant sent = Instant::at(Duration::milliseconds(10) * static_cast<std::int64_t>(i) + shortest_slot);
    ASSERT_GE(all[i].at, sent);
    if (all[i].at == sent) ++at_once;
  }
  EXPECT_NEAR(static_cast<double>(at_once), 100, 30) << "a third of [-2 ms, +4 ms] is below zero";
}

// 4 standard deviations of a binomial distribution.
TEST_F(LinkTest, LosesTheShareThatWasAskedFor) {
  make("loss=10%");
  send(10'000, shortest_slot);
  const auto lost = static_cast<double>(link_->drops().of(DropReason::lost));
  EXPECT_NEAR(lost, 1000, 4 * 30);
  EXPECT_EQ(arrivals_.all.size(), 10'000U - static_cast<std::size_t>(lost));
}

TEST_F(LinkTest, LosesAllOrNothingAtTheEnds) {
  make("loss=100%");
  EXPECT_EQ(send(1000, Duration()).size(), 0U);
  make("loss=0");
  EXPECT_EQ(send(1000, shortest_slot).size(), 1000U);
}

TEST_F(LinkTest, SendsDuplicatesRightBehindTheFirst) {
  make("dup=20%,rate=10M");
  send(2000, shortest_slot * 2);
  const auto order = numbers();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_NEAR(static_cast<double>(order.size()), 2400, 4 * 18);
}

TEST_F(LinkTest, AReorderedFrameOvertakesThoseUnderWay) {
  make("delay=10ms,reorder=10%");
  send(2000, Duration::milliseconds(1));
  std::size_t overtaking = 0;
  for (const Arrival& arrival : arrivals_.all) {
    const Instant sent = Instant::at(Duration::milliseconds(1) * static_cast<std::int64_t>(number_of(arrival.frame)));
    const Duration delay = arrival.at - sent;
    ASSERT_TRUE(delay == Duration() || delay == Duration::milliseconds(10));
    if (delay == Duration()) ++overtaking;
  }
  EXPECT_EQ(arrivals_.all.size(), 2000U);
  EXPECT_NEAR(static_cast<double>(overtaking), 200, 4 * 13.5);
}

TEST_F(LinkTest, CorruptionFlipsOneBitAndTheFcsShowsIt) {
  make("corrupt=50%");
  send(1000, shortest_slot);
  std::size_t corrupted = 0;
  std::set<std::size_t> places;
  for (std::size_t i = 0; i < arrivals_.all.size(); ++i) {
    const EthernetFrame& frame = arrivals_.all[i].frame;
    int flipped = 0;
    for (std::size_t k = 0; k < frame.octets.size(); ++k) {
      const unsigned difference = frame.octets[k] ^ numbered(i).octets[k];
      if (difference != 0) places.insert(k);
      flipped += std::popcount(difference);
    }
    ASSERT_LE(flipped, 1);
    ASSERT_EQ(frame.fcs_ok(), flipped == 0);
    corrupted += static_cast<std::size_t>(flipped);
  }
  EXPECT_NEAR(static_cast<double>(corrupted), 500, 4 * 16);
  EXPECT_EQ(places.size(), 60U) << "every octet is hit sooner or later";
}

// What happens to each of `count` frames, as (number, time, octets).
std::vector<Arrival> run(const std::string& options, int direction, std::size_t count) {
  Scheduler scheduler;
  Arrivals arrivals(scheduler);
  Link link(scheduler, arrivals, LinkOptions::parse(options), direction);
  for (std::size_t i = 0; i < count; ++i) {
    link.deliver(numbered(i));
    scheduler.run_until(scheduler.now() + Duration::milliseconds(1));
  }
  scheduler.run_until(scheduler.now() + Duration::seconds(1));
  return arrivals.all;
}

bool same(const std::vector<Arrival>& a, const std::vector<Arrival>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Arrival& x, const Arrival& y) { return x.at == y.at && x.frame == y.frame; });
}

std::set<std::size_t> survivors(const std::string& options) {
  std::set<std::size_t> result;
  for (const Arrival& arrival : run(options, 0, 500)) result.insert(number_of(arrival.frame));
  return result;
}

TEST(LinkSeed, TheSameSeedGivesTheSameRun) {
  const std::string all = "delay=3ms,jitter=1ms,loss=5%,dup=5%,reorder=5%,corrupt=5%";
  EXPECT_TRUE(same(run(all + ",seed=9", 0, 500), run(all + ",seed=9", 0, 500)));
  EXPECT_FALSE(same(run(all + ",seed=9", 0, 500), run(all + ",seed=10", 0, 500)));
  EXPECT_FALSE(same(run(all + ",seed=9", 0, 500), run(all + ",seed=9", 1, 500))) << "each direction has its own";
}

TEST(LinkSeed, OneSettingDoesNotShiftAnother) {
  const auto lossy = survivors("loss=10%");
  EXPECT_EQ(survivors("loss=10%,dup=30%"), lossy);
  EXPECT_EQ(survivors("loss=10%,jitter=1ms,delay=5ms"), lossy);
  EXPECT_EQ(survivors("loss=10%,reorder=10%,delay=5ms,rate=10M"), lossy);
  const auto more = survivors("loss=20%");
  EXPECT_TRUE(std::includes(lossy.begin(), lossy.end(), more.begin(), more.end())) << "more loss loses more, not other";
}

// A golden: these numbers are the same on every machine and must stay.
TEST(LinkSeed, LosesTheseFramesOnEveryMachine) {
  std::vector<std::size_t> lost;
  const auto kept = survivors("loss=10%,seed=1");
  for (std::size_t i = 0; i < 100; ++i) {
    if (!kept.contains(i)) lost.push_back(i);
  }
  EXPECT_EQ(lost, (std::vector<std::size_t>{7, 21, 32, 35, 64, 85}));
}

}  // namespace
}  // namespace avrlan::net
