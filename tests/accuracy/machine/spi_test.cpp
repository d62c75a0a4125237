#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"
#include "tests/accuracy/machine/plain_simavr.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t SPSR = 0x4d;
constexpr std::uint8_t SPIF = 0x80;
constexpr std::uint8_t WCOL = 0x40;

class Spi : public ::testing::TestWithParam<const char*> {
 protected:
  std::string mcu() const { return GetParam(); }
  std::string program(const std::string& name) const { return name + "_" + mcu(); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Spi, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

struct Setting {
  const char* label;
  std::int64_t divider;  // ATmega328P datasheet, table "Relationship Between SCK and the Oscillator Frequency"
};
constexpr Setting settings[] = {{"spi_2", 2},   {"spi_4", 4},   {"spi_8", 8},           {"spi_16", 16},
                                {"spi_32", 32}, {"spi_64", 64}, {"spi_64_doubled", 64}, {"spi_128", 128}};

TEST_P(Spi, AByteTakesEightTimesTheDividerFromTheStoreToSpif) {
  Bench bench(program("spi_dividers"), mcu());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  for (const auto& setting : settings) {
    const Cycles out = bench.run_to(setting.label);
    bench.step();
    const Cycles stored = bench.machine.cycle();
    EXPECT_EQ(stored, out + Cycles{1}) << setting.label;
    // The chip has its byte at the last clock edge, which is when SPIF is set.
    bench.run_until([&] { return (bench.machine.peek(SPSR) & SPIF) != 0; });
    ASSERT_EQ(chip.events.back().what, "00") << setting.label;
    EXPECT_EQ((bench.cycle_of(chip.events.back().when) - stored).count, 8 * setting.divider) << setting.label;
  }
}

TEST_P(Spi, PlainSimavrTakesAHundredMicrosecondsWhateverTheDivider) {
  PlainSimavr plain(program("spi_dividers"), mcu());
  for (const auto& setting : settings) {
    const Cycles out = plain.run_to(setting.label);
    const Cycles seen = plain.run_until([&] { return (plain.peek(SPSR) & SPIF) != 0; });
    EXPECT_NEAR(static_cast<double>((seen - out).count), 1601, 2) << setting.label;
  }
}

// At fosc/2 an IN that starts 17 cycles after the OUT is the first to see SPIF ...
TEST_P(Spi, SpifIsSeenSeventeenCyclesAfterAnOutAtHalfTheClock) {
  Bench bench(program("spi_flags"), mcu());
  bench.run_to("load_16_done");
  EXPECT_EQ(bench.reg(21) & SPIF, 0);
  bench.run_to("load_17_done");
  EXPECT_EQ(bench.reg(21) & SPIF, SPIF);
}

// ... an OUT that starts then does not collide, but its byte is lost; one cycle later all is well. Measured on an
// ATmega32U4, see spi.hpp.
TEST_P(Spi, BytesFollowEachOtherEveryEighteenCyclesAtHalfTheClock) {
  Bench bench(program("spi_flags"), mcu());
  ScriptedChip chip(bench.scheduler);
  chip.answers = {0, 0, 0x0f, 0x3c, 0x3c, 0x3c};
  bench.machine.attach(chip, chip);
  const auto bytes_until = [&](const char* label) {
    chip.events.clear();
    bench.run_to(label);
    while (bench.scheduler.next() < bench.machine.now() + Duration::microseconds(2)) bench.step();
    std::vector<std::string> bytes;
    for (const auto& event : chip.events) bytes.push_back(event.what);
    return bytes;
  };
  bench.run_to("store_16");
  EXPECT_EQ(bytes_until("store_16_done"), std::vector<std::string>{"a5"});
  EXPECT_EQ(bench.reg(21) & WCOL, WCOL);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{});
  EXPECT_EQ(bytes_until("store_17_done"), (std::vector<std::string>{"a5", "3c"})) << "what was received is sent";
  EXPECT_EQ(bench.reg(21) & WCOL, 0);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"spi-early-store"});
  EXPECT_EQ(bytes_until("store_18_done"), (std::vector<std::string>{"a5", "a5"}));
  EXPECT_EQ(bench.diagnostics.codes.size(), 1U);
}

TEST_P(Spi, APollingLoopAtAQuarterOfTheClockTakes37Cycles) {
  Bench bench(program("spi_flags"), mcu());
  const Cycles first = bench.run_to("loop_first");
  EXPECT_EQ((bench.run_to("loop_second") - first).count, 37);

  PlainSimavr plain(program("spi_flags"), mcu());
  const Cycles plain_first = plain.run_to("loop_first");
  EXPECT_NEAR(static_cast<double>((plain.run_to("loop_second") - plain_first).count), 1605, 4);
}

TEST_P(Spi, SpifIsClearedByLoadingSpsrAndThenAccessingSpdr) {
  Bench bench(program("spi_flags"), mcu());
  const auto spif = [&](const char* at) {
    bench.run_to(at);
    return bench.machine.peek(SPSR) & SPIF;
  };
  EXPECT_EQ(spif("not_seen"), SPIF) << "SPDR without SPSR";
  EXPECT_EQ(spif("seen"), SPIF) << "SPSR without SPDR";
  EXPECT_EQ(spif("cleared"), 0) << "both";
  EXPECT_EQ(spif("cleared_by_store"), 0) << "SPSR, then a store to SPDR";
  EXPECT_EQ(spif("seen_too_early"), SPIF) << "SPSR before SPIF was set";
}

}  // namespace
}  // namespace avrlan::testing
