// The counter that skips from event to event against one that is written from the datasheet's words, a tick at a time.
// (ATmega328P datasheet, sections "Modes of Operation", "Output Compare Units", "Compare Match Output Unit".)

#include "emulator/peripherals/timer_counter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace avrlan::peripherals {
namespace {

constexpr int A = 0;

// Everything by its WGM number, nothing shared with what it is to check.
class Reference {
 public:
  Reference(bool is_wide, int channel_count) : wide(is_wide), channels(channel_count) {}

  bool wide;
  int channels;
  int wgm = 0;
  int tcnt = 0;
  bool counting_down = false;
  bool written = false;  // TCNT, since the last clock
  int ocr[3] = {};
  int ocr_buffer[3] = {};
  int icr = 0;
  int com[3] = {};
  bool pin[3] = {};
  bool tov = false, icf = false, ocf[3] = {};

  int max() const { return wide ? 0xffff : 0xff; }
  bool in(std::initializer_list<int> modes) const { return std::find(modes.begin(), modes.end(), wgm) != modes.end(); }
  bool ctc() const { return wide ? in({4, 12}) : wgm == 2; }
  bool fast() const { return wide ? in({5, 6, 7, 14, 15}) : in({3, 7}); }
  bool phase_correct() const { return wide ? in({1, 2, 3, 10, 11}) : in({1, 5}); }
  bool phase_frequency_correct() const { return wide && in({8, 9}); }
  bool pwm() const { return fast() || phase_correct() || phase_frequency_correct(); }
  bool top_is_ocra() const { return wide ? in({4, 9, 11, 15}) : in({2, 5, 7}); }
  bool top_is_icr() const { return wide && in({8, 10, 12, 14}); }
  int top() const {
    if (top_is_ocra()) return ocr[A];
    if (top_is_icr()) return icr;
    if (wide && in({1, 5})) return 0xff;
    if (wide && in({2, 6})) return 0x1ff;
    if (wide && in({3, 7})) return 0x3ff;
    return max();
  }
  // COM = 1 in a PWM mode toggles OCnA in these and does nothing otherwise.
  bool toggles_in_pwm(int channel) const { return channel == A && (wide ? in({9, 11, 14, 15}) : in({5, 7})); }

  void set_wgm(int mode) {
    wgm = mode;
    if (!phase_correct() && !phase_frequency_correct()) counting_down = false;
    if (!pwm()) std::copy(ocr_buffer, ocr_buffer + 3, ocr);
  }
  void write_ocr(int channel, int value) {
    ocr_buffer[channel] = value;
    if (!pwm()) ocr[channel] = value;
  }
  void write_tcnt(int value) {
    tcnt = value;
    written = true;
  }
  void force(int channel) {
    if (pwm()) return;
    if (com[channel] == 1) pin[channel] = !pin[channel];
    if (com[channel] == 2) pin[channel] = false;
    if (com[channel] == 3) pin[channel] = true;
  }

  void clock() {
    bool match[3];
    for (int c = 0; c < channels; ++c) {
      match[c] = tcnt == ocr[c] && !written;
      if (match[c]) ocf[c] = true;
    }
    const bool variable_top = top_is_ocra() || top_is_icr();
    const bool top_reached = !counting_down && tcnt == top() && !(variable_top && written);
    written = false;
    if (top_reached && top_is_icr()) icf = true;

    bool reached_bottom = false;
    if (ctc()) {
      if (tcnt == max()) tov = true;
      tcnt = top_reached || tcnt == max() ? 0 : tcnt + 1;
    } else if (fast()) {
      if (top_reached) tov = true;
      reached_bottom = top_reached || tcnt == max();
      tcnt = reached_bottom ? 0 : tcnt + 1;
      if (reached_bottom) std::copy(ocr_buffer, ocr_buffer + 3, ocr);
    } else if (pwm()) {
      if (!counting_down) {
        if (top_reached) {
          counting_down = true;
          if (phase_correct()) std::copy(ocr_buffer, ocr_buffer + 3, ocr);
          if (tcnt > 0) --tcnt;
        } else {
          tcnt = tcnt == max() ? 0 : tcnt + 1;
        }
      } else if (tcnt == 0) {
        tov = true;
        counting_down = false;
        if (phase_frequency_correct()) std::copy(ocr_buffer, ocr_buffer + 3, ocr);
        if (top() > 0) tcnt = 1;
      } else {
        --tcnt;
      }
    } else {
      if (tcnt == max()) tov = true;
      tcnt = tcnt == max() ? 0 : tcnt + 1;
    }

    for (int c = 0; c < channels; ++c) drive(c, match[c], top_reached, reached_bottom);
  }

 private:
  void drive(int c, bool match, bool top_reached, bool reached_bottom) {
    if (com[c] == 0) return;
    if (com[c] == 1) {
      if (match && (!pwm() || toggles_in_pwm(c))) pin[c] = !pin[c];
      return;
    }
    const bool inverting = com[c] == 3;
    if (!pwm()) {
      if (match) pin[c] = inverting;  // 2 clears, 3 sets
    } else if (fast()) {
      if (match) pin[c] = inverting;
      if (reached_bottom) pin[c] = !inverting;
    } else {
      // Up: cleared; down: set. At TOP the count turns down, at BOTTOM up.
      if (match) pin[c] = counting_down != inverting;
      if (top_reached && phase_correct()) pin[c] = (ocr[c] >= top()) != inverting;
    }
  }
};

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

  Reference reference;
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
