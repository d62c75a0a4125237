#include "emulator/peripherals/gpio.hpp"

#include <gtest/gtest.h>
#include <simavr/sim_avr.h>

#include "emulator/board/simavr_chip.hpp"

namespace avrlan::peripherals {
namespace {

constexpr std::uint16_t PINB = 0x23, DDRB = 0x24, PORTB = 0x25;
constexpr Pin pb1{'B', 1};

// A chip whose clock the test moves; no program.
class GpioTest : public ::testing::Test {
 protected:
  void store(std::uint16_t address, std::uint8_t value) {
    const auto& write = chip.avr().io[AVR_DATA_TO_IO(address)].w;
    write.c(&chip.avr(), address, value, write.param);
  }
  std::uint8_t load(std::uint16_t address) {
    const auto& read = chip.avr().io[AVR_DATA_TO_IO(address)].r;
    return read.c(&chip.avr(), address, read.param);
  }
  void go_to(std::int64_t cycle) { chip.avr().cycle = static_cast<avr_cycle_count_t>(cycle); }

  const cpu::Mcu& part = *cpu::find_mcu("atmega328p");
  SimavrChip chip{part};
  Scheduler scheduler;
  McuClock clock{16'000'000};
  cpu::Interrupts interrupts;
  CycleEvents events{scheduler, clock};
  ClockDomains clocks;
  McuContext mcu{chip.avr(), part, scheduler, clock, events, clocks, interrupts, nullptr};
  Gpio gpio{mcu};
};

TEST_F(GpioTest, AnOverriddenValueShowsOnAnOutputOnly) {
  auto& oc = gpio.alternate(pb1, "OC1A");
  oc.value(true, Cycles{0});
  EXPECT_FALSE(gpio.level(pb1)) << "an input";
  store(DDRB, 0x02);
  EXPECT_TRUE(gpio.level(pb1));
  oc.value(false, Cycles{10});
  EXPECT_FALSE(gpio.level(pb1));
  store(PORTB, 0x02);
  EXPECT_FALSE(gpio.level(pb1)) << "PORTB does not decide";
  oc.release(Cycles{20});
  EXPECT_TRUE(gpio.level(pb1));
}

TEST_F(GpioTest, AnOverriddenDirectionBeatsDdr) {
  auto& txd = gpio.alternate(pb1, "TxD");
  txd.direction(true, Cycles{0});
  txd.value(true, Cycles{0});
  EXPECT_TRUE(gpio.is_output(pb1));
  EXPECT_TRUE(gpio.level(pb1));
  txd.direction(false, Cycles{0});
  store(DDRB, 0x02);
  EXPECT_FALSE(gpio.is_output(pb1));
  txd.direction(std::nullopt, Cycles{0});
  EXPECT_TRUE(gpio.is_output(pb1));
}

TEST_F(GpioTest, TheFirstOfTwoOverridesWins) {
  auto& first = gpio.alternate(pb1, "first");
  auto& second = gpio.alternate(pb1, "second");
  store(DDRB, 0x02);
  second.value(true, Cycles{0});
  first.value(false, Cycles{0});
  EXPECT_FALSE(gpio.level(pb1));
  first.release(Cycles{0});
  EXPECT_TRUE(gpio.level(pb1));
}

TEST_F(GpioTest, AnOverrideAtACycleIsSeenByTheInTwoCyclesLater) {
  auto& oc = gpio.alternate(pb1, "OC1A");
  store(DDRB, 0x02);
  go_to(100);
  oc.value(true, Cycles{100});
  // No opcode in flash: a load like LD, which looks in its second cycle.
  go_to(99);
  EXPECT_EQ(load(PINB), 0x00);
  go_to(100);
  EXPECT_EQ(load(PINB), 0x02);
}

TEST_F(GpioTest, WatchersHearEachLevelOnceAndWhenItChanges) {
  std::vector<std::pair<bool, std::int64_t>> heard;
  gpio.watch(pb1, [&](bool high) { heard.emplace_back(high, clock.first_at(gpio.changed_at()).count); });
  go_to(50);
  store(DDRB, 0x02);
  store(PORTB, 0x02);
  store(PORTB, 0x02);
  go_to(60);
  store(PORTB, 0x00);
  // An STS of two cycles.
  EXPECT_EQ(heard, (std::vector<std::pair<bool, std::int64_t>>{{true, 52}, {false, 62}}));
}

TEST_F(GpioTest, ALevelOnDemandIsAskedForByLoads) {
  auto& txd = gpio.alternate(pb1, "TxD");
  std::vector<std::int64_t> asked;
  txd.direction(true, Cycles{0});
  txd.value_on_demand(
      [&](Cycles cycle) {
        asked.push_back(cycle.count);
        return cycle.count >= 100;
      },
      Cycles{0});
  asked.clear();
  go_to(99);
  EXPECT_EQ(load(PINB) & 0x02, 0x00) << "the cycle before the second one of the load";
  go_to(100);
  EXPECT_EQ(load(PINB) & 0x02, 0x02);
  EXPECT_TRUE(gpio.level(pb1));
  EXPECT_EQ(asked, (std::vector<std::int64_t>{99, 100, 100}));
}

TEST_F(GpioTest, AnAlternateKnowsWhetherItIsWatched) {
  auto& txd = gpio.alternate(pb1, "TxD");
  std::vector<bool> told;
  txd.on_watched([&](bool watched) { told.push_back(watched); });
  EXPECT_FALSE(txd.watched());
  gpio.want('B', 0x02);
  gpio.want('B', 0x01);
  gpio.watch({'B', 2}, [](bool) {});
  gpio.watch(pb1, [](bool) {});
  EXPECT_TRUE(txd.watched());
  EXPECT_EQ(told, (std::vector<bool>{true, false, true}));
}

TEST_F(GpioTest, WhatIsSolderedToAPinDecidesWhereTheMcuDoesNot) {
  EXPECT_TRUE(gpio.is_floating(pb1));
  gpio.pull_up(pb1);
  EXPECT_TRUE(gpio.level(pb1));
  gpio.drive(pb1, false);
  EXPECT_FALSE(gpio.level(pb1));
  gpio.release(pb1);
  EXPECT_TRUE(gpio.level(pb1));
  EXPECT_FALSE(gpio.is_floating(pb1));
}

TEST_F(GpioTest, BitsWithoutAPinStayZero) {
  constexpr std::uint16_t DDRC = 0x27, PORTC = 0x28;
  store(DDRC, 0xff);
  store(PORTC, 0xff);
  EXPECT_EQ(chip.avr().data[DDRC], 0x7f);
  EXPECT_EQ(chip.avr().data[PORTC], 0x7f);
  EXPECT_FALSE(gpio.has({'C', 7}));
  EXPECT_TRUE(gpio.has({'C', 6}));
}

TEST_F(GpioTest, SimavrsIrqsFollow) {
  std::uint32_t level = 9;
  avr_irq_t* irq = avr_io_getirq(&chip.avr(), AVR_IOCTL_DEF('i', 'o', 'g', 'B'), 1);
  avr_irq_register_notify(
      irq, [](avr_irq_t*, std::uint32_t value, void* to) { *static_cast<std::uint32_t*>(to) = value; }, &level);
  store(DDRB, 0x02);
  store(PORTB, 0x02);
  EXPECT_EQ(level, 1u);
  store(PORTB, 0x00);
  EXPECT_EQ(level, 0u);
}

}  // namespace
}  // namespace avrlan::peripherals
