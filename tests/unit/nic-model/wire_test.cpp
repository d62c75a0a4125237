#include "nic-model/core/wire.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace avrlan {
namespace {

constexpr Duration short_frame = Duration::nanoseconds(57'600);
constexpr Duration long_frame = Duration::nanoseconds(1'220'800);
constexpr Duration gap = Duration::nanoseconds(9'600);

Instant after(Duration d) {
  return Instant::at(d);
}

struct Arrival {
  Instant when;
  std::uint8_t first_octet;
  friend bool operator==(const Arrival&, const Arrival&) = default;
};
std::ostream& operator<<(std::ostream& out, const Arrival& arrival) {
  return out << int{arrival.first_octet} << " at " << arrival.when.since_start().picoseconds() << " ps";
}

struct Recorder : FrameSink {
  explicit Recorder(Scheduler& s) : scheduler(s) {}
  void deliver(const EthernetFrame& frame) override { arrivals.push_back({scheduler.now(), frame.octets[0]}); }
  Scheduler& scheduler;
  std::vector<Arrival> arrivals;
};

struct Announced {
  Instant start;
  Instant end;
  friend bool operator==(const Announced&, const Announced&) = default;
};

struct FakeNic : Nic {
  explicit FakeNic(Scheduler& s) : scheduler(s) {}
  void deliver(const EthernetFrame&) override {}
  std::string_view name() const override { return "fake"; }
  const NicCounters& counters() const override { return counters_; }
  void reset_pin(bool) override {}
  void set_link(bool) override {}
  void receive_started(Instant end) override { announced.push_back({scheduler.now(), end}); }
  bool int_pin() const override { return true; }
  void on_int_pin(std::function<void(bool)>) override {}
  std::int64_t clkout_hz() const override { return 0; }
  void on_clkout(std::function<void(std::int64_t)>) override {}
  std::span<const std::string_view> led_names() const override { return {}; }
  void on_led(std::function<void(std::size_t, bool)>) override {}
  void on_event(std::function<void(const NicEvent&)>) override {}
  Scheduler& scheduler;
  std::vector<Announced> announced;
  NicCounters counters_;
};

class WireTest : public testing::Test {
 protected:
  WireTest() { wire.connect(nic, at_nic, at_network); }

  static EthernetFrame frame(std::uint8_t first_octet, std::size_t length = 60) {
    std::vector<std::uint8_t> octets(length);
    octets[0] = first_octet;
    return EthernetFrame::with_fcs(octets);
  }
  void send_from_nic(std::uint8_t first_octet, std::size_t length = 60) {
    wire.from_nic(frame(first_octet, length), [this](const Transmission& t) { done.push_back(t); });
  }
  void run(Duration until) { scheduler.run_until(after(until)); }

  Scheduler scheduler;
  Wire wire{scheduler};
  FakeNic nic{scheduler};
  Recorder at_nic{scheduler};
  Recorder at_network{scheduler};
  std::vector<Transmission> done;
};

TEST_F(WireTest, DeliversAFrameAtItsLastBit) {
  run(Duration::microseconds(100));
  wire.from_network(frame(1));
  EXPECT_EQ(
      nic.announced,
      (std::vector<Announced>{{after(Duration::microseconds(100)), after(Duration::microseconds(100) + short_frame)}}));
  run(Duration::picoseconds(157'599'999));
  EXPECT_TRUE(at_nic.arrivals.empty());
  run(Duration::picoseconds(157'600'000));
  EXPECT_EQ(at_nic.arrivals, (std::vector<Arrival>{{after(Duration::nanoseconds(157'600)), 1}}));
}

TEST_F(WireTest, QueuesTheNetworksFramesWithTheGapBetweenThem) {
  for (std::uint8_t n = 1; n <= 3; ++n) wire.from_network(frame(n));
  run(Duration::milliseconds(1));
  EXPECT_EQ(at_nic.arrivals,
            (std::vector<Arrival>{
                {after(short_frame), 1}, {after(short_frame * 2 + gap), 2}, {after(short_frame * 3 + gap * 2), 3}}));
  ASSERT_EQ(nic.announced.size(), 3u);
  EXPECT_EQ(nic.announced[1].start, after(short_frame + gap));

  wire.from_network(frame(4));
  EXPECT_EQ(nic.announced.back().start, after(Duration::milliseconds(1))) << "a silent wire is taken at once";
}

TEST_F(WireTest, ReportsATransmissionWhenItsLastBitIsOut) {
  run(Duration::microseconds(10));
  send_from_nic(1, 1514);
  run(Duration::microseconds(10) + long_frame - Duration::picoseconds(1));
  EXPECT_TRUE(done.empty());
  run(Duration::microseconds(10) + long_frame);
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].start, after(Duration::microseconds(10)));
  EXPECT_EQ(done[0].end, after(Duration::microseconds(10) + long_frame));
  EXPECT_FALSE(done[0].deferred);
  EXPECT_EQ(at_network.arrivals, (std::vector<Arrival>{{done[0].end, 1}}));
}

TEST_F(WireTest, KeepsTheNicsGapAfterItsOwnFrame) {
  wire.set_nic_mac({.gap_after_own = Duration::microseconds(4), .gap_after_other = Duration::microseconds(7)});
  send_from_nic(1);
  send_from_nic(2);
  run(Duration::milliseconds(1));
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[1].start - done[0].end, Duration::microseconds(4));
}

TEST_F(WireTest, CarriesBothWaysAtOnceInFullDuplex) {
  wire.from_network(frame(1, 1514));
  run(Duration::microseconds(5));
  send_from_nic(2);
  run(Duration::milliseconds(2));
  EXPECT_EQ(at_network.arrivals, (std::vector<Arrival>{{after(Duration::microseconds(5) + short_frame), 2}}));
  EXPECT_EQ(at_nic.arrivals, (std::vector<Arrival>{{after(long_frame), 1}}));
}

TEST_F(WireTest, WaitsForASilentMediumInHalfDuplex) {
  wire.set_nic_mac({.half_duplex = true, .gap_after_other = Duration::microseconds(12)});
  wire.from_network(frame(1));
  run(Duration::microseconds(5));
  send_from_nic(2);
  wire.from_network(frame(3));
  run(Duration::milliseconds(1));
  // The network's 9.6 us are over before the chip's 12 us.
  EXPECT_EQ(at_nic.arrivals, (std::vector<Arrival>{{after(short_frame), 1}, {after(short_frame * 2 + gap), 3}}));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_TRUE(done[0].deferred);
  EXPECT_EQ(done[0].start, after(short_frame * 2 + gap + Duration::microseconds(12)));
}

// Both have waited for frame 1 and start 9.6 us after it: preamble and jam take 9.6 us, then each backs off by 0 or 1
// slot times of 51.2 us.
TEST_F(WireTest, CollidesWhenBothHaveWaitedForTheSameFrameAndBacksOff) {
  wire.set_nic_mac({.half_duplex = true});
  wire.from_network(frame(1));
  wire.from_network(frame(3));
  run(Duration::microseconds(5));
  send_from_nic(2);
  run(Duration::milliseconds(2));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_GE(done[0].collisions, 1u);
  EXPECT_TRUE(done[0].deferred);
  EXPECT_EQ(done[0].outcome, Transmission::Outcome::sent);
  EXPECT_EQ(at_nic.arrivals.size(), 2u);
  ASSERT_EQ(at_network.arrivals.size(), 1u);
  const Instant first = std::min(done[0].start, nic.announced[1].start);
  const Instant collision_end = after(short_frame + gap + collision_time);
  if (done[0].collisions == 1) {
    const Duration waited = first - collision_end;
    EXPECT_TRUE(waited == gap || waited == slot_time) << waited.nanoseconds();
  }
  const Duration apart = done[0].start - nic.announced[1].start;
  EXPECT_TRUE(apart >= short_frame + gap || apart <= Duration{} - short_frame - gap) << "one after the other";
}

TEST_F(WireTest, ContentionEndsTheSameForTheSameSeed) {
  const auto play = [](std::uint64_t seed) {
    Scheduler own_scheduler;
    Wire own_wire{own_scheduler, seed};
    FakeNic own_nic{own_scheduler};
    Recorder to_nic{own_scheduler}, to_network{own_scheduler};
    own_wire.connect(own_nic, to_nic, to_network);
    own_wire.set_nic_mac({.half_duplex = true});
    unsigned collisions = 0;
    for (std::uint8_t n = 0; n < 100; ++n) {
      own_wire.from_network(frame(n));
      own_wire.from_nic(frame(n), [&](const Transmission& t) { collisions += t.collisions; });
    }
    own_scheduler.run_until(after(Duration::seconds(1)));
    EXPECT_EQ(to_nic.arrivals.size(), 100u);
    EXPECT_EQ(to_network.arrivals.size(), 100u);
    EXPECT_GT(collisions, 3u);
    return std::pair(to_nic.arrivals, to_network.arrivals);
  };
  EXPECT_EQ(play(7), play(7));
  EXPECT_NE(play(7), play(8));
}

TEST_F(WireTest, GivesUpAfterTheCollisionsThatTheMacAllows) {
  wire.set_nic_mac({.half_duplex = true, .retransmissions = 0});
  wire.from_network(frame(1));
  wire.from_network(frame(3));
  send_from_nic(2);
  run(Duration::milliseconds(2));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].outcome, Transmission::Outcome::excessive_collisions);
  EXPECT_EQ(done[0].collisions, 1u);
  EXPECT_EQ(done[0].start, after(short_frame + gap));
  EXPECT_EQ(done[0].end, after(short_frame + gap + collision_time));
  EXPECT_TRUE(at_network.arrivals.empty());
  EXPECT_EQ(at_nic.arrivals.size(), 2u);
}

// Without backoff the chip is there again 9.6 us after the jam, and the network one or more slots later, or at once.
TEST_F(WireTest, AMacWithoutBackoffComesFirst) {
  wire.set_nic_mac({.half_duplex = true, .backs_off = false});
  for (std::uint8_t n = 0; n < 20; ++n) wire.from_network(frame(n));
  send_from_nic(99);
  run(Duration::milliseconds(10));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].start,
            after(short_frame) + gap + (collision_time + gap) * static_cast<std::int64_t>(done[0].collisions));
}

TEST_F(WireTest, GivesUpWhenTheMediumStaysBusyTooLong) {
  wire.set_nic_mac({.half_duplex = true, .gap_after_other = gap + Duration::microseconds(1), .defers_forever = false});
  for (std::uint8_t n = 0; n < 10; ++n) wire.from_network(frame(n, 1514));
  run(Duration::microseconds(5));
  send_from_nic(99);
  run(Duration::milliseconds(20));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].outcome, Transmission::Outcome::excessive_deferral);
  EXPECT_EQ(done[0].end, after(Duration::microseconds(5) + deferral_limit));
  EXPECT_TRUE(at_network.arrivals.empty());

  wire.set_nic_mac({.half_duplex = true, .gap_after_other = gap + Duration::microseconds(1), .defers_forever = true});
  for (std::uint8_t n = 0; n < 10; ++n) wire.from_network(frame(n, 1514));
  send_from_nic(98);
  run(Duration::milliseconds(60));
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[1].outcome, Transmission::Outcome::sent);
}

TEST_F(WireTest, StopsCountingTheDeferralWhenItSends) {
  wire.set_nic_mac({.half_duplex = true, .defers_forever = false});
  wire.from_network(frame(1, 1514));
  run(Duration::microseconds(5));
  send_from_nic(2, 1514);  // from 1230.4 us to 2451.2 us; the limit would be at 2433.7 us
  run(Duration::milliseconds(5));
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].outcome, Transmission::Outcome::sent);
  EXPECT_EQ(at_network.arrivals.size(), 1u);
}

TEST_F(WireTest, KeepsTheNetworkSilentWhileTheChipJams) {
  wire.set_nic_mac({.half_duplex = true});
  wire.set_jammed(true);
  wire.from_network(frame(1));
  run(Duration::microseconds(100));
  send_from_nic(2);
  run(Duration::microseconds(200));
  EXPECT_EQ(at_network.arrivals.size(), 1u);
  EXPECT_TRUE(nic.announced.empty());
  wire.set_jammed(false);
  ASSERT_EQ(nic.announced.size(), 1u);
  EXPECT_EQ(nic.announced[0].start, after(Duration::microseconds(200)));
}

TEST_F(WireTest, HoldsTheNetworkBackWhileTheNicSendsInHalfDuplex) {
  wire.set_nic_mac({.half_duplex = true});
  send_from_nic(1);
  wire.from_network(frame(2));
  EXPECT_TRUE(nic.announced.empty());
  run(Duration::milliseconds(1));
  ASSERT_EQ(nic.announced.size(), 1u);
  EXPECT_EQ(nic.announced[0].start, after(short_frame + gap));
}

TEST_F(WireTest, ForgetsAFrameThatTheNicAborts) {
  send_from_nic(1);
  run(Duration::microseconds(20));
  wire.abort_from_nic();
  run(Duration::milliseconds(1));
  EXPECT_TRUE(done.empty());
  EXPECT_TRUE(at_network.arrivals.empty());

  send_from_nic(2);
  run(Duration::milliseconds(2));
  EXPECT_EQ(at_network.arrivals.size(), 1u);
}

TEST_F(WireTest, ForgetsAFrameThatIsStillWaiting) {
  wire.set_nic_mac({.half_duplex = true});
  wire.from_network(frame(1));
  send_from_nic(2);
  wire.abort_from_nic();
  run(Duration::milliseconds(1));
  EXPECT_TRUE(done.empty());
  EXPECT_TRUE(at_network.arrivals.empty());
  EXPECT_EQ(at_nic.arrivals.size(), 1u);
}

TEST_F(WireTest, AnAbortFreesTheMediumInHalfDuplex) {
  wire.set_nic_mac({.half_duplex = true});
  send_from_nic(1, 1514);
  run(Duration::microseconds(10));
  wire.from_network(frame(2));
  wire.abort_from_nic();
  run(Duration::milliseconds(1));
  ASSERT_EQ(nic.announced.size(), 1u);
  EXPECT_EQ(nic.announced[0].start, after(Duration::microseconds(10) + gap));
}

}  // namespace
}  // namespace avrlan
