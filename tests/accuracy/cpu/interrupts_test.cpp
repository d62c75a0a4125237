// When interrupts are entered and left, and what SLEEP does: datasheet sections "Reset and Interrupt Handling", "Interrupt
// Response Time" and "Power Management and Sleep Modes". Vectors of our own, raised by hand at a cycle; timers of simavr's where
// flags and enable bits are the point.

#include <gtest/gtest.h>

#include "tests/accuracy/cpu/rig.hpp"

namespace avrlan::cpu::test {
namespace {

constexpr unsigned kFirst = 1, kSecond = 2;  // INT0 and INT1 on the ATmega328P and ATmega2560
constexpr std::uint32_t kMain = 0x100;
constexpr std::uint16_t kSreg = 0x3F, kSmcr = 0x33;

// A main program of NOPs, and for each vector a handler: INC r20 (r21 for the second), RETI.
class Interrupted : public testing::TestWithParam<const char*> {
 protected:
  Interrupted() : Interrupted(GetParam()) {}
  explicit Interrupted(const char* mcu, ExactOptions options = {})
      : rig(mcu, options), entry(rig.avr().address_size + 2) {
    rig.load(0, {op::rjmp(kMain - 1), op::nop});
    rig.load(vector_word(kFirst), {op::inc(20), op::reti});
    rig.load(vector_word(kSecond), {op::inc(21), op::reti});
    std::vector<std::uint16_t> nops(64, op::nop);
    rig.load(kMain, nops);
    rig.set_pc(kMain);
    rig.set_sp(0x0400);
    rig.set_sreg(0x80);
    rig.data()[20] = rig.data()[21] = 0;
  }

  std::uint32_t vector_word(unsigned vector) { return vector * rig.avr().vector_size / 2; }
  // Runs whole steps until the program counter is there; the cycle.
  std::int64_t reach(std::uint32_t pc, std::int64_t limit = 1'000'000) {
    while (rig.pc() != pc && rig.cycle() < limit && rig.halt() == Halt::none) rig.step();
    return rig.cycle();
  }

  Rig rig;
  std::int64_t entry;  // cycles of an interrupt's entry: 4, 5 with a program counter of three bytes
};

TEST_P(Interrupted, EntryTakesFourOrFiveCyclesAfterTheInstruction) {
  rig.request_at(10, kFirst);
  EXPECT_EQ(reach(vector_word(kFirst)), 10 + entry);
  EXPECT_EQ(rig.sp(), 0x0400 - rig.avr().address_size);
  EXPECT_EQ(rig.sreg() & 0x80, 0) << "I is cleared on entry";
  EXPECT_EQ(rig.data()[0x0400], (kMain + 10) & 0xFF);
  EXPECT_EQ(rig.data()[0x03FF], (kMain + 10) >> 8);
  EXPECT_EQ(rig.step(), 1) << "INC";
  EXPECT_EQ(rig.step(), entry) << "RETI";
  EXPECT_EQ(rig.pc(), kMain + 10);
  EXPECT_EQ(rig.sreg() & 0x80, 0x80);
}

TEST_P(Interrupted, AMultiCycleInstructionIsCompletedFirst) {
  rig.load(kMain + 9, {op::mul(16, 17), op::mul(16, 17)});  // cycles 9 to 10 and 11 to 12
  rig.request_at(10, kFirst);
  EXPECT_EQ(reach(vector_word(kFirst)), 11 + entry);
}

TEST_P(Interrupted, TheLowestVectorIsServedFirst) {
  rig.request_at(10, kSecond);
  rig.request_at(10, kFirst);
  reach(vector_word(kSecond));
  EXPECT_EQ(rig.data()[20], 1) << "the first handler has run";
}

TEST_P(Interrupted, OneInstructionIsExecutedBetweenTwo) {
  rig.request_at(10, kFirst);
  rig.request_at(11, kSecond);
  reach(vector_word(kSecond));
  EXPECT_EQ(rig.cycle(), 10 + entry + 1 + entry + 1 + entry) << "entry, INC, RETI, NOP, entry";
  EXPECT_EQ(rig.data()[0x0400], (kMain + 11) & 0xFF) << "one NOP later than the first";
}

TEST_P(Interrupted, ALevelThatStaysFiresAgainAfterOneInstruction) {
  rig.interrupts().connect(kFirst, [] {});
  rig.interrupts().request(kFirst, true);
  for (unsigned round = 0; round < 4; ++round) {
    reach(vector_word(kFirst));
    EXPECT_EQ(rig.data()[0x0400], (kMain + round) & 0xFF);
    rig.step();
    rig.step();
    rig.step();
  }
}

TEST_P(Interrupted, SeiLetsOneInstructionGo) {
  rig.set_sreg(0);
  rig.load(kMain, {op::sei, op::nop, op::cli});
  rig.request_at(0, kFirst);
  reach(vector_word(kFirst));
  EXPECT_EQ(rig.cycle(), 2 + entry);
  EXPECT_EQ(rig.data()[0x0400], (kMain + 2) & 0xFF) << "before CLI";
}

TEST_P(Interrupted, SeiCliLetsNothingIn) {
  rig.set_sreg(0);
  rig.load(kMain, {op::sei, op::cli, op::nop});
  rig.request_at(0, kFirst);
  rig.run_to(20);
  EXPECT_EQ(rig.data()[20], 0);
  EXPECT_TRUE(rig.interrupts().requested(kFirst));
}

TEST_P(Interrupted, AnEventRightAfterSeiWaitsForOneInstruction) {
  rig.set_sreg(0);
  rig.load(kMain, {op::sei, op::nop, op::nop});
  rig.request_at(1, kFirst);
  EXPECT_EQ(reach(vector_word(kFirst)), 2 + entry);
}

TEST_P(Interrupted, SeiWithInterruptsAlreadyOnDelaysNothing) {
  rig.load(kMain, {op::sei, op::nop, op::nop});
  rig.request_at(1, kFirst);
  EXPECT_EQ(reach(vector_word(kFirst)), 1 + entry);
}

TEST_P(Interrupted, WritingSregLetsOneInstructionGo) {
  for (const bool with_out : {true, false}) {
    Interrupted::rig.set_pc(kMain);
    rig.set_sreg(0);
    rig.data()[16] = 0x80;
    if (with_out) {
      rig.load(kMain, {op::out(kSreg, 16), op::nop, op::nop, op::nop});
    } else {
      rig.load(kMain, {op::sts(16), 0x5F, op::nop, op::nop});
    }
    const std::int64_t start = rig.cycle();
    rig.request_at(start, kFirst);
    reach(vector_word(kFirst));
    EXPECT_EQ(rig.cycle(), start + (with_out ? 1 : 2) + 1 + entry);
    rig.step();
    rig.step();
    EXPECT_EQ(rig.pc(), kMain + (with_out ? 2U : 3U));
  }
}

TEST_P(Interrupted, CliRightBeforeTheEventKeepsItOut) {
  rig.load(kMain + 9, {op::cli});
  rig.request_at(10, kFirst);
  rig.run_to(40);
  EXPECT_EQ(rig.data()[20], 0);
}

TEST_P(Interrupted, WakingTakesTheEntryTwice) {
  rig.load(kMain, {op::ldi(16, 0x01), op::out(kSmcr, 16), op::sleep, op::nop});
  rig.request_at(100, kFirst);
  EXPECT_EQ(reach(vector_word(kFirst)), 100 + 2 * entry);
  EXPECT_EQ(rig.data()[0x0400], (kMain + 3) & 0xFF) << "it goes on after SLEEP";
  const CycleTotals totals = rig.engine().totals();
  EXPECT_EQ(totals.sleep.count, 100 - 3 + entry) << "asleep from cycle 3, the clock of the core stands while it wakes";
  EXPECT_EQ(totals.active.count, 3 + entry);
  EXPECT_EQ(totals.interrupt.count, entry);
}

TEST_P(Interrupted, SleepIsEnteredBeforeAPendingInterrupt) {
  rig.set_sreg(0);
  rig.data()[0x53] = 0x01;
  rig.load(kMain, {op::sei, op::sleep, op::nop});
  rig.request_at(0, kFirst);
  EXPECT_EQ(reach(vector_word(kFirst)), 2 + 2 * entry);
  EXPECT_EQ(rig.data()[0x0400], (kMain + 2) & 0xFF);
}

TEST_P(Interrupted, SleepWithoutSleepEnableDoesNothing) {
  rig.load(kMain, {op::sleep, op::inc(22)});
  rig.data()[22] = 0;
  rig.run_to(2);
  EXPECT_EQ(rig.data()[22], 1);
  EXPECT_EQ(rig.engine().totals().sleep.count, 0);
}

TEST_P(Interrupted, SleepWithInterruptsOffEndsTheRun) {
  rig.set_sreg(0);
  rig.data()[0x53] = 0x01;
  rig.load(kMain, {op::sleep});
  EXPECT_EQ(rig.run_to(1000), Halt::sleep);
  EXPECT_EQ(rig.cycle(), 1);
  EXPECT_EQ(rig.run_to(2000), Halt::sleep) << "and stays so";
}

TEST_P(Interrupted, NestedInterruptsCountOnce) {
  // The first handler enables interrupts; the second comes while it runs.
  rig.load(0x80, {op::sei, op::nop, op::nop, op::nop, op::nop, op::nop, op::nop, op::nop, op::reti});
  rig.load(vector_word(kFirst), {op::rjmp(static_cast<int>(0x80 - vector_word(kFirst) - 1))});
  rig.request_at(10, kFirst);
  rig.request_at(10 + entry + 5, kSecond);
  rig.run_to(60);
  EXPECT_EQ(rig.data()[21], 1);
  const CycleTotals totals = rig.engine().totals();
  EXPECT_EQ(totals.interrupt.count, (entry + 2 + 8 + entry) + (entry + 1 + entry));
  EXPECT_EQ(totals.total, Cycles{rig.cycle()});
  EXPECT_EQ(totals.active + totals.sleep, totals.total);
}

INSTANTIATE_TEST_SUITE_P(Cores, Interrupted, testing::Values("atmega328p", "atmega2560"),
                         [](const auto& mcu) { return std::string(mcu.param); });

// simavr's timer 0 of the ATmega328P: TOV0 in TIFR0 (0x35), TOIE0 in TIMSK0 (0x6E), TCCR0B (0x45), vector 16.
constexpr unsigned kTimer0Overflow = 16;

class Timer0 : public testing::Test {
 protected:
  Timer0() : rig("atmega328p") {
    std::vector<std::uint16_t> nops(1200, op::nop);
    rig.load(kMain, nops);
    rig.load(2 * kTimer0Overflow, {op::inc(20), op::reti});
    rig.set_pc(kMain);
    rig.set_sp(0x0400);
    rig.data()[20] = 0;
  }
  Rig rig;
};

TEST_F(Timer0, AFlagThatIsSetBeforeItsInterruptIsEnabledFires) {
  rig.load(kMain, {op::ldi(16, 0x01), op::out(0x25, 16), op::sei});  // TCCR0B: no prescaler
  rig.load(kMain + 400, {op::sts(16), 0x6E, op::nop, op::nop});      // TIMSK0
  rig.run_to(390);
  EXPECT_EQ(rig.data()[0x35] & 1, 1) << "TOV0 is up";
  EXPECT_EQ(rig.data()[20], 0) << "and nobody serves it";
  while (rig.pc() != 2 * kTimer0Overflow && rig.cycle() < 1000) rig.step();
  EXPECT_EQ(rig.cycle(), 400 + 2 + 4);
  EXPECT_EQ(rig.data()[0x35] & 1, 0) << "the entry clears the flag";
}

TEST_F(Timer0, WakesFromIdleAndNotFromPowerDown) {
  for (const bool idle : {true, false}) {
    Rig mcu("atmega328p");
    mcu.load(kMain, {op::ldi(16, 0x01), op::out(0x25, 16), op::sts(16), 0x6E, op::sei, op::sleep});
    mcu.load(2 * kTimer0Overflow, {op::inc(20), op::reti});
    mcu.set_pc(kMain);
    mcu.set_sp(0x0400);
    mcu.data()[20] = 0;
    mcu.data()[0x53] = idle ? 0x01 : 0x05;
    mcu.run_to(300);
    EXPECT_EQ(mcu.data()[20], idle ? 1 : 0);
  }
}

struct Heard : SleepListener {
  std::vector<std::pair<int, std::int64_t>> events;
  void fell_asleep(SleepMode mode, Cycles now) override { events.emplace_back(static_cast<int>(mode), now.count); }
  void woke(Cycles now) override { events.emplace_back(-1, now.count); }
};

TEST(Sleep, PowerDownWakesByAnExternalInterruptAndTheOscillatorStarts) {
  Heard heard;
  Rig rig("atmega328p", {.sleep = {.listener = &heard}});
  rig.load(kMain, {op::sleep, op::nop});
  rig.load(2 * kFirst, {op::inc(20), op::reti});
  rig.set_pc(kMain);
  rig.set_sp(0x0400);
  rig.set_sreg(0x80);
  rig.data()[20] = 0;
  rig.data()[0x53] = 0x05;  // SM1, SE: power-down
  rig.request_at(1000, kFirst);
  while (rig.pc() != 2 * kFirst && rig.cycle() < 100'000) rig.step();
  EXPECT_EQ(rig.cycle(), 1000 + 16384 + 4 + 4);
  ASSERT_EQ(heard.events.size(), 2U);
  EXPECT_EQ(heard.events[0], std::make_pair(static_cast<int>(SleepMode::power_down), std::int64_t{1}));
  EXPECT_EQ(heard.events[1], std::make_pair(-1, std::int64_t{1000 + 16384}));
}

TEST(Sleep, StandbyStartsInSixCycles) {
  Rig rig("atmega328p");
  rig.load(kMain, {op::sleep, op::nop});
  rig.load(2 * kFirst, {op::inc(20), op::reti});
  rig.set_pc(kMain);
  rig.set_sp(0x0400);
  rig.set_sreg(0x80);
  rig.data()[0x53] = 0x0D;  // SM2, SM1, SE: standby
  rig.request_at(1000, kFirst);
  while (rig.pc() != 2 * kFirst && rig.cycle() < 100'000) rig.step();
  EXPECT_EQ(rig.cycle(), 1000 + 6 + 4 + 4);
}

TEST(Sleep, TheModesBitsAreWhereTheDatasheetHasThem) {
  struct Row {
    const char* mcu;
    std::uint8_t value;
    SleepMode mode;
  };
  for (const auto& row :
       {Row{"atmega328p", 0x05, SleepMode::power_down}, Row{"atmega2560", 0x07, SleepMode::power_save},
        Row{"atmega128", 0x30, SleepMode::power_down}, Row{"atmega128", 0x28, SleepMode::adc_noise_reduction},
        Row{"atmega128", 0x34, SleepMode::standby}, Row{"atmega8", 0xA0, SleepMode::power_down},
        Row{"atmega32", 0xE0, SleepMode::standby}, Row{"atmega16a", 0x60, SleepMode::power_down},
        Row{"atmega168p", 0x0F, SleepMode::extended_standby}, Row{"atmega644p", 0x01, SleepMode::idle}}) {
    EXPECT_EQ(sleep_mode(core_traits(row.mcu), row.value), row.mode) << row.mcu << " " << int{row.value};
  }
}

// WDTCSR at 0x60: WDE is bit 3.
TEST(Watchdog, ALoopWithInterruptsOffIsNoEndWhileItResets) {
  Rig rig("atmega328p");
  rig.load(0, {op::inc(20)});
  rig.load(1, {op::ldi(16, 0x18), op::ldi(17, 0x08), op::sts(16), 0x60, op::sts(17), 0x60, op::rjmp(-1)});
  rig.data()[20] = 0;
  // 2048 cycles of 128 kHz are 256,000 of 16 MHz: the program runs again from its reset vector.
  EXPECT_EQ(rig.run_to(3 * 256'000 + 1000), Halt::none);
  EXPECT_EQ(rig.data()[20], 4);
}

}  // namespace
}  // namespace avrlan::cpu::test
