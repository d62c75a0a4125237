#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"
#include "tests/accuracy/machine/plain_simavr.hpp"

namespace avrlan::testing {
namespace {

struct Core {
  const char* mcu;
  std::int64_t entry;   // "Interrupt Response Time": 4 cycles, 5 with a 3-byte program counter
  std::int64_t leave;   // RETI
  unsigned ext_vector;  // INT0 or INT4
  unsigned spi_vector;
};

class Interrupt : public ::testing::TestWithParam<Core> {
 protected:
  std::string mcu() const { return GetParam().mcu; }
  std::string program(const std::string& name) const { return name + "_" + mcu(); }
  std::uint32_t ext_vector() const { return GetParam().ext_vector * 4; }
};
INSTANTIATE_TEST_SUITE_P(Mcus, Interrupt,
                         ::testing::Values(Core{"atmega328p", 4, 4, 1, 17}, Core{"atmega2560", 5, 5, 5, 24}),
                         [](const auto& test) { return std::string{test.param.mcu}; });

constexpr std::int64_t cbi = 2;
constexpr std::int64_t edge = 3;  // from the end of CBI to INTFn: one cycle to PINxn, two in the edge detector
constexpr std::int64_t jmp = 3;

TEST_P(Interrupt, TheFirstInstructionOfTheHandlerStartsAfterTheEntry) {
  Bench bench(program("interrupt_entry"), mcu());
  const Cycles trigger = bench.run_to("trigger");
  EXPECT_EQ((bench.run_to_address(ext_vector()) - trigger).count, cbi + edge + GetParam().entry);
  EXPECT_EQ((bench.run_to("handler") - trigger).count, cbi + edge + GetParam().entry + jmp);
}

TEST_P(Interrupt, PlainSimavrEntersForNothing) {
  PlainSimavr plain(program("interrupt_entry"), mcu());
  const Cycles trigger = plain.run_to("trigger");
  EXPECT_EQ((plain.run_to_address(ext_vector()) - trigger).count, cbi);
}

TEST_P(Interrupt, TheCyclesOfAHandlerAreThoseFromItsEntryToItsReti) {
  Bench bench(program("interrupt_entry"), mcu());
  bench.run_to("returned");
  const std::int64_t handler = GetParam().entry + jmp + 1 + GetParam().leave;
  EXPECT_EQ(bench.machine.totals().interrupt.count, handler);
  EXPECT_EQ(bench.machine.totals().sleep.count, 0);
  EXPECT_EQ(bench.machine.totals().active, bench.machine.cycle());
}

constexpr unsigned counted = 21;   // main's count when the handler last ran
constexpr unsigned handlers = 23;  // how often it ran

TEST_P(Interrupt, OneInstructionRunsAfterSei) {
  Bench bench(program("interrupt_shadow"), mcu());
  bench.run_to("after_sei");
  EXPECT_EQ(bench.reg(counted), 1);

  PlainSimavr plain(program("interrupt_shadow"), mcu());
  plain.run_to("after_sei");
  EXPECT_EQ(plain.peek(counted), 2);
}

TEST_P(Interrupt, OneInstructionRunsAfterAStoreToSreg) {
  Bench bench(program("interrupt_shadow"), mcu());
  bench.run_to("after_out_sreg");
  EXPECT_EQ(bench.reg(counted), 1);

  PlainSimavr plain(program("interrupt_shadow"), mcu());
  plain.run_to("after_out_sreg");
  EXPECT_EQ(plain.peek(counted), 2);
}

TEST_P(Interrupt, OneInstructionRunsAfterReti) {
  Bench bench(program("interrupt_shadow"), mcu());
  bench.run_to("after_reti");
  EXPECT_EQ(bench.reg(handlers), 2);
  EXPECT_EQ(bench.reg(counted), 2);
}

TEST_P(Interrupt, OneInstructionRunsAfterRetiEvenIfInterruptsWereOn) {
  Bench bench(program("reti_enabled"), mcu());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles leaves = bench.run_to("leaves");
  bench.scheduler.at(bench.clock.at(leaves + Cycles{1}), [&] { chip.set_int_pin(false); });
  bench.run_to("after");
  EXPECT_EQ(bench.reg(counted), 1);
}

TEST_P(Interrupt, AnInterruptFitsBetweenSeiNopAndCli) {
  Bench bench(program("interrupt_shadow"), mcu());
  bench.run_to("after_sei_nop_cli");
  EXPECT_EQ(bench.reg(handlers), 1);

  PlainSimavr plain(program("interrupt_shadow"), mcu());
  plain.run_to("after_sei_nop_cli");
  EXPECT_EQ(plain.peek(handlers), 0);
}

TEST_P(Interrupt, AFlagThatComesBeforeItsEnableBitIsServed) {
  Bench bench(program("interrupt_shadow"), mcu());
  bench.run_to("before_enable");
  EXPECT_EQ(bench.reg(handlers), 0);
  bench.run_to("after_enable");
  EXPECT_EQ(bench.reg(handlers), 1);
}

// The same for a timer.
TEST_P(Interrupt, ATimerFlagThatComesBeforeItsEnableBitIsServed) {
  Bench bench(program("timer_flag_first"), mcu());
  bench.run_to("before_enable");
  EXPECT_EQ(bench.reg(handlers), 0);
  bench.run_to("after_enable");
  EXPECT_EQ(bench.reg(handlers), 1);

  PlainSimavr plain(program("timer_flag_first"), mcu());
  plain.run_to("after_enable");
  EXPECT_EQ(plain.peek(handlers), 0);
}

TEST_P(Interrupt, AOneStoredToEifrTakesTheRequestBack) {
  constexpr std::uint16_t EIFR = 0x3c;
  Bench bench(program("interrupt_shadow"), mcu());
  bench.run_to("flag_kept");
  EXPECT_NE(bench.machine.peek(EIFR), 0);
  bench.run_to("flag_cleared");
  EXPECT_EQ(bench.machine.peek(EIFR), 0);
  bench.run_to("after_flag_cleared");
  EXPECT_EQ(bench.reg(handlers), 0);
}

TEST_P(Interrupt, ALowLevelIsServedAgainAfterEachInstruction) {
  Bench bench(program("level_interrupt"), mcu());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  bench.run_to("ready");
  chip.set_int_pin(false);
  // Low before the interrupt is enabled.
  bench.run_to("counting");
  bench.run_until([&] { return bench.reg(20) == 10; });
  EXPECT_EQ(bench.reg(handlers), 9);
  bench.run_until([&] { return bench.reg(handlers) == 10; });
  chip.set_int_pin(true);
  bench.run_until([&] { return bench.reg(20) == 20; });
  EXPECT_EQ(bench.reg(handlers), 10);
}

// The same section: 4 cycles more from sleep; ATmega640/1280/1281/2560/2561 datasheet: 5 more.
TEST_P(Interrupt, WakingTakesAsManyCyclesAgainAsAnEntry) {
  Bench bench(program("wake"), mcu());
  ScriptedChip chip(bench.scheduler);
  bench.machine.attach(chip, chip);
  const Cycles write = bench.run_to("write");
  const Cycles handler = bench.run_to_address(GetParam().spi_vector * 4);
  const Cycles event = bench.cycle_of(chip.events.back().when);
  EXPECT_EQ((event - write).count, 1 + 8 * 16);
  const std::int64_t wake = GetParam().entry;
  EXPECT_EQ((handler - event).count, wake + GetParam().entry);
  // Asleep from the end of SLEEP until the event, and halted while waking.
  EXPECT_EQ(bench.machine.totals().sleep.count, 8 * 16 - 1 + wake);
  bench.run_to("woken");
  EXPECT_EQ(bench.machine.totals().interrupt.count, GetParam().entry + jmp + 1 + GetParam().leave);
}

TEST_P(Interrupt, PlainSimavrWakesInOneCycle) {
  PlainSimavr plain(program("wake"), mcu());
  const Cycles write = plain.run_to("write");
  const Cycles handler = plain.run_to_address(GetParam().spi_vector * 4);
  EXPECT_EQ((handler - write).count, 1600 + 1);
}

TEST_P(Interrupt, SleepWithoutSeIsANop) {
  Bench bench(program("wake"), mcu());
  const Cycles disabled = bench.run_to("disabled");
  const Cycles slept = bench.machine.totals().sleep;
  EXPECT_EQ((bench.run_to("not_slept") - disabled).count, 1);
  EXPECT_EQ(bench.machine.totals().sleep, slept);
}

}  // namespace
}  // namespace avrlan::testing
