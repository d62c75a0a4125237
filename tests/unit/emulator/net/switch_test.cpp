#include "emulator/net/switch.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace avrlan::net {
namespace {

using Names = std::vector<std::string>;

constexpr MacAddress station(std::uint8_t number) {
  return {0x02, 0, 0, 0, 0, number};
}
constexpr MacAddress everybody = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr MacAddress gateway = {0x52, 0x55, 10, 0, 2, 2};

EthernetFrame frame(const MacAddress& to, const MacAddress& from, std::uint8_t mark = 0, std::size_t size = 60) {
  std::vector<std::uint8_t> octets(size);
  std::copy(to.begin(), to.end(), octets.begin());
  std::copy(from.begin(), from.end(), octets.begin() + 6);
  octets[14] = mark;
  return EthernetFrame::with_fcs(octets);
}

// What left the switch, in order: "b7" is mark 7 at the port called b.
class SwitchTest : public testing::Test {
 protected:
  struct Outlet : FrameSink {
    Outlet(SwitchTest& t, std::string n) : test(t), name(std::move(n)) {}
    void deliver(const EthernetFrame& f) override {
      EXPECT_FALSE(test.inside_deliver);
      test.left.push_back(name + std::to_string(f.octets[14]));
      test.left_at.push_back(test.scheduler.now());
    }
    SwitchTest& test;
    std::string name;
  };

  void make(const SwitchOptions& options, const Names& names = {"a", "b", "c"}) {
    fabric.emplace(scheduler, options);
    for (const auto& name : names) add({name, {}});
  }
  Switch::Port& add(const SwitchPortOptions& options) {
    Switch::Port& port = fabric->add_port(options);
    port.connect(*outlets.emplace_back(std::make_unique<Outlet>(*this, options.name)));
    return port;
  }
  Switch::Port& port(std::size_t number) { return *fabric->ports()[number]; }
  void offer(std::size_t number, const EthernetFrame& f) {
    inside_deliver = true;
    port(number).deliver(f);
    inside_deliver = false;
  }
  Names send(std::size_t number, const EthernetFrame& f) {
    left.clear();
    offer(number, f);
    scheduler.run_until(scheduler.now());
    return left;
  }
  std::uint64_t dropped(std::size_t number, DropReason reason) { return port(number).counters().drops.of(reason); }

  Scheduler scheduler;
  std::vector<std::unique_ptr<Outlet>> outlets;
  std::optional<Switch> fabric;
  Names left;
  std::vector<Instant> left_at;
  bool inside_deliver = false;
};

TEST_F(SwitchTest, FloodsWhatItDoesNotKnowAndLearnsFromWhoSpeaks) {
  make({});
  EXPECT_EQ(send(0, frame(station(2), station(1), 1)), (Names{"b1", "c1"}));
  EXPECT_EQ(send(1, frame(station(1), station(2), 2)), (Names{"a2"}));
  EXPECT_EQ(send(0, frame(station(2), station(1), 3)), (Names{"b3"}));
  EXPECT_EQ(fabric->port_of(station(1)), &port(0));
  EXPECT_EQ(port(0).counters().flooded, 1U);
  EXPECT_EQ(fabric->drops().total(), 0U);
}

TEST_F(SwitchTest, SendsGroupsToAllOtherPorts) {
  make({});
  EXPECT_EQ(send(1, frame(everybody, station(2), 1)), (Names{"a1", "c1"}));
  EXPECT_EQ(send(1, frame({0x01, 0, 0x5e, 0, 0, 1}, station(2), 2)), (Names{"a2", "c2"}));
  EXPECT_EQ(port(1).counters().flooded, 0U);
}

TEST_F(SwitchTest, CountsFramesAndOctetsOfEachPort) {
  make({});
  send(0, frame(station(2), station(1), 0, 100));
  send(1, frame(station(1), station(2), 0, 60));
  EXPECT_EQ(port(0).counters().received_frames, 1U);
  EXPECT_EQ(port(0).counters().received_octets, 100U);
  EXPECT_EQ(port(0).counters().sent_frames, 1U);
  EXPECT_EQ(port(0).counters().sent_octets, 60U);
  EXPECT_EQ(port(2).counters().sent_octets, 100U);
  EXPECT_EQ(port(2).counters().received_frames, 0U);
}

TEST_F(SwitchTest, TakesNoTimeUnlessTold) {
  make({});
  scheduler.run_until(Instant::at(Duration::milliseconds(1)));
  offer(0, frame(everybody, station(1)));
  EXPECT_EQ(scheduler.next(), scheduler.now());
}

TEST_F(SwitchTest, HandsOnAfterItsLatency) {
  SwitchOptions options;
  options.latency = Duration::microseconds(10);
  make(options);
  offer(0, frame(everybody, station(1), 1));
  scheduler.run_until(Instant::at(Duration::microseconds(4)));
  offer(1, frame(everybody, station(2), 2));
  scheduler.run_until(Instant::at(Duration::microseconds(9)));
  EXPECT_EQ(left, Names{});
  EXPECT_EQ(fabric->port_of(station(1)), nullptr) << "learnt when it is handed on";
  scheduler.run_until(Instant::at(Duration::microseconds(20)));
  EXPECT_EQ(left, (Names{"b1", "c1", "a2", "c2"}));
  EXPECT_EQ(left_at[0], Instant::at(Duration::microseconds(10)));
  EXPECT_EQ(left_at[2], Instant::at(Duration::microseconds(14)));
}

// The order in which boards are run must not show.
TEST_F(SwitchTest, TakesFramesOfOneInstantInTheOrderOfThePorts) {
  make({});
  offer(2, frame(everybody, station(3), 3));
  offer(0, frame(everybody, station(1), 1));
  offer(0, frame(everybody, station(1), 2));
  scheduler.run_until(scheduler.now());
  EXPECT_EQ(left, (Names{"b1", "c1", "b2", "c2", "a3", "b3"}));
}

TEST_F(SwitchTest, ForgetsAStationThatWasSilentForTheAgeingTime) {
  make({});
  send(0, frame(everybody, station(1)));
  scheduler.run_until(Instant::at(Duration::seconds(200)));
  send(0, frame(everybody, station(1)));
  scheduler.run_until(Instant::at(Duration::seconds(500) - Duration::picoseconds(1)));
  EXPECT_EQ(send(1, frame(station(1), station(2), 1)), (Names{"a1"}));
  scheduler.run_until(Instant::at(Duration::seconds(500)));
  EXPECT_EQ(send(1, frame(station(1), station(2), 2)), (Names{"a2", "c2"}));
}

TEST_F(SwitchTest, FollowsAStationThatMoves) {
  make({});
  send(0, frame(everybody, station(1)));
  send(2, frame(everybody, station(1)));
  EXPECT_EQ(send(1, frame(station(1), station(2), 1)), (Names{"c1"}));
  EXPECT_EQ(port(2).counters().moved, 1U);
  EXPECT_EQ(port(0).counters().moved, 0U);
}

TEST_F(SwitchTest, KeepsToItselfWhatIsForTheSamePort) {
  make({});
  send(0, frame(everybody, station(1)));
  EXPECT_EQ(send(0, frame(station(1), station(9))), Names{});
  EXPECT_EQ(dropped(0, DropReason::filtered), 1U);
}

TEST_F(SwitchTest, DropsWhatIsNoGoodFrame) {
  make({});
  EthernetFrame damaged = frame(everybody, station(1));
  damaged.octets[20] ^= 1;
  EXPECT_EQ(send(0, damaged), Names{});
  EXPECT_EQ(send(0, frame(everybody, station(1), 0, 59)), Names{});
  EXPECT_EQ(send(0, EthernetFrame::with_fcs({})), Names{});
  EXPECT_EQ(send(0, frame(everybody, station(1), 0, 1515)), Names{});
  EXPECT_EQ(send(0, frame(everybody, everybody)), Names{});
  EXPECT_EQ(send(0, frame(everybody, MacAddress{})), Names{});
  EXPECT_EQ(send(0, frame({0x01, 0x80, 0xc2, 0, 0, 0x01}, station(1))), Names{}) << "a PAUSE frame";
  EXPECT_EQ(send(0, frame({0x01, 0x80, 0xc2, 0, 0, 0x0f}, station(1))), Names{});
  EXPECT_EQ(dropped(0, DropReason::bad_fcs), 1U);
  EXPECT_EQ(dropped(0, DropReason::runt), 2U);
  EXPECT_EQ(dropped(0, DropReason::giant), 1U);
  EXPECT_EQ(dropped(0, DropReason::malformed), 2U);
  EXPECT_EQ(dropped(0, DropReason::filtered), 2U);
  EXPECT_EQ(port(0).counters().received_frames, 8U);
  EXPECT_EQ(fabric->drops().total(), 8U);
  EXPECT_EQ(fabric->port_of(station(1)), nullptr) << "nothing is learnt from them";
  EXPECT_EQ(send(0, frame({0x01, 0x80, 0xc2, 0, 0, 0x10}, station(1), 1)), (Names{"b1", "c1"})) << "not reserved";
  EXPECT_EQ(send(0, frame(everybody, station(1), 2, 1514)), (Names{"b2", "c2"}));
}

TEST_F(SwitchTest, FloodsNothingUnknownIntoAPortWithFixedStations) {
  make({}, {"a", "b"});
  add({"gateway", {{{0x52, 0x55}, 2}}});
  EXPECT_EQ(send(0, frame(gateway, station(1), 1)), (Names{"gateway1"})) << "known from the start";
  EXPECT_EQ(send(0, frame(station(2), station(1), 2)), (Names{"b2"}));
  EXPECT_EQ(send(0, frame(everybody, station(1), 3)), (Names{"b3", "gateway3"}));
  EXPECT_EQ(send(2, frame(station(7), gateway, 4)), (Names{"a4", "b4"}));
  scheduler.run_until(Instant::at(Duration::seconds(1000)));
  EXPECT_EQ(send(0, frame(gateway, station(1), 5)), (Names{"gateway5"})) << "fixed stations do not age";
}

TEST_F(SwitchTest, LetsNobodyTakeAFixedStationsPlace) {
  make({}, {"a", "b"});
  add({"gateway", {{gateway, 6}}});
  EXPECT_EQ(send(1, frame(everybody, gateway, 1)), (Names{"a1", "gateway1"}));
  EXPECT_EQ(port(1).counters().not_learnt, 1U);
  EXPECT_EQ(send(0, frame(gateway, station(1), 2)), (Names{"gateway2"}));
}

TEST_F(SwitchTest, AloneOnTheCableThereIsNobody) {
  make({}, {"a"});
  add({"gateway", {{{0x52, 0x55}, 2}}});
  EXPECT_EQ(send(0, frame(station(9), station(1))), Names{});
  EXPECT_EQ(dropped(0, DropReason::no_destination), 1U);
}

TEST_F(SwitchTest, SendsNothingIntoAPortWithoutACable) {
  make({}, {"a", "b"});
  Switch::Port& open = fabric->add_port({"open", {{gateway, 6}}});
  EXPECT_EQ(send(0, frame(everybody, station(1), 1)), (Names{"b1"}));
  EXPECT_EQ(send(0, frame(gateway, station(1))), Names{});
  EXPECT_EQ(dropped(0, DropReason::link_down), 1U);
  EXPECT_EQ(open.counters().sent_frames, 0U);
}

TEST_F(SwitchTest, RemembersNoMoreStationsThanItHasRoomFor) {
  SwitchOptions options;
  options.most_stations = 2;
  make(options);
  send(0, frame(everybody, station(1)));
  send(0, frame(everybody, station(2)));
  send(1, frame(everybody, station(3)));
  EXPECT_EQ(fabric->port_of(station(3)), nullptr);
  EXPECT_EQ(fabric->port_of(station(1)), &port(0));
  EXPECT_EQ(port(1).counters().not_learnt, 1U);
  send(1, frame(everybody, station(2)));
  EXPECT_EQ(fabric->port_of(station(2)), &port(1)) << "one that it knows may move";

  scheduler.run_until(Instant::at(Duration::seconds(300)));
  send(1, frame(everybody, station(3)));
  EXPECT_EQ(fabric->port_of(station(3)), &port(1)) << "the others have aged";
}

TEST_F(SwitchTest, IsGoneWithItsFrames) {
  make({});
  offer(0, frame(everybody, station(1)));
  fabric.reset();
  EXPECT_TRUE(scheduler.next().is_never());
}

}  // namespace
}  // namespace avrlan::net
