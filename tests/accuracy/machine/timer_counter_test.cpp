// The counter that skips from event to event against one that takes every tick.

#include "emulator/peripherals/timer_counter.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/accuracy/machine/timer_reference.hpp"

namespace avrlan::peripherals {
namespace {

class Pair {
 public:
  Pair(bool wide, int channels)
      : reference(wide, channels),
        counter(wide ? 0xffff : 0xff, static_cast<unsigned>(channels)),
        wide_(wide),
        channels_(channels) {}

  void set_wgm(int wgm) {
    reference.set_wgm(wgm);
    counter.set_mode(wide_ ? timer_mode_16bit(static_cast<unsigned>(wgm))
                           : timer_mode_8bit(static_cast<unsigned>(wgm)));
  }
  void set_com(int channel, int com) {
    reference.com[channel] = com;
    counter.set_output_mode(static_cast<unsigned>(channel), static_cast<std::uint8_t>(com));
  }
  void write_ocr(int channel, int value) {
    reference.write_ocr(channel, value);
    counter.write_compare(static_cast<unsigned>(channel), static_cast<std::uint16_t>(value));
  }
  void write_icr(int value) {
    reference.icr = value;
    counter.set_icr(static_cast<std::uint16_t>(value));
  }
  void write_tcnt(int value) {
    reference.write_tcnt(value);
    counter.write_count(static_cast<std::uint16_t>(value));
  }
  void force(int channel) {
    reference.force(channel);
    counter.force(static_cast<unsigned>(channel));
  }

  TimerCounter::Events events_of_reference(int ticks) {
    reference.tov = reference.icf = reference.ocf[0] = reference.ocf[1] = reference.ocf[2] = false;
    for (int n = 0; n < ticks; ++n) reference.clock();
    return static_cast<TimerCounter::Events>((reference.tov ? 1 : 0) | (reference.icf ? 2 : 0) |
                                             (reference.ocf[0] ? 4 : 0) | (reference.ocf[1] ? 8 : 0) |
                                             (reference.ocf[2] ? 16 : 0));
  }
  std::uint8_t pins_of_reference() const {
    return static_cast<std::uint8_t>((reference.pin[0] ? 1 : 0) | (reference.pin[1] ? 2 : 0) |
                                     (reference.pin[2] ? 4 : 0));
  }

  void advance(int ticks) {
    const auto expected = events_of_reference(ticks);
    EXPECT_EQ(counter.advance(ticks), expected);
    EXPECT_EQ(counter.count(), reference.tcnt);
    EXPECT_EQ(counter.outputs(), pins_of_reference());
  }

  // Both run to what the counter says comes next; it must come then, and not before.
  void advance_to_next(TimerCounter::Events events, std::uint8_t outputs) {
    const auto next = counter.ticks_until(events, outputs);
    const int patience = 2 * (wide_ ? 0x30000 : 0x300);
    const int limit = next ? static_cast<int>(*next) : patience;
    for (int n = 1; n <= limit; ++n) {
      const auto before = pins_of_reference();
      const bool came = (events_of_reference(1) & events) != 0 || ((pins_of_reference() ^ before) & outputs) != 0;
      ASSERT_EQ(came, next && n == limit) << "tick " << n << " of " << limit;
    }
    counter.advance(limit);
    EXPECT_EQ(counter.count(), reference.tcnt);
    EXPECT_EQ(counter.outputs(), pins_of_reference());
  }

  testing::ReferenceCounter reference;
  TimerCounter counter;

 private:
  bool wide_;
  int channels_;
};

class CounterAgainstReference : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Widths, CounterAgainstReference, ::testing::Values(false, true),
                         [](const auto& test) { return test.param ? "wide" : "narrow"; });

TEST_P(CounterAgainstReference, AgreesUnderRandomWrites) {
  const bool wide = GetParam();
  const int channels = wide ? 3 : 2;
  std::mt19937 random(wide ? 16 : 8);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  // Mostly small, so that matches, TOP and writes meet; sometimes at the other end.
  const auto value = [&] {
    const int max = wide ? 0xffff : 0xff;
    switch (below(8)) {
      case 0:
        return max - below(3);
      case 1:
        return below(max + 1);
      default:
        return below(12);
    }
  };
  for (int run = 0; run < (wide ? 60 : 600); ++run) {
    SCOPED_TRACE(run);
    Pair pair(wide, channels);
    for (int step = 0; step < 60; ++step) {
      SCOPED_TRACE(step);
      switch (below(9)) {
        case 0:
          pair.set_wgm(below(wide ? 16 : 8));
          break;
        case 1:
          pair.write_tcnt(value());
          break;
        case 2:
          pair.write_icr(value());
          break;
        case 3:
          pair.set_com(below(channels), below(4));
          break;
        case 4:
          pair.force(below(channels));
          break;
        case 5:
          pair.advance_to_next(static_cast<TimerCounter::Events>(below(32)), static_cast<std::uint8_t>(below(8)));
          break;
        default:
          pair.write_ocr(below(channels), value());
          break;
      }
      pair.advance(below(3) == 0 ? below(wide ? 20000 : 2000) : below(40));
      if (HasFailure()) FAIL() << "mode " << pair.reference.wgm << " TOP " << pair.reference.top();
    }
  }
}

// Long enough that the counter skips periods, at each parity of a toggling pin.
TEST_P(CounterAgainstReference, AgreesAfterManyPeriods) {
  const bool wide = GetParam();
  for (int wgm = 0; wgm < (wide ? 16 : 8); ++wgm) {
    for (int ticks = 3000; ticks < 3012; ++ticks) {
      SCOPED_TRACE(wgm);
      SCOPED_TRACE(ticks);
      Pair pair(wide, 2);
      pair.write_ocr(0, 5);
      pair.write_ocr(1, 2);
      pair.write_icr(6);
      pair.set_com(0, 1);
      pair.set_com(1, 3);
      pair.set_wgm(wgm);
      pair.advance(ticks);
    }
  }
}

}  // namespace
}  // namespace avrlan::peripherals
