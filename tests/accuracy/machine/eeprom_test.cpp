#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

struct Part {
  const char* mcu;
  unsigned vector;  // byte address
  std::uint16_t eecr;
  std::int64_t response;
  double write_ms;  // table "EEPROM Mode Bits", "EEPROM Programming Time"
  std::size_t size;
};

class EepromAccuracy : public ::testing::TestWithParam<Part> {
 protected:
  // The cycle at which a write is over: the interrupt wakes the MCU, which takes twice the response.
  Cycles over() { return bench.run_to_address(GetParam().vector) - Cycles{2 * GetParam().response}; }
  Bench bench{std::string{"eeprom_"} + GetParam().mcu, GetParam().mcu};
};
INSTANTIATE_TEST_SUITE_P(Mcus, EepromAccuracy,
                         ::testing::Values(Part{"atmega328p", 22 * 4, 0x3f, 4, 3.4, 1024},
                                           Part{"atmega2560", 30 * 4, 0x3f, 5, 3.4, 4096},
                                           Part{"atmega128", 22 * 4, 0x3c, 4, 8.5, 4096},
                                           Part{"atmega32", 17 * 4, 0x3c, 4, 8.5, 1024},
                                           Part{"atmega8", 15 * 2, 0x3c, 4, 8.5, 512}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

constexpr std::uint8_t EEPE = 0x02;

TEST_P(EepromAccuracy, IsWrittenWithinFourCyclesOfEempe) {
  const Cycles late = bench.run_to("late");
  EXPECT_EQ((bench.run_to("late_done") - late).count, 1) << "no stall";
  bench.run_to("late_seen");
  EXPECT_EQ(bench.reg(19) & EEPE, 0);
  const Cycles in_time = bench.run_to("in_time");
  EXPECT_EQ((bench.run_to("in_time_done") - in_time).count, 1 + 2) << "halted for two cycles";
  EXPECT_EQ(bench.machine.peek(GetParam().eecr) & EEPE, EEPE);
}

TEST_P(EepromAccuracy, AWriteTakesItsTime) {
  const Cycles start = bench.run_to("in_time") + Cycles{1};
  bench.run_to("busy");
  EXPECT_EQ(bench.reg(19), 5) << "EEAR is kept";
  EXPECT_EQ(bench.reg(18), 0x55) << "no read changed EEDR";
  EXPECT_EQ(bench.machine.eeprom()[5], 0xff) << "not yet";
  EXPECT_EQ((over() - start).count, static_cast<std::int64_t>(GetParam().write_ms * 16'000));
  EXPECT_EQ(bench.machine.eeprom()[5], 0x3c);
  EXPECT_EQ(bench.machine.eeprom()[6], 0xff);
  EXPECT_EQ(bench.machine.eeprom().size(), GetParam().size);
}

TEST_P(EepromAccuracy, AReadHaltsForFourCycles) {
  const Cycles busy = bench.run_to("again");
  EXPECT_EQ((bench.run_to("busy_read") - busy).count, 2) << "ignored";
  const Cycles read = bench.run_to("read");
  EXPECT_EQ((bench.run_to("read_done") - read).count, 2 + 4);
  bench.run_to("value");
  EXPECT_EQ(bench.reg(18), 0x3c);
  bench.run_to("wrapped");
  EXPECT_EQ(bench.reg(19), (GetParam().size - 1) >> 8);
}

TEST_P(EepromAccuracy, ErasesAndWritesApart) {
  if (GetParam().write_ms > 4) return;
  const Cycles write = bench.run_to("write_only") + Cycles{1};
  EXPECT_EQ((over() - write).count, 28'800);
  bench.run_to("write_only_value");
  EXPECT_EQ(bench.reg(18), 0x3c & 0xf0);
  const Cycles erase = bench.run_to("erase_only") + Cycles{1};
  EXPECT_EQ((over() - erase).count, 28'800);
  bench.run_to("erase_only_value");
  EXPECT_EQ(bench.reg(18), 0xff);
}

TEST_P(EepromAccuracy, AResetDoesNotStopAWrite) {
  const Cycles start = bench.run_to("in_time") + Cycles{1};
  bench.run_to("busy");
  bench.machine.reset();
  bench.machine.run_until(bench.clock.at(start + Cycles{static_cast<std::int64_t>(GetParam().write_ms * 16'000)}));
  EXPECT_EQ(bench.machine.eeprom()[5], 0x3c);
}

}  // namespace
}  // namespace avrlan::testing
