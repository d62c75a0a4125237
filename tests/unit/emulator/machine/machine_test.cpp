#include "emulator/board/machine.hpp"

#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

class Machines : public ::testing::TestWithParam<const char*> {
 protected:
  std::string mcu() const { return GetParam(); }
  std::string program(const std::string& name) const { return name + "_" + mcu(); }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Machines, ::testing::Values("atmega328p", "atmega2560"),
                         [](const auto& test) { return std::string{test.param}; });

// Runs `program` to its end and checks that it is at the label `end`.
std::optional<MachineEnd> end_of(Bench& bench) {
  const auto end = bench.run_to_end(Duration::milliseconds(100));
  if (end) {
    EXPECT_EQ(bench.machine.pc(), label(bench.firmware, "end"));
  }
  EXPECT_EQ(bench.scheduler.now(), bench.machine.now());
  return end;
}

TEST_P(Machines, AJumpToItselfWithInterruptsOffIsTheEndAndR24TheStatus) {
  const std::pair<const char*, int> cases[] = {{"exit_0", 0}, {"exit_255", 255}, {"jmp", 9}};
  for (const auto& [name, status] : cases) {
    Bench bench(program(name), mcu());
    const auto end = end_of(bench);
    ASSERT_TRUE(end) << name;
    EXPECT_EQ(end->halt, cpu::Halt::jump_to_self) << name;
    EXPECT_EQ(end->status, status) << name;
    const Cycles cycle = bench.machine.cycle();
    EXPECT_TRUE(bench.run_to_end()) << "the end stays the end";
    EXPECT_EQ(bench.machine.cycle(), cycle);
    EXPECT_TRUE(bench.diagnostics.codes.empty());
  }
}

TEST_P(Machines, TheEndIsAtTheCycleAtWhichTheJumpWouldStart) {
  Bench bench(program("exit_0"), mcu());
  bench.run_to_end();
  EXPECT_EQ(bench.machine.cycle().count, 4 * 1 + 2 * 2 - 2 + 2);  // two LDI and STS for SP, LDI, CLI
}

TEST_P(Machines, AJumpToItselfWithInterruptsOnIsAnIdleLoop) {
  Bench bench(program("idle_loop"), mcu());
  EXPECT_FALSE(bench.run_to_end(Duration::milliseconds(10)));
  EXPECT_EQ(bench.machine.cycle().count, 160'001);
  EXPECT_EQ(bench.machine.totals().active, bench.machine.cycle());
}

TEST_P(Machines, SleepWithInterruptsOffIsTheEnd) {
  Bench bench(program("sleep"), mcu());
  const auto end = bench.run_to_end();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->halt, cpu::Halt::sleep);
  EXPECT_EQ(end->status, 0);
}

TEST_P(Machines, WhatAFirmwareMustNotDoIsADiagnosticAndTheEnd) {
  const std::pair<const char*, const char*> cases[] = {
      {"illegal", "illegal-opcode"}, {"wild_store", "wild-access"}, {"wild_load", "wild-access"}};
  for (const auto& [name, code] : cases) {
    Bench bench(program(name), mcu());
    const auto end = end_of(bench);
    ASSERT_TRUE(end) << name;
    EXPECT_EQ(end->halt, cpu::Halt::crashed) << name;
    EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{code}) << name;
  }
}

TEST_P(Machines, RunningOffTheFlashIsADiagnosticAndTheEnd) {
  Bench bench(program("outside_flash"), mcu());
  const auto end = bench.run_to_end(Duration::milliseconds(100));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->halt, cpu::Halt::crashed);
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"outside-flash"});
  EXPECT_EQ(bench.machine.pc(), bench.machine.mcu() == "atmega2560" ? 0x40000U : 0x8000U);
}

TEST(Machine, TheAtmega103ModeIsRefused) {
  Firmware firmware = assembled("exit_0_atmega328p");
  firmware.mcu.reset();
  firmware.fuses = {0xff, 0x99, 0xfd};
  Scheduler scheduler;
  MachineOptions options;
  options.mcu = "atmega128";
  EXPECT_THROW(Machine(find_board("uno-enc28j60"), firmware, scheduler, options), UsageError);
}

TEST_P(Machines, AWatchdogEndsAJumpToItself) {
  Bench bench(program("watchdog"), mcu());
  const auto end = end_of(bench);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, 5);
  // 2048 cycles of 128 kHz; then a crystal starts, and 65 ms.
  EXPECT_NEAR(static_cast<double>(bench.machine.cycle().count), 256'000 + 16'384 + 14 + 1'040'000, 100);
}

TEST_P(Machines, WhatIsBeingSentIsSentBeforeTheEnd) {
  Bench bench(program("sending"), mcu());
  std::string sent;
  bench.machine.on_uart([&](std::uint8_t byte) { sent += static_cast<char>(byte); });
  ASSERT_TRUE(end_of(bench));
  EXPECT_EQ(sent, "ok");
}

TEST_P(Machines, EveryCycleIsActiveOrAsleep) {
  Bench bench(program("wake"), mcu());
  while (!bench.machine.run_until(bench.clock.at(bench.machine.cycle() + Cycles{1}))) {
    const auto totals = bench.machine.totals();
    ASSERT_EQ(totals.total, bench.machine.cycle());
    ASSERT_EQ(totals.active + totals.sleep, totals.total);
    ASSERT_LE(totals.interrupt, totals.active);
  }
  EXPECT_GT(bench.machine.totals().sleep, Cycles{100});
  EXPECT_GT(bench.machine.totals().interrupt, Cycles{8});
}

TEST_P(Machines, AnEventDueAtACycleHappensBeforeTheInstructionThatStartsThere) {
  for (std::int64_t due = 1; due < 12; ++due) {
    Bench bench(program("exit_0"), mcu());
    Cycles seen{-1};
    bench.scheduler.at(bench.clock.at(Cycles{due}), [&] { seen = bench.machine.cycle(); });
    bench.run_to_end(bench.clock.at(Cycles{30}).since_start());
    // Instructions start at 0 (LDI), 1 (STS), 3 (LDI), 4 (STS), 6 (LDI), 7 (CLI), 8.
    const std::int64_t starts[] = {0, 1, 3, 3, 4, 6, 6, 7, 8};
    if (due <= 8) {
      EXPECT_EQ(seen.count, starts[due]) << due;
    }
  }
}

// What a peripheral schedules in the middle of a long slice cuts it short.
TEST_P(Machines, ALongRunIsTheSameAsSingleSteps) {
  for (const char* name : {"spi_flags", "usart", "wake"}) {
    Bench stepped(program(name), mcu());
    while (!stepped.machine.run_until(stepped.clock.at(stepped.machine.cycle() + Cycles{1}))) {
    }
    Bench whole(program(name), mcu());
    ASSERT_TRUE(whole.run_to_end()) << name;
    EXPECT_EQ(whole.machine.cycle(), stepped.machine.cycle()) << name;
    EXPECT_EQ(whole.machine.totals().sleep, stepped.machine.totals().sleep) << name;
    EXPECT_EQ(whole.machine.totals().interrupt, stepped.machine.totals().interrupt) << name;
  }
}

TEST(Machine, AFirmwareForAnotherMcuIsRefusedWithTheBoardThatHasIt) {
  Firmware firmware = assembled("exit_0_atmega2560");
  firmware.mcu = "atmega2560";
  Scheduler scheduler;
  try {
    Machine machine(find_board("uno-enc28j60"), firmware, scheduler);
    FAIL();
  } catch (const HostError& error) {
    EXPECT_NE(std::string{error.what()}.find("built for an atmega2560"), std::string::npos) << error.what();
    EXPECT_NE(error.hint().find("-mmcu=atmega328p"), std::string::npos) << error.hint();
    EXPECT_NE(error.hint().find("take board mega-enc28j60"), std::string::npos) << error.hint();
  }
  MachineOptions options;
  options.mcu = "atmega2560";
  EXPECT_NO_THROW(Machine(find_board("uno-enc28j60"), firmware, scheduler, options));
  options.mcu = "atmega128";
  try {
    Machine machine(find_board("mega-enc28j60"), firmware, scheduler, options);
    FAIL();
  } catch (const HostError& error) {
    EXPECT_NE(error.hint().find("leave the board its own MCU"), std::string::npos) << error.hint();
  }
}

TEST(Machine, AFirmwareForTheSameSiliconUnderAnotherNameRuns) {
  Firmware firmware = assembled("exit_0_atmega328p");
  firmware.mcu = "atmega328";
  Scheduler scheduler;
  EXPECT_NO_THROW(Machine(find_board("uno-enc28j60"), firmware, scheduler));
}

TEST(Machine, AnUnknownMcuIsRefusedWithTheListOfThoseThatAreKnown) {
  Scheduler scheduler;
  MachineOptions options;
  options.mcu = "atmega9999";
  try {
    Machine machine(find_board("uno-enc28j60"), assembled("exit_0_atmega328p"), scheduler, options);
    FAIL();
  } catch (const HostError& error) {
    EXPECT_NE(std::string{error.what()}.find("atmega9999"), std::string::npos);
    EXPECT_NE(error.hint().find("atmega328p, atmega324p"), std::string::npos);
  }
}

TEST(Machine, AFirmwareThatIsLargerThanItsMemoryIsRefused) {
  Firmware firmware = assembled("exit_0_atmega328p");
  Scheduler scheduler;
  firmware.flash.resize(32'768);
  EXPECT_NO_THROW(Machine(find_board("uno-enc28j60"), firmware, scheduler));
  firmware.flash.resize(32'770);
  EXPECT_THROW(Machine(find_board("uno-enc28j60"), firmware, scheduler), HostError);
  firmware.flash.resize(2);
  firmware.eeprom.resize(1'025);
  EXPECT_THROW(Machine(find_board("uno-enc28j60"), firmware, scheduler), HostError);
}

TEST(Machine, RunsAtTheFrequencyItIsGiven) {
  MachineOptions options;
  options.hz = 14'745'600;
  Bench bench("idle_loop_atmega328p", "atmega328p", options);
  bench.run_to_end(Duration::seconds(1));
  EXPECT_NEAR(static_cast<double>(bench.machine.cycle().count), 14'745'600, 2);
}

TEST(Machine, TwoRunsAreTheSameRun) {
  const auto run = [] {
    Bench bench("usart_atmega328p", "atmega328p");
    std::vector<std::int64_t> sent;
    bench.machine.on_uart([&](std::uint8_t) { sent.push_back(bench.scheduler.now().since_start().picoseconds()); });
    bench.run_to_end();
    sent.push_back(bench.machine.cycle().count);
    return sent;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace avrlan::testing
