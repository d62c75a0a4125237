#pragma once
// A timer's counter written from the datasheet's words, a tick at a time, and nothing else: what the timers of the emulator
// are compared with. (ATmega328P datasheet, sections "Modes of Operation", "Output Compare Units", "Compare Match Output
// Unit".)

#include <algorithm>
#include <initializer_list>

namespace avrlan::testing {

// Everything by its WGM number, nothing shared with what it is to check.
class ReferenceCounter {
 public:
  ReferenceCounter(bool is_wide, int channel_count) : wide(is_wide), channels(channel_count) {}

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
    if (top_is_ocra()) return ocr[0];
    if (top_is_icr()) return icr;
    if (wide && in({1, 5})) return 0xff;
    if (wide && in({2, 6})) return 0x1ff;
    if (wide && in({3, 7})) return 0x3ff;
    return max();
  }
  // COM = 1 in a PWM mode toggles OCnA in these and does nothing otherwise.
  bool toggles_in_pwm(int channel) const { return channel == 0 && (wide ? in({9, 11, 14, 15}) : in({5, 7})); }

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

}  // namespace avrlan::testing
