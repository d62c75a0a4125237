#include "nic-model/core/wire.hpp"

#include <gtest/gtest.h>

#include <string>
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
  wire.set_nic_gaps(Duration::microseconds(4), Duration::microseconds(7));
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
  wire.set_half_duplex(true);
  wire.set_nic_gaps(gap, Duration::microseconds(12));
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

TEST_F(WireTest, LetsTheNicGoFirstWhenBothHaveWaited) {
  wire.set_half_duplex(true);
  wire.from_network(frame(1));
  wire.from_network(frame(3));
  run(Duration::microseconds(5));
  send_from_nic(2);
  run(Duration::milliseconds(1));
  EXPECT_EQ(at_network.arrivals, (std::vector<Arrival>{{after(short_frame * 2 + gap), 2}}));
  EXPECT_EQ(at_nic.arrivals, (std::vector<Arrival>{{after(short_frame), 1}, {after(short_frame * 3 + gap * 2), 3}}));
}

TEST_F(WireTest, HoldsTheNetworkBackWhileTheNicSendsInHalfDuplex) {
  wire.set_half_duplex(true);
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
  wire.set_half_duplex(true);
  wire.from_network(frame(1));
  send_from_nic(2);
  wire.abort_from_nic();
  run(Duration::milliseconds(1));
  EXPECT_TRUE(done.empty());
  EXPECT_TRUE(at_network.arrivals.empty());
  EXPECT_EQ(at_nic.arrivals.size(), 1u);
}

TEST_F(WireTest, AnAbortFreesTheMediumInHalfDuplex) {
  wire.set_half_duplex(true);
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
