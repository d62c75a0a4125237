#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t SPSR = 0x4d;
constexpr std::uint8_t SPIF = 0x80;
constexpr std::uint16_t UCSR0A = 0xc0;
constexpr std::uint8_t TXC = 0x40;

constexpr std::int64_t spi_byte = 8 * 128;
constexpr std::int64_t uart_frame = 10 * 16 * 8;

struct Mode {
  const char* name;
  bool stops;             // clkIO: table "Active Clock Domains and Wake-up Sources in the Different Sleep Modes"
  std::int64_t start_up;  // 16K CK: a crystal, slowly rising power; six CK from standby
};

class Sleep : public ::testing::TestWithParam<std::tuple<const char*, Mode>> {};
INSTANTIATE_TEST_SUITE_P(
    Mcus, Sleep,
    ::testing::Combine(::testing::Values("atmega328p", "atmega2560"),
                       ::testing::Values(Mode{"idle", false, 0}, Mode{"adc_noise_reduction", true, 0},
                                         Mode{"power_down", true, 16384}, Mode{"power_save", true, 16384},
                                         Mode{"standby", true, 6}, Mode{"extended_standby", true, 6})),
    [](const auto& test) { return std::string{std::get<0>(test.param)} + "_" + std::get<1>(test.param).name; });

TEST_P(Sleep, ATransferStandsStillWhileTheClockOfIoDoes) {
  const std::string mcu = std::get<0>(GetParam());
  const Mode& mode = std::get<1>(GetParam());
  Bench bench(std::string{"sleep_"} + mode.name + "_" + mcu, mcu);
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles loaded = bench.run_to("ubrr_stored");
  const Cycles written = bench.run_to("write_uart") + Cycles{2};
  // Of the baud rate generator's ticks, one a cycle until UBRR is stored, the transmitter takes every 16th.
  const std::int64_t ticks = loaded.count + (written - loaded).count / 8;
  const Cycles uart = loaded + Cycles{((ticks / 16 + 1) * 16 - loaded.count) * 8};
  const Cycles spi = bench.run_to("write_spi") + Cycles{1};
  const Cycles asleep = bench.run_to("asleep") + Cycles{1};
  const Cycles event = asleep + Cycles{100};
  bench.scheduler.at(bench.clock.at(event), [&] { chip.set_int_pin(false); });
  const Cycles handler = bench.run_to("handler");
  const std::int64_t response = mcu == "atmega2560" ? 5 : 4;
  constexpr std::int64_t jmp = 3;
  // With its clock, the synchroniser takes a cycle.
  const std::int64_t synchroniser = mode.stops ? 0 : 1;
  EXPECT_EQ((handler - event).count, synchroniser + mode.start_up + 2 * response + jmp);
  const Cycles stood = mode.stops ? event + Cycles{mode.start_up} - asleep : Cycles{0};
  bench.run_until([&] { return (bench.machine.peek(SPSR) & SPIF) != 0; });
  const Cycles spi_end = bench.cycle_of(chip.events.back().when);
  EXPECT_EQ((spi_end - spi).count, spi_byte + stood.count);
  std::vector<Cycles> sent;
  bench.machine.on_uart([&](std::uint8_t) { sent.push_back(bench.cycle_of(bench.scheduler.now())); });
  bench.run_until([&] { return (bench.machine.peek(UCSR0A) & TXC) != 0; });
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ((sent[0] - uart).count, uart_frame + stood.count);
}

}  // namespace
}  // namespace avrlan::testing
