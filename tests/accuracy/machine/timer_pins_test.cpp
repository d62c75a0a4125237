// OCnx on the pin, edge by edge. (ATmega328P datasheet, figures "CTC Mode", "Fast PWM Mode" and "Phase Correct PWM Mode, Timing
// Diagram", tables "Compare Output Mode".)

#include <gtest/gtest.h>

#include "tests/accuracy/machine/timer_rig.hpp"

namespace avrlan::testing {
namespace {

constexpr std::uint16_t PINB = 0x23, DDRB = 0x24, PORTB = 0x25, TCCR1A = 0x80, TCCR1B = 0x81, TCCR1C = 0x82,
                        TCNT1L = 0x84, ICR1L = 0x86, OCR1AL = 0x88;
constexpr std::uint8_t toggle = 0x40, clear = 0x80, set = 0xc0;  // COM1A1:0
constexpr Pin OC1A{'B', 1};

struct Mode {
  std::uint8_t tccra, tccrb;
};
constexpr Mode ctc{0, 0x18}, fast_pwm{2, 0x18}, phase_correct{2, 0x10}, phase_frequency_correct{0, 0x10};

// The level as it has been, from the level at the start on: cycles from the start of the timer.
struct Edge {
  std::int64_t at;
  bool high;
  friend bool operator==(const Edge&, const Edge&) = default;
};
void PrintTo(const Edge& edge, std::ostream* out) {
  *out << (edge.high ? "rises at " : "falls at ") << edge.at;
}

class TimerPins : public ::testing::Test {
 protected:
  TimerPins() {
    rig.out(DDRB, 0x02);
    rig.gpio.watch(OC1A, [this](bool high) {
      edges.push_back({rig.clock.first_at(rig.gpio.changed_at()).count - start, high});
    });
  }

  // TOP is ICR1 = 9. All edges of `cycles` cycles at the undivided clock.
  std::vector<Edge> run(Mode mode, std::uint8_t com, std::uint8_t ocr, std::int64_t cycles) {
    rig.sts(TCCR1B, 0);
    rig.sts(TCCR1A, 0);
    rig.sts(OCR1AL, ocr);
    rig.sts(TCCR1B, mode.tccrb);
    rig.sts(TCCR1A, com | mode.tccra);
    rig.sts(ICR1L, 9);
    rig.sts(TCNT1L, 0);
    edges.clear();
    rig.sts(TCCR1B, mode.tccrb | 1);
    start = rig.cycle().count;
    rig.advance(cycles);
    return edges;
  }

  TimerRig rig{"atmega328p"};
  std::vector<Edge> edges;
  std::int64_t start = 0;
};

using Edges = std::vector<Edge>;

TEST_F(TimerPins, ToggleOnEachMatchInCtc) {
  EXPECT_EQ(run(ctc, toggle, 3, 40), (Edges{{4, true}, {14, false}, {24, true}, {34, false}}));
}

TEST_F(TimerPins, FastPwmSetsAtBottomAndClearsAfterTheMatch) {
  EXPECT_EQ(run(fast_pwm, clear, 3, 35),
            (Edges{{10, true}, {14, false}, {20, true}, {24, false}, {30, true}, {34, false}}));
}

TEST_F(TimerPins, FastPwmInverted) {
  EXPECT_EQ(run(fast_pwm, set, 3, 25), (Edges{{4, true}, {10, false}, {14, true}, {20, false}, {24, true}}));
}

TEST_F(TimerPins, FastPwmOfZeroIsASpikeAndOfTopIsHigh) {
  EXPECT_EQ(run(fast_pwm, clear, 0, 25), (Edges{{10, true}, {11, false}, {20, true}, {21, false}}));
  EXPECT_EQ(run(fast_pwm, clear, 9, 50), (Edges{{10, true}}));
}

TEST_F(TimerPins, FastPwmWithIcrAsTopCanToggle) {
  EXPECT_EQ(run(fast_pwm, toggle, 3, 25), (Edges{{4, true}, {14, false}, {24, true}}));
}

TEST_F(TimerPins, PhaseCorrectPwmIsSymmetricalAroundBottom) {
  // BOTTOM is at 18, 36, ...: three clocks before and after it, and the one in between.
  const Edges expected = {{16, true}, {22, false}, {34, true}, {40, false}};
  EXPECT_EQ(run(phase_correct, clear, 3, 45), expected);
  EXPECT_EQ(run(phase_frequency_correct, clear, 3, 45), expected);
}

TEST_F(TimerPins, PhaseCorrectPwmOfTopIsHighAndOfBottomIsLow) {
  EXPECT_EQ(run(phase_correct, clear, 9, 60), (Edges{{10, true}}));
  EXPECT_EQ(run(phase_correct, clear, 0, 60), (Edges{{10, false}})) << "from the level that the mode before has left";
}

TEST_F(TimerPins, ANewCompareValueCountsFromTopOn) {
  run(phase_correct, clear, 3, 20);
  edges.clear();
  rig.sts(OCR1AL, 5);  // after 20 of 22 clocks; loaded at 28
  rig.advance(30);
  EXPECT_EQ(edges, (Edges{{22, false}, {32, true}, {42, false}, {50, true}}));
}

TEST_F(TimerPins, ForceActsLikeAMatchInCtcOnly) {
  run(ctc, toggle, 200, 5);
  rig.sts(TCCR1C, 0x80);
  EXPECT_EQ(edges, (Edges{{7, true}}));
  EXPECT_EQ(rig.in(TCCR1C), 0);
  run(fast_pwm, toggle, 200, 5);
  rig.sts(TCCR1C, 0x80);
  EXPECT_EQ(edges, (Edges{}));
}

TEST_F(TimerPins, ThePortDecidesWhereTheTimerDoesNot) {
  run(ctc, set, 3, 5);
  EXPECT_TRUE(rig.gpio.level(OC1A));
  rig.sts(TCCR1A, 0);
  EXPECT_FALSE(rig.gpio.level(OC1A)) << "COM1A is 0";
  rig.sts(TCCR1A, set);
  EXPECT_TRUE(rig.gpio.level(OC1A)) << "OC1A is where it was";
  rig.out(PORTB, 0);
  rig.out(DDRB, 0);
  EXPECT_FALSE(rig.gpio.is_output(OC1A)) << "DDRB decides on the direction";
}

TEST_F(TimerPins, PinbReadsWhatNobodyWatches) {
  TimerRig unwatched("atmega328p");
  unwatched.out(DDRB, 0x02);
  unwatched.sts(OCR1AL, 9);
  unwatched.sts(TCCR1A, toggle);
  unwatched.sts(TCCR1B, 0x08 | 1);
  EXPECT_TRUE(unwatched.scheduler.next().is_never()) << "nothing to wake up for";
  unwatched.advance(10);
  EXPECT_EQ(unwatched.in(TCNT1L), 0) << "it has toggled";
  EXPECT_EQ(unwatched.in(PINB)&2, 0) << "behind the synchroniser";
  unwatched.advance(1);
  EXPECT_EQ(unwatched.in(PINB)&2, 2);
  unwatched.advance(1'000'009);
  EXPECT_EQ(unwatched.in(PINB)&2, 2) << "after 100002 toggles";
  unwatched.advance(1);
  EXPECT_EQ(unwatched.in(PINB)&2, 0);
}

TEST_F(TimerPins, AnInterruptCostsOneEvent) {
  constexpr std::uint16_t TIMSK1 = 0x6f;
  constexpr unsigned TIMER1_COMPA = 11;
  TimerRig idle("atmega328p");
  idle.sts(OCR1AL + 1, 15999 >> 8);
  idle.sts(OCR1AL, 15999 & 0xff);
  idle.sts(TIMSK1, 2);
  idle.sts(TCCR1B, 0x08 | 1);
  const std::int64_t first = idle.cycle().count + 16000;
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(idle.scheduler.next(), idle.clock.at(Cycles{first + n * 16000}));
    idle.advance_to(Cycles{first + n * 16000});
    EXPECT_TRUE(idle.interrupts.requested(TIMER1_COMPA));
    EXPECT_TRUE(idle.scheduler.next().is_never()) << "until the flag is cleared";
    idle.enter(TIMER1_COMPA);
  }
}

}  // namespace
}  // namespace avrlan::testing
