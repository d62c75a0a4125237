#pragma once
// A timer's counter written from the datasheet's words, a tick at a time, and nothing else: what the timers of the emulator
// are compared with. (ATmega328P datasheet, sections "Modes of Operation", "Output Compare Units", "Compare Match Output
// Unit".)

#include <algorithm>
#include <array>
#include <initializer_list>

#include "emulator/peripherals/timer_layout.hpp"

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

// The same with registers, prescaler and flags, a clock cycle at a time. Not asynchronous, without input capture.
class ReferenceTimer {
 public:
  ReferenceTimer(const peripherals::TimersLayout& all, const peripherals::TimerLayout& layout)
      : all_(all), at_(layout), counter_(layout.wide, static_cast<int>(layout.channels.size())) {}

  // The clock edge that ends a cycle, and what the CPU stores there.
  void edge() {
    prescaler_ = held_ ? 0 : (prescaler_ + 1) & 1023;
    const int divider = divider_of(tccrb_ & 7);
    if (divider == 0 || held_ || prescaler_ % divider != 0) return;
    counter_.tov = counter_.icf = false;
    std::fill(counter_.ocf, counter_.ocf + 3, false);
    counter_.clock();
    if (counter_.tov) flags_ |= at_.overflow.flag.mask;
    if (counter_.icf) flags_ |= at_.capture.flag.mask;
    for (int c = 0; c < counter_.channels; ++c) {
      const auto flag = channel(c).compare.flag;  // the ATmega128 has that of OC1C elsewhere
      if (counter_.ocf[c] && flag.address == at_.overflow.flag.address) flags_ |= flag.mask;
    }
  }
  void edge_with_store(int address, int value) {
    // What the edge sets wins over what the store clears.
    if (address == at_.overflow.flag.address) flags_ &= ~value;
    edge();
    store(address, value);
  }

  int load(int address) {
    if (address == at_.overflow.flag.address) return flags_;
    if (address == at_.tcnt) return low_byte(counter_.tcnt);
    if (at_.icr != 0 && address == at_.icr) return low_byte(counter_.icr);
    if (at_.wide && (address == at_.tcnt + 1 || address == at_.icr + 1)) return temp_;
    for (int c = 0; c < counter_.channels; ++c) {
      if (address == channel(c).ocr) return counter_.ocr_buffer[c] & 0xff;
      if (at_.wide && address == channel(c).ocr + 1) return counter_.ocr_buffer[c] >> 8;
    }
    if (address == all_.prescaler_register) return held_ ? all_.hold | all_.reset_shared : 0;
    if (address == at_.tccra) return at_.tccra == at_.tccrb ? tccrb_ : tccra_;
    if (address == at_.tccrb) return tccrb_;
    return 0;  // TCCRnC
  }

  // The cycles in which an interrupt's response begins clear its flag.
  void acknowledge(int flag) { flags_ &= ~flag; }
  int flags() const { return flags_; }
  bool connected(int c) const {
    if (counter_.com[c] == 0) return false;
    return counter_.com[c] != 1 || !counter_.pwm() || counter_.toggles_in_pwm(c);
  }
  bool output(int c) const { return counter_.pin[c]; }

 private:
  const peripherals::TimerChannel& channel(int c) const { return at_.channels[static_cast<unsigned>(c)]; }
  int low_byte(int value) {
    if (at_.wide) temp_ = value >> 8;
    return value & 0xff;
  }
  int divider_of(int cs) const {
    if (at_.own_prescaler()) return std::array{0, 1, 8, 32, 64, 128, 256, 1024}[static_cast<unsigned>(cs)];
    return std::array{0, 1, 8, 64, 256, 1024, 0, 0}[static_cast<unsigned>(cs)];
  }

  void store(int address, int value) {
    const bool high_byte = at_.wide && (address == at_.tcnt + 1 || address == at_.icr + 1 ||
                                        std::any_of(at_.channels.begin(), at_.channels.end(),
                                                    [&](const auto& c) { return address == c.ocr + 1; }));
    if (high_byte) {
      temp_ = value;
      return;
    }
    const int whole = at_.wide ? temp_ << 8 | value : value;
    if (address == at_.tcnt) counter_.write_tcnt(whole);
    if (at_.icr != 0 && address == at_.icr && counter_.top_is_icr()) counter_.icr = whole;
    for (int c = 0; c < counter_.channels; ++c) {
      if (address == channel(c).ocr) counter_.write_ocr(c, whole);
    }
    if (address == all_.prescaler_register) {
      const int reset = at_.own_prescaler() ? all_.reset_own : all_.reset_shared;
      if ((value & reset) != 0 || held_) prescaler_ = 0;
      held_ = (value & all_.hold) != 0 && (value & reset) != 0;
    }
    if (address == at_.tccra || address == at_.tccrb) store_control(address, value);
    for (int c = 0; c < counter_.channels; ++c) {
      if (address == channel(c).force.address && (value & channel(c).force.mask) != 0) counter_.force(c);
    }
  }
  void store_control(int address, int value) {
    if (at_.mode_bits == peripherals::ModeBits::none) {
      tccrb_ = value & 7;
    } else if (at_.mode_bits == peripherals::ModeBits::one_register) {
      tccra_ = tccrb_ = value & 0x7f;
      counter_.set_wgm((value >> 6 & 1) | (value >> 2 & 2));
      counter_.com[0] = value >> 4 & 3;
    } else {
      if (address == at_.tccra) tccra_ = value & (counter_.channels == 3 ? 0xff : 0xf3);
      if (address == at_.tccrb) tccrb_ = value & (at_.wide ? 0xdf : 0x0f);
      counter_.set_wgm((tccra_ & 3) | (at_.wide ? tccrb_ >> 1 & 0xc : tccrb_ >> 1 & 4));
      for (int c = 0; c < counter_.channels; ++c) counter_.com[c] = tccra_ >> (6 - 2 * c) & 3;
    }
  }

  const peripherals::TimersLayout& all_;
  const peripherals::TimerLayout& at_;
  ReferenceCounter counter_;
  int prescaler_ = 0;
  bool held_ = false;
  int tccra_ = 0, tccrb_ = 0, temp_ = 0, flags_ = 0;
};

}  // namespace avrlan::testing
