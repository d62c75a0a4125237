#include <gtest/gtest.h>

#include <array>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

struct Part {
  const char* mcu;
  bool toggles;      // a 1 written to PINxn toggles PORTxn
  unsigned ext_bit;  // of the chip's INT pin
};

class Ports : public ::testing::TestWithParam<Part> {
 protected:
  std::string mcu() const { return GetParam().mcu; }
  Board board() const {
    Board wired = board_with(mcu());
    const bool on_port_e = mcu() == "atmega2560" || mcu() == "atmega128";
    wired.nic_int = Pin{on_port_e ? 'E' : 'D', static_cast<std::uint8_t>(GetParam().ext_bit)};
    return wired;
  }
  Firmware program() const { return assembled("gpio_" + mcu()); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Ports,
                         ::testing::Values(Part{"atmega8", false, 2}, Part{"atmega32", false, 2},
                                           Part{"atmega128", false, 4}, Part{"atmega328p", true, 2},
                                           Part{"atmega644p", true, 2}, Part{"atmega2560", true, 4},
                                           Part{"atmega32u4", true, 0}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

// Figure "Synchronization when Reading a Software Assigned Pin Value".
TEST_P(Ports, AnOutputIsReadBackOneCycleAfterTheNextInstruction) {
  Bench bench(program(), board());
  bench.run_to("read_back");
  EXPECT_EQ(bench.reg(2), 0x00) << "IN right after OUT";
  EXPECT_EQ(bench.reg(3), 0x02) << "one cycle later";
  EXPECT_EQ(bench.reg(4), 0x00) << "LDS looks in its second cycle";
  EXPECT_EQ(bench.reg(5), 1) << "SBIS looks when IN does";
  EXPECT_EQ(bench.reg(6), 0);
  EXPECT_EQ(bench.reg(7), 0x02) << "CBI writes in its second cycle";
  EXPECT_EQ(bench.reg(8), 0x00);
}

TEST_P(Ports, OnesWrittenToPinToggleWhereThePartCan) {
  Bench bench(program(), board());
  bench.run_to("toggled");
  EXPECT_EQ(bench.reg(9), GetParam().toggles ? 0x06 : 0x04);
  EXPECT_EQ(bench.reg(10), GetParam().toggles ? 0x00 : 0x04);
  EXPECT_EQ(bench.reg(11), 0x04);
}

TEST_P(Ports, PudTakesThePullUpsAway) {
  Bench bench(program(), board());
  bench.run_to("pulled");
  EXPECT_EQ(bench.reg(12), 0x08);
  EXPECT_EQ(bench.reg(13), 0x00);
}

// Figure "Synchronization when Reading an Externally Applied Pin Value": 1/2 to 1 1/2 cycles.
TEST_P(Ports, AnEdgeFromOutsideTakesHalfACycleToOneAndAHalf) {
  constexpr Duration half_a_cycle = Duration::picoseconds(31'250);
  struct Row {
    Duration after;  // the first IN began
    std::array<bool, 4> read;
  };
  for (const Row& row : {Row{Duration{}, {true, false, false, false}}, Row{half_a_cycle, {true, false, false, false}},
                         Row{half_a_cycle + Duration::picoseconds(1), {true, true, false, false}},
                         Row{half_a_cycle * 3, {true, true, false, false}}}) {
    Bench bench(program(), board());
    ScriptedChip chip(bench.scheduler);
    bench.machine.attach(chip, chip);
    const Cycles first = bench.run_to("sampled");
    bench.scheduler.at(bench.clock.at(first) + row.after, [&] { chip.set_int_pin(false); });
    bench.run_to("fought_over");
    for (unsigned n = 0; n < 4; ++n) {
      EXPECT_EQ((bench.reg(18 + n) >> GetParam().ext_bit & 1) != 0, row.read[n])
          << "IN number " << n << ", edge after " << row.after.picoseconds() << " ps";
    }
  }
}

TEST_P(Ports, TwoThatDriveAgainstEachOtherAreADiagnostic) {
  Bench bench(program(), board());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  bench.run_to("sampled");
  chip.set_int_pin(false);
  bench.run_to("fought_over");
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{});
  bench.run_to_end();
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"pin-contention"});
  EXPECT_EQ(bench.reg(22) >> GetParam().ext_bit & 1, 1) << "the MCU keeps its own level";
}

}  // namespace
}  // namespace avrlan::testing
