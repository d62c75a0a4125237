#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

constexpr Voltage volts(double v) {
  return {static_cast<std::int64_t>(v * 1e6)};
}

struct Part {
  const char* mcu;
  unsigned adc_vector;  // byte addresses
  unsigned comparator_vector;
  std::int64_t response;
  double bandgap;
  bool differential;
};

class Analog : public ::testing::TestWithParam<Part> {
 protected:
  std::string mcu() const { return GetParam().mcu; }
  static AnalogSignal constant(AnalogPin pin, double v) { return {pin, {{Instant{}, volts(v)}}}; }
  Bench make(const std::string& program, std::vector<AnalogSignal> analog) {
    MachineOptions options;
    options.analog = std::move(analog);
    return Bench(program + "_" + mcu(), mcu(), options);
  }
  // The cycle at which the interrupt was requested that has woken the MCU.
  Cycles requested(Bench& bench, unsigned vector) const {
    return bench.run_to_address(vector) - Cycles{2 * GetParam().response};
  }
  static unsigned value(const Bench& bench) { return bench.reg(19) * 256U + bench.reg(18); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Analog,
                         ::testing::Values(Part{"atmega328p", 21 * 4, 23 * 4, 4, 1.1, false},
                                           Part{"atmega2560", 29 * 4, 28 * 4, 5, 1.1, true},
                                           Part{"atmega128", 21 * 4, 23 * 4, 4, 1.23, true},
                                           Part{"atmega32", 16 * 4, 18 * 4, 4, 1.22, true},
                                           Part{"atmega8", 14 * 2, 16 * 2, 4, 1.3, false}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

constexpr std::int64_t sts = 2;

TEST_P(Analog, AConversionTakes25ClocksFirstAnd13Then) {
  Bench bench = make("adc", {constant(AnalogPin::adc(1), 2.5)});
  const Cycles enabled = bench.run_to("first") + Cycles{sts};
  EXPECT_EQ((requested(bench, GetParam().adc_vector) - enabled).count, 25 * 128);
  bench.run_to("first_value");
  EXPECT_EQ(value(bench), 512U);
  for (const auto& [name, divider] : {std::pair{"second", 16}, std::pair{"third", 2}}) {
    const std::int64_t written = (bench.run_to(name) + Cycles{sts} - enabled).count;
    const std::int64_t rise = (written + divider - 1) / divider * divider;
    EXPECT_EQ((requested(bench, GetParam().adc_vector) - enabled).count, rise + 13 * divider) << name;
  }
}

TEST_P(Analog, TheInputIsHeldAfterOneAndAHalfClocks) {
  Bench reference = make("adc", {});
  const Cycles enabled = reference.run_to("first") + Cycles{sts};
  const std::int64_t written = (reference.run_to("second") + Cycles{sts} - enabled).count;
  const Cycles held = enabled + Cycles{(written + 15) / 16 * 16 + 24};
  const Instant sample = reference.clock.at(held);
  for (const auto& [step, expected] : {std::pair{sample, 1023U}, std::pair{sample + Duration::picoseconds(1), 0U}}) {
    Bench bench = make("adc", {{AnalogPin::adc(1), {{Instant{}, volts(0)}, {step, volts(5)}}}});
    bench.run_to("second_value");
    EXPECT_EQ(value(bench), expected);
  }
}

TEST_P(Analog, ChannelsAreWhatTheTableSays) {
  std::vector<AnalogSignal> analog = {constant(AnalogPin::adc(0), 1), constant(AnalogPin::adc(1), 2),
                                      constant(AnalogPin::avcc(), 4)};
  if (mcu() == "atmega2560") analog.push_back(constant(AnalogPin::adc(9), 3));
  Bench bench = make("adc", analog);
  bench.run_to("left_value");
  EXPECT_EQ(value(bench), 512U << 6);
  bench.run_to("bandgap_value");
  EXPECT_EQ(value(bench), static_cast<unsigned>(GetParam().bandgap * 256));
  bench.run_to("ground_value");
  EXPECT_EQ(value(bench), 0U);
  if (mcu() == "atmega2560") {
    bench.run_to("adc9_value");
    EXPECT_EQ(value(bench), 768U);
  }
  if (!GetParam().differential) return;
  bench.run_to("difference_value");
  EXPECT_EQ(value(bench), 1024U - 128U) << "-1 V of 4 V in two's complement";
}

TEST_P(Analog, RunningFreeTheResultIsKeptWhileAdcIsHalfRead) {
  Bench probe = make("adc", {});
  probe.run_to("free_locked");
  const Instant step = probe.machine.now();
  Bench bench = make("adc", {{AnalogPin::adc(1), {{Instant{}, volts(1.25)}, {step, volts(3.75)}}}});
  bench.run_to("free_started");
  const Cycles first = requested(bench, GetParam().adc_vector);
  bench.run_to("free_locked");
  const Cycles second = requested(bench, GetParam().adc_vector);
  EXPECT_EQ((second - first).count, 13 * 16);
  bench.run_to("free_value");
  EXPECT_EQ(value(bench), 256U);
  bench.run_to("off");
  EXPECT_EQ(bench.reg(21), 0) << "ADSC is cleared with ADEN";
}

TEST_P(Analog, TheComparatorWakesAtTheStep) {
  Bench probe = make("comparator", {});
  probe.run_to("below");
  const Instant step = probe.machine.now() + Duration::microseconds(20);
  Bench bench = make("comparator", {{AnalogPin::ain(0), {{Instant{}, volts(1)}, {step, volts(2)}}},
                                    constant(AnalogPin::ain(1), 1.5),
                                    constant(AnalogPin::adc(2), 1.0)});
  constexpr std::uint8_t ACO = 0x20;
  bench.run_to("below");
  EXPECT_EQ(bench.reg(18) & ACO, 0);
  EXPECT_EQ(requested(bench, GetParam().comparator_vector), bench.cycle_of(step));
  bench.run_to("above");
  EXPECT_EQ(bench.reg(18) & ACO, ACO);
  bench.run_to("bandgap");
  EXPECT_EQ(bench.reg(18) & ACO, 0) << "the bandgap is below AIN1";
  bench.run_to("multiplexed");
  EXPECT_EQ(bench.reg(18) & ACO, ACO) << "the bandgap is above 1 V";
}

}  // namespace
}  // namespace avrlan::testing
