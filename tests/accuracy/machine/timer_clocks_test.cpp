// What clocks a timer, and what stops it: prescaler, pins, crystal, power reduction, sleep.

#include <gtest/gtest.h>

#include "tests/accuracy/machine/timer_rig.hpp"

namespace avrlan::testing {
namespace {

// ATmega328P
constexpr std::uint16_t TIFR0 = 0x35, TIFR1 = 0x36, GTCCR = 0x43, TCCR0B = 0x45, TCNT0 = 0x46, PRR = 0x64,
                        TIMSK1 = 0x6f, TIMSK2 = 0x70, TCCR1B = 0x81, TCNT1L = 0x84, ICR1L = 0x86, TCCR2B = 0xb1,
                        TCNT2 = 0xb2, OCR2A = 0xb3, ASSR = 0xb6;
constexpr std::uint8_t TSM = 0x80, PSRSYNC = 0x01, PRTIM0 = 0x20, ICF1 = 0x20, ICES1 = 0x40, ICNC1 = 0x80, AS2 = 0x20,
                       TCN2UB = 0x10, OCR2AUB = 0x08, TCR2BUB = 0x01;
constexpr unsigned TIMER2_OVF = 9, TIMER1_CAPT = 10;
constexpr Pin T1{'D', 5}, ICP1{'B', 0};

class TimerClocks : public ::testing::Test {
 protected:
  TimerRig rig{"atmega328p"};

  // The next cycle at which TCNT0 has changed.
  std::int64_t next_change(std::uint16_t tcnt) {
    const std::uint8_t before = rig.in(tcnt);
    for (int n = 0; n < 5000 && rig.in(tcnt) == before; ++n) rig.advance(1);
    return rig.cycle().count;
  }
  // An edge at the very start of a cycle.
  void edge_at(Pin pin, bool high, std::int64_t cycle) {
    rig.advance_to(Cycles{cycle});
    rig.gpio.drive(pin, high);
  }
};

TEST_F(TimerClocks, ThePrescalerRunsFreelyAndIsShared) {
  rig.advance(13);
  rig.sts(TCCR0B, 2);  // clk/8
  rig.advance(1);
  rig.sts(TCCR1B, 3);  // clk/64
  EXPECT_EQ(next_change(TCNT0), 24);
  EXPECT_EQ(next_change(TCNT0), 32);
  EXPECT_EQ(next_change(TCNT1L), 64);
  EXPECT_EQ(next_change(TCNT1L), 128);
  rig.advance(3);
  rig.out(GTCCR, PSRSYNC);
  EXPECT_EQ(rig.in(GTCCR), 0) << "cleared by hardware";
  EXPECT_EQ(next_change(TCNT0), 132 + 8);
  EXPECT_EQ(next_change(TCNT1L), 132 + 64);
  rig.out(GTCCR, 0);
  EXPECT_EQ(next_change(TCNT0), 204) << "nothing was reset";
}

TEST_F(TimerClocks, TsmStopsTheTimersUntilItIsCleared) {
  rig.sts(TCCR0B, 1);
  rig.sts(TCCR1B, 2);
  rig.out(GTCCR, TSM | PSRSYNC);
  EXPECT_EQ(rig.in(GTCCR), TSM | PSRSYNC);
  rig.sts(TCNT0, 7);
  rig.advance(100);
  EXPECT_EQ(rig.in(TCNT0), 7);
  EXPECT_EQ(rig.in(TCNT1L), 0);
  rig.out(GTCCR, 0);
  const std::int64_t released = rig.cycle().count;
  EXPECT_EQ(next_change(TCNT0), released + 1);
  EXPECT_EQ(next_change(TCNT1L), released + 8);
}

TEST_F(TimerClocks, PowerReductionFreezesATimer) {
  rig.sts(TCCR0B, 1);
  rig.sts(TCCR1B, 1);
  rig.sts(PRR, PRTIM0);
  const std::uint8_t other = rig.in(TCNT1L);
  rig.advance(50);
  EXPECT_EQ(rig.in(TCNT0), 0) << "not to be read";
  rig.sts(TCNT0, 99);
  EXPECT_EQ(rig.in(TCNT1L), other + 52);
  rig.sts(PRR, 0);
  EXPECT_EQ(rig.in(TCNT0), 4) << "the two stores before it took four cycles";
}

// The flip-flops after the pin: 2.5 to 3.5 cycles, and 3 for an edge at the start of a cycle.
TEST_F(TimerClocks, AnEdgeAtT1CountsThreeCyclesLater) {
  rig.gpio.drive(T1, false);
  rig.sts(TCCR1B, 7);  // rising
  edge_at(T1, true, 20);
  edge_at(T1, false, 22);
  EXPECT_EQ(rig.in(TCNT1L), 0);
  rig.advance_to(Cycles{23});
  EXPECT_EQ(rig.in(TCNT1L), 1);
  edge_at(T1, true, 30);
  rig.advance(10);
  EXPECT_EQ(rig.in(TCNT1L), 2);
  rig.sts(TCCR1B, 6);  // falling
  edge_at(T1, false, 50);
  edge_at(T1, true, 55);
  rig.advance(10);
  EXPECT_EQ(rig.in(TCNT1L), 3);
}

TEST_F(TimerClocks, FirmwareCanClockATimerByItsOwnPin) {
  constexpr std::uint16_t DDRD = 0x2a, PORTD = 0x2b;
  rig.out(DDRD, 0x20);
  rig.sts(TCCR1B, 7);
  rig.out(PORTD, 0x20);
  rig.advance(2);
  EXPECT_EQ(rig.in(TCNT1L), 0);
  rig.advance(1);
  EXPECT_EQ(rig.in(TCNT1L), 1);
}

TEST_F(TimerClocks, AnEdgeAtIcp1CapturesTheCount) {
  rig.gpio.drive(ICP1, false);
  rig.sts(TIMSK1, 0x20);
  rig.sts(TCCR1B, ICES1 | 1);
  const std::int64_t start = rig.cycle().count;
  edge_at(ICP1, true, 100);
  rig.advance(2);
  EXPECT_FALSE(rig.interrupts.requested(TIMER1_CAPT));
  rig.advance(1);
  EXPECT_TRUE(rig.interrupts.requested(TIMER1_CAPT));
  EXPECT_EQ(rig.in16(ICR1L), 102 - start);
  rig.enter(TIMER1_CAPT);
  EXPECT_EQ(rig.in(TIFR1)&ICF1, 0);
  edge_at(ICP1, false, 130);
  rig.advance(10);
  EXPECT_EQ(rig.in(TIFR1)&ICF1, 0) << "the other edge";
}

TEST_F(TimerClocks, TheNoiseCancellerWantsFourEqualSamples) {
  rig.gpio.drive(ICP1, false);
  rig.sts(TCCR1B, ICNC1 | ICES1 | 1);
  const std::int64_t start = rig.cycle().count;
  edge_at(ICP1, true, 50);
  edge_at(ICP1, false, 53);
  rig.advance(20);
  EXPECT_EQ(rig.in(TIFR1)&ICF1, 0) << "a pulse of three cycles";
  edge_at(ICP1, true, 100);
  rig.advance(6);
  EXPECT_EQ(rig.in(TIFR1)&ICF1, 0);
  rig.advance(1);
  EXPECT_EQ(rig.in(TIFR1)&ICF1, ICF1);
  EXPECT_EQ(rig.in16(ICR1L), 106 - start);
}

TEST_F(TimerClocks, StandStillWithTheIoClock) {
  rig.sts(TCCR0B, 1);
  const std::uint8_t before = rig.in(TCNT0);
  rig.clocks.fell_asleep(cpu::SleepMode::standby, rig.cycle());
  rig.advance(10'000);
  EXPECT_EQ(rig.in(TIFR0), 0);
  rig.clocks.woke(rig.cycle());
  EXPECT_EQ(rig.in(TCNT0), before);
  rig.advance(5);
  EXPECT_EQ(rig.in(TCNT0), before + 5);
}

// --- The crystal. Its edges are 488.28125 cycles apart.

Cycles edge(std::int64_t n) {
  return Cycles{(n * 15625 + 31) / 32};
}
constexpr Cycles synchronised{3};

class AsynchronousTimer : public TimerClocks {
 protected:
  AsynchronousTimer() { rig.sts(ASSR, AS2); }
};

TEST_F(AsynchronousTimer, CountsTheEdgesOfTheCrystal) {
  rig.sts(TCCR2B, 1);
  rig.advance_to(edge(10) + Cycles{2});
  EXPECT_EQ(rig.in(TCNT2), 10 - 2 - 1) << "TCCR2B came at the second edge";
  rig.advance(1);
  EXPECT_EQ(rig.in(TCNT2), 10 - 2);
}

TEST_F(AsynchronousTimer, IsBusyForTwoEdges) {
  rig.sts(TCNT2, 200);
  rig.sts(OCR2A, 33);
  EXPECT_EQ(rig.in(ASSR), AS2 | TCN2UB | OCR2AUB);
  EXPECT_EQ(rig.in(OCR2A), 33) << "the temporary register";
  EXPECT_EQ(rig.in(TCNT2), 0) << "the timer itself";
  rig.advance_to(edge(1) + Cycles{100});
  rig.sts(TCCR2B, 1);
  EXPECT_EQ(rig.in(ASSR), AS2 | TCN2UB | OCR2AUB | TCR2BUB);
  rig.advance_to(edge(2) + synchronised);
  EXPECT_EQ(rig.in(ASSR), AS2 | TCR2BUB);
  EXPECT_EQ(rig.in(TCNT2), 200);
  rig.advance_to(edge(3) + synchronised);
  EXPECT_EQ(rig.in(ASSR), AS2);
  EXPECT_EQ(rig.in(TCNT2), 200);
  EXPECT_TRUE(rig.diagnostics.codes.empty());
}

TEST_F(AsynchronousTimer, AStoreToABusyRegisterIsADiagnostic) {
  rig.sts(TCNT2, 1);
  rig.sts(TCNT2, 2);
  EXPECT_EQ(rig.diagnostics.codes, std::vector<std::string>{"timer-busy"});
}

TEST_F(AsynchronousTimer, OverflowsEverySecondByOneHundredTwentyEight) {
  rig.sts(TIMSK2, 1);
  rig.sts(TCCR2B, 5);  // /128
  for (int second = 1; second <= 3; ++second) {
    const Cycles overflow = edge(32768 * second) + synchronised;
    EXPECT_EQ(overflow, Cycles{second * 16'000'000 + 3});
    rig.advance_to(overflow - Cycles{1});
    EXPECT_FALSE(rig.interrupts.requested(TIMER2_OVF)) << second;
    rig.advance(1);
    EXPECT_TRUE(rig.interrupts.requested(TIMER2_OVF)) << second;
    rig.enter(TIMER2_OVF);
  }
}

TEST_F(AsynchronousTimer, KeepsItsTimeWhenTheMcusClockChanges) {
  rig.sts(TIMSK2, 1);
  rig.sts(TCCR2B, 5);
  rig.advance_to(Cycles{1'000'000});
  rig.events.set_divider(16, rig.cycle());
  // 15 sixteenths of a second are left.
  rig.advance_to(Cycles{1'000'000 + 937'500 + 2});
  EXPECT_FALSE(rig.interrupts.requested(TIMER2_OVF));
  rig.advance(1);
  EXPECT_TRUE(rig.interrupts.requested(TIMER2_OVF));
}

TEST_F(AsynchronousTimer, GoesOnInPowerSaveAndReadsAsBeforeUntilTheNextEdge) {
  rig.sts(TCCR2B, 1);
  rig.advance_to(edge(10) + Cycles{10});
  const std::uint8_t before = rig.in(TCNT2);
  rig.clocks.fell_asleep(cpu::SleepMode::power_save, rig.cycle());
  rig.advance_to(edge(20) + Cycles{10});
  rig.clocks.woke(rig.cycle());
  EXPECT_EQ(rig.in(TCNT2), before);
  rig.advance_to(edge(21) + synchronised);
  EXPECT_EQ(rig.in(TCNT2), before + 11);
}

TEST_F(AsynchronousTimer, StopsInPowerDown) {
  rig.sts(TCCR2B, 1);
  rig.advance_to(edge(10) + Cycles{10});
  const std::uint8_t before = rig.in(TCNT2);
  rig.clocks.fell_asleep(cpu::SleepMode::power_down, rig.cycle());
  rig.advance_to(edge(20) + Cycles{10});
  rig.clocks.woke(rig.cycle());
  rig.advance_to(edge(22) + Cycles{10});
  EXPECT_EQ(rig.in(TCNT2), before + 2);
}

// --- What shares a register with others

TEST(OldTimers, ShareTifrAndTimsk) {
  TimerRig rig("atmega32");
  constexpr std::uint16_t TIFR = 0x58, TIMSK = 0x59, TCCR0 = 0x53, TCNT0_ = 0x52, TCCR2 = 0x45, TCNT2_ = 0x44;
  constexpr unsigned TIMER2_OVF_ = 5, TIMER0_OVF_ = 11;
  rig.out(TIMSK, 0x41);  // TOIE2, TOIE0
  rig.out(TCNT0_, 0xff);
  rig.out(TCNT2_, 0xff);
  rig.out(TCCR0, 1);
  rig.out(TCCR2, 1);
  rig.advance(1);
  EXPECT_TRUE(rig.interrupts.requested(TIMER0_OVF_));
  EXPECT_TRUE(rig.interrupts.requested(TIMER2_OVF_));
  rig.out(TIFR, 0x40);
  EXPECT_TRUE(rig.interrupts.requested(TIMER0_OVF_));
  EXPECT_FALSE(rig.interrupts.requested(TIMER2_OVF_));
  rig.enter(TIMER0_OVF_);
  EXPECT_EQ(rig.in(TIFR)&0x41, 0);
}

TEST(OldTimers, SfiorResetsEachPrescaler) {
  TimerRig rig("atmega8");
  constexpr std::uint16_t SFIOR = 0x50, TCCR0 = 0x53, TCNT0_ = 0x52, TCCR2 = 0x45, TCNT2_ = 0x44;
  rig.out(TCCR0, 2);
  rig.out(TCCR2, 2);
  rig.advance_to(Cycles{3});
  rig.out(SFIOR, 0x02);  // PSR2, at cycle 4
  rig.advance_to(Cycles{8});
  EXPECT_EQ(rig.in(TCNT0_), 1);
  EXPECT_EQ(rig.in(TCNT2_), 0);
  rig.advance_to(Cycles{12});
  EXPECT_EQ(rig.in(TCNT2_), 1);
  rig.advance_to(Cycles{13});
  rig.out(SFIOR, 0x01);  // PSR10, at cycle 14
  rig.advance_to(Cycles{20});
  EXPECT_EQ(rig.in(TCNT0_), 1);
  EXPECT_EQ(rig.in(TCNT2_), 2);
  rig.advance_to(Cycles{22});
  EXPECT_EQ(rig.in(TCNT0_), 2);
}

}  // namespace
}  // namespace avrlan::testing
