#include <gtest/gtest.h>

#include <array>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

struct Part {
  const char* mcu;
  Pin pin;             // the chip's INT
  unsigned vector;     // as a byte address
  std::uint8_t flag;   // INTFn
  std::int64_t entry;  // "Interrupt Response Time"
  bool edges_wake;     // detected asynchronously
};

const std::array parts = {
    Part{"atmega8", {'D', 2}, 1 * 2, 0x40, 4, false},   Part{"atmega32", {'D', 2}, 1 * 4, 0x40, 4, false},
    Part{"atmega128", {'E', 4}, 5 * 4, 0x10, 4, false}, Part{"atmega328p", {'D', 2}, 1 * 4, 0x01, 4, false},
    Part{"atmega644p", {'D', 2}, 1 * 4, 0x01, 4, true}, Part{"atmega2560", {'E', 4}, 5 * 4, 0x10, 5, false},
    Part{"atmega32u4", {'D', 0}, 1 * 4, 0x01, 4, true}};

class ExternalInterrupt : public ::testing::TestWithParam<Part> {
 protected:
  std::string mcu() const { return GetParam().mcu; }
  Board board() const {
    Board wired = board_with(mcu());
    wired.nic_int = GetParam().pin;
    return wired;
  }
  Firmware program(const std::string& name = "ext_interrupts") const { return assembled(name + "_" + mcu()); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, ExternalInterrupt, ::testing::ValuesIn(parts),
                         [](const auto& test) { return std::string{test.param.mcu}; });

TEST_P(ExternalInterrupt, AnEdgeIsFlaggedThreeCyclesAfterItsStore) {
  Bench bench(program(), board());
  bench.run_to("sensed");
  const std::uint8_t flag = GetParam().flag;
  EXPECT_EQ(bench.reg(2) & flag, 0);
  EXPECT_EQ(bench.reg(3) & flag, 0);
  EXPECT_EQ(bench.reg(4) & flag, 0);
  EXPECT_EQ(bench.reg(5) & flag, flag);
}

TEST_P(ExternalInterrupt, IscChoosesTheEdge) {
  Bench bench(program(), board());
  bench.run_to("sensed");
  const std::uint8_t flag = GetParam().flag;
  EXPECT_EQ(bench.reg(6) & flag, 0) << "rising, when falling is chosen";
  EXPECT_EQ(bench.reg(7) & flag, 0) << "falling, when rising is chosen";
  EXPECT_EQ(bench.reg(8) & flag, flag) << "rising";
  EXPECT_EQ(bench.reg(9) & flag, flag) << "any: falling";
  EXPECT_EQ(bench.reg(10) & flag, flag) << "any: rising";
  EXPECT_EQ(bench.reg(11) & flag, 0) << "a level interrupt has no flag";
  EXPECT_EQ(bench.reg(12) & flag, 0) << "not even when it is low";
}

TEST_P(ExternalInterrupt, ALowLevelIsSeenAsPinIs) {
  Bench bench(program(), board());
  const Cycles level = bench.run_to("level");
  EXPECT_EQ((bench.run_to_address(GetParam().vector) - level).count, 2 + 1 + GetParam().entry);
}

// 2 1/2 to 3 1/2 cycles.
TEST_P(ExternalInterrupt, AnEdgeFromOutsideIsFlaggedAfterTheSynchroniserAndTheDetector) {
  constexpr Duration half_a_cycle = Duration::picoseconds(31'250);
  struct Row {
    Duration after;   // the first IN began
    unsigned unseen;  // INs that see no flag
  };
  for (const Row& row : {Row{Duration{}, 3}, Row{half_a_cycle, 3}, Row{half_a_cycle + Duration::picoseconds(1), 4},
                         Row{half_a_cycle * 2, 4}}) {
    Bench bench(program(), board());
    ScriptedChip chip(bench.scheduler);
    bench.machine.attach(chip, chip);
    const Cycles first = bench.run_to("sampled");
    bench.scheduler.at(bench.clock.at(first) + row.after, [&] { chip.set_int_pin(false); });
    bench.run_to("read");
    for (unsigned n = 0; n < 6; ++n) {
      EXPECT_EQ((bench.reg(16 + n) & GetParam().flag) != 0, n >= row.unseen)
          << "IN number " << n << ", edge after " << row.after.picoseconds() << " ps";
    }
  }
}

TEST(ExternalInterrupt2, HasOneBitThatChoosesTheEdge) {
  for (const char* mcu : {"atmega16", "atmega32"}) {
    Bench bench(std::string{"int2_"} + mcu, mcu);
    bench.run_to_end();
    constexpr std::uint8_t INTF2 = 0x20;
    EXPECT_EQ(bench.reg(2) & INTF2, INTF2) << mcu;
    EXPECT_EQ(bench.reg(3) & INTF2, 0) << mcu;
    EXPECT_EQ(bench.reg(4) & INTF2, 0) << mcu;
    EXPECT_EQ(bench.reg(5) & INTF2, INTF2) << mcu;
  }
}

struct Changes {
  const char* mcu;
  std::uint8_t a, b, c;  // the flags of the three pins
  unsigned vector;       // of a
  std::int64_t entry;
};

class PinChange : public ::testing::TestWithParam<Changes> {
 protected:
  std::string program() const { return std::string{"pin_change_"} + GetParam().mcu; }
};
INSTANTIATE_TEST_SUITE_P(Mcus, PinChange,
                         ::testing::Values(Changes{"atmega328p", 1, 2, 4, 3 * 4, 4},
                                           Changes{"atmega644p", 1, 2, 8, 4 * 4, 4},
                                           Changes{"atmega2560", 2, 2, 4, 10 * 4, 5}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

TEST_P(PinChange, PinsThatAreMaskedInSetTheFlagOfTheirGroup) {
  const Changes& part = GetParam();
  Bench bench(program(), part.mcu);
  bench.run_to("flags");
  EXPECT_EQ(bench.reg(2), 0) << "masked out";
  EXPECT_EQ(bench.reg(3), 0);
  EXPECT_EQ(bench.reg(4), 0);
  EXPECT_EQ(bench.reg(5), 0);
  EXPECT_EQ(bench.reg(6), part.a) << "three cycles after the store";
  EXPECT_EQ(bench.reg(7), part.b);
  EXPECT_EQ(bench.reg(8), part.b | part.c);
  EXPECT_EQ(bench.reg(9), (part.b | part.c) & ~part.a) << "SBI clears one flag";
}

TEST_P(PinChange, InterruptsAtItsVectorAndIsAcknowledged) {
  const Changes& part = GetParam();
  Bench bench(program(), part.mcu);
  const Cycles enabled = bench.run_to("enabled");
  // LDS, ORI, STS; then the synchroniser and the detector.
  EXPECT_EQ((bench.run_to_address(part.vector) - enabled).count, 2 + 1 + 2 + 3 + part.entry);
  bench.run_to_end();
  EXPECT_EQ(bench.reg(10), 0);
}

// Table "Active Clock Domains and Wake-up Sources in the Different Sleep Modes".
class PinSleep : public ExternalInterrupt {};
INSTANTIATE_TEST_SUITE_P(Mcus, PinSleep, ::testing::ValuesIn(parts.begin() + 2, parts.end()),
                         [](const auto& test) { return std::string{test.param.mcu}; });

TEST_P(PinSleep, EdgesWakeFromPowerDownWhereTheyNeedNoClock) {
  Bench bench(program("sleep_edge"), board());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles sleeps = bench.run_to("sleeps");
  bench.scheduler.at(bench.clock.at(sleeps + Cycles{1000}), [&] { chip.set_int_pin(false); });
  const auto end = bench.run_to_end(Duration::milliseconds(10));
  EXPECT_EQ(end.has_value(), GetParam().edges_wake);
  EXPECT_EQ(bench.reg(2), GetParam().edges_wake ? 1 : 0);
}

TEST_P(PinSleep, ALowLevelWakesFromPowerDown) {
  Bench bench(program("sleep_level"), board());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles sleeps = bench.run_to("sleeps");
  bench.scheduler.at(bench.clock.at(sleeps + Cycles{1000}), [&] { chip.set_int_pin(false); });
  EXPECT_TRUE(bench.run_to_end(Duration::milliseconds(10)));
  EXPECT_EQ(bench.reg(2), 1);
}

TEST(PinSleepChange, WakesFromPowerDown) {
  Board wired = board_with("atmega2560");
  wired.nic_int = Pin{'J', 0};
  Bench bench(assembled("sleep_change_atmega2560"), wired);
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles sleeps = bench.run_to("sleeps");
  bench.scheduler.at(bench.clock.at(sleeps + Cycles{1000}), [&] { chip.set_int_pin(false); });
  EXPECT_TRUE(bench.run_to_end(Duration::milliseconds(10)));
  EXPECT_EQ(bench.reg(3), 1);
}

TEST(PinSleepChange, WakesFromPowerDownAndTheEdgeIsFlaggedWhenTheClockIsBack) {
  Bench bench("sleep_change_atmega328p", "atmega328p");
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles sleeps = bench.run_to("sleeps");
  bench.scheduler.at(bench.clock.at(sleeps + Cycles{1000}), [&] { chip.set_int_pin(false); });
  EXPECT_TRUE(bench.run_to_end(Duration::milliseconds(10)));
  EXPECT_EQ(bench.reg(3), 1) << "the pin change";
  EXPECT_EQ(bench.reg(4) & 1, 1) << "INTF0";
}

}  // namespace
}  // namespace avrlan::testing
