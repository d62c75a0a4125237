#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

struct Part {
  const char* mcu;
  double period_ms;  // typical time-out at prescaler 0 and 5 V
  std::int64_t response;
  unsigned vector;  // 0: it can only reset
};

class WatchdogAccuracy : public ::testing::TestWithParam<Part> {
 protected:
  // A crystal, slowly rising power: 16K CK, 14 CK and 65 ms.
  static constexpr std::int64_t restart = 16'384 + 14 + 65 * 16'000;
  std::int64_t period() const { return static_cast<std::int64_t>(GetParam().period_ms * 16'000); }
  // The cycle at which the first instruction after a reset begins: the first active one.
  Cycles run_through_reset() {
    bench.run_until([&] { return bench.machine.pc() == 0; });
    const Cycles active = bench.machine.totals().active;
    bench.machine.run_until(bench.machine.now() + Duration::milliseconds(65));
    bench.run_until([&] { return bench.machine.totals().active != active; });
    return bench.machine.cycle() - (bench.machine.totals().active - active);
  }
  Bench bench{std::string{"wdt_"} + GetParam().mcu, GetParam().mcu};
};
INSTANTIATE_TEST_SUITE_P(Mcus, WatchdogAccuracy,
                         ::testing::Values(Part{"atmega328p", 16, 4, 6 * 4}, Part{"atmega2560", 16, 5, 12 * 4},
                                           Part{"atmega128", 14, 4, 0}, Part{"atmega8", 16.3, 4, 0},
                                           Part{"atmega32", 16.3, 4, 0}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

constexpr std::uint8_t PORF = 0x01, EXTRF = 0x02, WDRF = 0x08, WDE = 0x08;

TEST_P(WatchdogAccuracy, ResetsOnePeriodAfterItsRestart) {
  bench.run_to("causes");
  EXPECT_EQ(bench.reg(20), PORF);
  EXPECT_EQ(bench.reg(21), 0);
  bench.run_to("late");
  EXPECT_EQ(bench.reg(21) & WDE, WDE) << "not switched off after four cycles";
  const Cycles wdr = bench.run_to("restart");
  const Cycles start = run_through_reset();
  EXPECT_EQ((start - wdr).count, period() + restart) << "the jump to itself is not the end";
  bench.run_to("causes");
  EXPECT_EQ(bench.reg(20), WDRF) << "PORF was cleared";
  EXPECT_EQ(bench.reg(21), GetParam().vector != 0 ? WDE : 0) << "WDRF keeps WDE set where there is WDTCSR";
  bench.run_to("off");
  EXPECT_EQ(bench.reg(21), 0);
}

TEST_P(WatchdogAccuracy, RunsInPowerDownAndAtItsPrescaler) {
  bench.run_to("restart");
  // The first store of the sequence has switched it on.
  const Cycles on = bench.run_to("on_2");
  bench.run_to("asleep");
  const Cycles start = run_through_reset();
  EXPECT_EQ((start - on).count, 4 * period() + restart);
}

TEST_P(WatchdogAccuracy, InterruptsFirstAndResetsThen) {
  if (GetParam().vector == 0) return;
  const Cycles on = bench.run_to("on_both");
  const Cycles handler = bench.run_to_address(GetParam().vector);
  EXPECT_EQ((handler - on).count, period() + 16'384 + 2 * GetParam().response);
  bench.run_to("in_isr");
  EXPECT_EQ(bench.reg(21), WDE) << "WDIE and WDIF are cleared";
  const Cycles start = run_through_reset();
  EXPECT_EQ((start - on).count, 2 * period() + restart);
}

TEST_P(WatchdogAccuracy, WdtonCannotBeSwitchedOff) {
  if (GetParam().mcu == std::string{"atmega32"}) return;
  Firmware firmware = assembled(std::string{"wdt_"} + GetParam().mcu);
  const std::string mcu = GetParam().mcu;
  if (mcu == "atmega8")
    firmware.fuses = {0xff, 0x89};
  else if (mcu == "atmega128")
    firmware.fuses = {0xff, 0xc9, 0xfe};
  else
    firmware.fuses = {0xff, 0xc9};
  Bench always(firmware, board_with(mcu));
  always.run_to("off");
  EXPECT_EQ(always.reg(21) & WDE, WDE);
}

TEST_P(WatchdogAccuracy, TheResetPinSaysSo) {
  bench.run_to("off");
  bench.machine.reset();
  run_through_reset();
  bench.run_to("causes");
  EXPECT_EQ(bench.reg(20), EXTRF);
}

}  // namespace
}  // namespace avrlan::testing
