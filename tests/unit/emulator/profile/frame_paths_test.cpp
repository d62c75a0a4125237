// Whose time a frame's waiting is, where no image of ours waits so.

#include "emulator/profile/frame_paths.hpp"

#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::profile::test {
namespace {

using Kind = NicEvent::Kind;
using Access = NicEvent::Access;

class Waiting : public ::testing::Test {
 protected:
  void at(std::int64_t cycle, const NicEvent& event) {
    paths.nic_event(event, cycle, Instant::at(Duration::microseconds(cycle)));
  }
  void status_read(std::int64_t cycle) {
    at(cycle, {.kind = Kind::access_begins});
    at(cycle + 10, {.kind = Kind::access_ends, .access = Access::read_status});
  }
  static std::int64_t of(const FramePath& path, Step step) { return path.cycles[FramePath::index_of(step)]; }

  testing::Bench bench{"lines_atmega328p", "atmega328p"};
  CodeMap map{bench.firmware, bench.machine.memory_map()};
  Profiler profiler{map, bench.machine.memory_map().pc_bytes};
  FramePaths paths{profiler};
};

TEST_F(Waiting, AsleepWithAFrameOpened) {
  at(100, {.kind = Kind::frame_received, .number = 1, .octets = 60});
  at(200, {.kind = Kind::frame_opened, .number = 1});
  paths.slept(300, 550);
  at(600, {.kind = Kind::frame_released});
  at(700, {.kind = Kind::found_none});
  paths.finish();
  ASSERT_EQ(paths.paths().size(), 1u);
  const FramePath& path = paths.paths().front();
  EXPECT_EQ(of(path, Step::noticed), 100);
  EXPECT_EQ(of(path, Step::asleep), 250);
  EXPECT_EQ(path.end, 700);
}

TEST_F(Waiting, ForTheTransmitterAsleepAndByReadingTheStatus) {
  at(100, {.kind = Kind::frame_received, .number = 1, .octets = 60});
  at(200, {.kind = Kind::frame_opened, .number = 1});
  at(300, {.kind = Kind::transmit_requested});
  at(400, {.kind = Kind::frame_received, .number = 2, .octets = 60});
  at(500, {.kind = Kind::frame_released});
  at(600, {.kind = Kind::frame_opened, .number = 2});
  paths.slept(700, 820);
  // Ten cycles each, and from the end of the first to that of the last.
  for (const std::int64_t cycle : {900, 1000, 1100}) status_read(cycle);
  at(1200,
     {.kind = Kind::transmit_ended, .octets = 60, .start = Instant::at(Duration::microseconds(1150)), .sent = true});
  at(1300, {.kind = Kind::transmit_requested});
  at(1400,
     {.kind = Kind::transmit_ended, .octets = 60, .start = Instant::at(Duration::microseconds(1320)), .sent = true});
  ASSERT_EQ(paths.paths().size(), 2u);
  const FramePath &first = paths.paths().front(), &second = paths.paths().back();
  EXPECT_EQ(of(first, Step::transmitter), 0);
  EXPECT_EQ(of(first, Step::medium), 850);
  EXPECT_EQ(of(first, Step::wire), 50);
  EXPECT_EQ(second.received, 60u);
  EXPECT_EQ(of(second, Step::queued), 100);
  EXPECT_EQ(of(second, Step::transmitter), 120 + 200);
  EXPECT_EQ(of(second, Step::medium), 20);
  EXPECT_EQ(of(second, Step::wire), 80);
}

}  // namespace
}  // namespace avrlan::profile::test
