// More frames than the AVR can take, polled and by interrupt: what the FIFO cannot hold is lost, and only that.

#include <gtest/gtest.h>

#include "tests/driver/drain_rig.hpp"

namespace avrlan::test {
namespace {

class AvrReceive : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  AvrReceive() : rig(AVRLAN_FIRMWARE_DIR, std::get<0>(GetParam()), std::get<1>(GetParam())) { rig.boot(); }
  DrainRig rig;
};

// Example 7-2 of the data sheet: how many octets the receive buffer has room for.
std::size_t free_space(std::uint16_t end, std::uint16_t write, std::uint16_t read) {
  if (write > read) return static_cast<std::size_t>(end - (write - read));
  if (write == read) return end;
  return static_cast<std::size_t>(read - write - 1);
}

TEST_P(AvrReceive, LosesOfAThousandFramesExactlyThoseThatTheFifoCannotHold) {
  constexpr unsigned frames = 1000, later = 20;
  constexpr std::size_t needed = 6 + 60 + 4;
  std::set<unsigned> expected;
  std::vector<Instant> arrivals;
  std::uint16_t write = 0;
  rig.on_arrival = [&](const EthernetFrame& in) {
    if (in.octets[13] != (DrainRig::count_type & 0xFF)) return;
    arrivals.push_back(rig.scheduler.now());
    if (free_space(rig.bus.fifo_end, write, rig.bus.read_pointer) < needed) return;
    expected.insert(static_cast<unsigned>(in.octets[14] << 8 | in.octets[15]));
    write = static_cast<std::uint16_t>((write + needed) % (rig.bus.fifo_end + 1u));
  };

  for (unsigned n = 0; n < frames; ++n) rig.send(DrainRig::frame(DrainRig::count_type, static_cast<std::uint16_t>(n)));
  rig.run_for(Duration::nanoseconds(67'200) * frames);  // 84 octet times each: at wire speed
  ASSERT_EQ(arrivals.size(), frames);
  EXPECT_EQ(arrivals.back() - arrivals.front(), Duration::nanoseconds(67'200) * (frames - 1));
  rig.run_for(Duration::milliseconds(50));
  const std::size_t taken_in_the_storm = rig.bus.released.size();
  EXPECT_EQ(taken_in_the_storm, expected.size());
  EXPECT_LT(expected.size(), frames) << "not too slow";
  EXPECT_GT(expected.size(), 100u);
  const auto lost = static_cast<unsigned>(frames - expected.size());
  EXPECT_EQ(rig.chip.counters().drops.of(DropReason::fifo_full), lost);
  EXPECT_EQ(rig.diagnostics["enc28j60-overflow"], lost);

  for (unsigned n = frames; n < frames + later; ++n) {
    rig.send(DrainRig::frame(DrainRig::count_type, static_cast<std::uint16_t>(n)));
    rig.run_for(Duration::milliseconds(2));
  }
  auto report = rig.report();
  EXPECT_TRUE(rig.end);
  EXPECT_EQ(report["frames"], std::to_string(expected.size()));
  EXPECT_EQ(report["damaged"], "0");
  EXPECT_EQ(report["repeated"], "0");
  EXPECT_NE(report["overflows"], "0");
  EXPECT_EQ(DrainRig::numbers(report["seen"]), expected);
  for (unsigned n = frames; n < frames + later; ++n) EXPECT_TRUE(expected.contains(n)) << n << ": it has not recovered";
  EXPECT_EQ(rig.chip.counters().drops.total(), lost);
  rig.diagnostics.erase("enc28j60-overflow");
  rig.diagnostics.erase("enc28j60-overflow-unserviced");  // losses are faster than the driver, which clears RXERIF
  for (const auto& [name, count] : rig.diagnostics) ADD_FAILURE() << name << " x " << count;
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, std::string>>& instance) {
  const std::string board = std::get<0>(instance.param);
  const std::string image = std::get<1>(instance.param);
  return board.substr(0, board.find('-')) + "_" + image.substr(image.find('-') + 1);
}

INSTANTIATE_TEST_SUITE_P(Images, AvrReceive,
                         testing::Combine(testing::Values("uno-enc28j60", "mega-enc28j60"),
                                          testing::Values("drain-polled", "drain-interrupt")),
                         name_of);

}  // namespace
}  // namespace avrlan::test
