#include "emulator/peripherals/timer_counter.hpp"

#include <algorithm>

namespace avrlan::peripherals {

namespace {

constexpr TimerMode normal(std::uint16_t max) {
  return {Waveform::normal, TopSource::fixed, max, false};
}

}  // namespace

const TimerMode& timer_mode_8bit(unsigned wgm) {
  static constexpr std::array<TimerMode, 8> modes = {{
      normal(0xff),
      {Waveform::phase_correct, TopSource::fixed, 0xff, false},
      {Waveform::ctc, TopSource::ocra, 0, false},
      {Waveform::fast_pwm, TopSource::fixed, 0xff, false},
      normal(0xff),
      {Waveform::phase_correct, TopSource::ocra, 0, true},
      normal(0xff),
      {Waveform::fast_pwm, TopSource::ocra, 0, true},
  }};
  return modes[wgm & 7];
}

const TimerMode& timer_mode_16bit(unsigned wgm) {
  static constexpr std::array<TimerMode, 16> modes = {{
      normal(0xffff),
      {Waveform::phase_correct, TopSource::fixed, 0xff, false},
      {Waveform::phase_correct, TopSource::fixed, 0x1ff, false},
      {Waveform::phase_correct, TopSource::fixed, 0x3ff, false},
      {Waveform::ctc, TopSource::ocra, 0, false},
      {Waveform::fast_pwm, TopSource::fixed, 0xff, false},
      {Waveform::fast_pwm, TopSource::fixed, 0x1ff, false},
      {Waveform::fast_pwm, TopSource::fixed, 0x3ff, false},
      {Waveform::phase_frequency_correct, TopSource::icr, 0, false},
      {Waveform::phase_frequency_correct, TopSource::ocra, 0, true},
      {Waveform::phase_correct, TopSource::icr, 0, false},
      {Waveform::phase_correct, TopSource::ocra, 0, true},
      {Waveform::ctc, TopSource::icr, 0, false},
      normal(0xffff),
      {Waveform::fast_pwm, TopSource::icr, 0, true},
      {Waveform::fast_pwm, TopSource::ocra, 0, true},
  }};
  return modes[wgm & 15];
}

TimerCounter::TimerCounter(std::uint16_t max, unsigned channels) : max_(max), channels_(channels), mode_(normal(max)) {}

void TimerCounter::set_mode(const TimerMode& mode) {
  mode_ = mode;
  if (!mode_.is_dual_slope()) up_ = true;
  if (!mode_.is_pwm()) compare_ = buffer_;
}

void TimerCounter::write_count(std::uint16_t value) {
  count_ = value;
  blocked_ = true;
}

// "The double buffering is disabled in normal and CTC mode."
void TimerCounter::write_compare(unsigned channel, std::uint16_t value) {
  buffer_[channel] = value;
  if (!mode_.is_pwm()) compare_[channel] = value;
}

bool TimerCounter::connected(unsigned channel) const {
  if (com_[channel] == 0) return false;
  return com_[channel] != 1 || !mode_.is_pwm() || (channel == 0 && mode_.toggles);
}

void TimerCounter::act(unsigned channel, bool set) {
  const auto bit = static_cast<std::uint8_t>(1U << channel);
  outputs_ = static_cast<std::uint8_t>(set ? outputs_ | bit : outputs_ & ~bit);
}

void TimerCounter::force(unsigned channel) {
  if (mode_.is_pwm() || com_[channel] == 0) return;
  act(channel, com_[channel] == 1 ? !output(channel) : com_[channel] == 3);
}

std::uint16_t TimerCounter::top() const {
  switch (mode_.top_source) {
    case TopSource::ocra:
      return compare_[0];
    case TopSource::icr:
      return icr_;
    case TopSource::fixed:
      break;
  }
  return mode_.fixed_top;
}

std::int64_t TimerCounter::period() const {
  return mode_.is_dual_slope() ? std::max(2 * std::int64_t{top()}, std::int64_t{2}) : std::int64_t{top()} + 1;
}

// The next tick that does more than count is this many ticks away.
std::int64_t TimerCounter::ticks_to_point() const {
  if (blocked_) return 1;
  std::int64_t distance = up_ ? max_ - count_ : count_;
  const auto consider = [&](std::uint16_t value) {
    const std::int64_t away = up_ ? value - count_ : count_ - value;
    if (away >= 0) distance = std::min(distance, away);
  };
  if (up_) consider(top());
  for (unsigned channel = 0; channel < channels_; ++channel) consider(compare_[channel]);
  return distance + 1;
}

void TimerCounter::move(std::int64_t ticks) {
  if (ticks == 0) return;
  blocked_ = false;
  count_ = static_cast<std::uint16_t>(up_ ? count_ + ticks : count_ - ticks);
}

void TimerCounter::load_compare() {
  for (unsigned channel = 0; channel < channels_; ++channel) {
    if (compare_[channel] == buffer_[channel]) continue;
    compare_[channel] = buffer_[channel];
    steady_ = 0;
  }
}

TimerCounter::Events TimerCounter::tick() {
  std::uint8_t matches = 0;
  for (unsigned channel = 0; channel < channels_ && !blocked_; ++channel) {
    if (compare_[channel] == count_) matches = static_cast<std::uint8_t>(matches | 1U << channel);
  }
  // "The compare match for the TOP will be ignored and the counter will continue to 0xFFFF": a variable TOP is a compare
  // match, a fixed one is not.
  const bool at_top = up_ && count_ == top() && (!blocked_ || mode_.top_source == TopSource::fixed);
  blocked_ = false;

  Events events = 0;
  for (unsigned channel = 0; channel < channels_; ++channel) {
    if ((matches >> channel & 1) != 0) events |= OCF(channel);
  }
  if (at_top && mode_.top_source == TopSource::icr) events |= ICF;
  events |= mode_.is_dual_slope() ? count_dual_slope(at_top) : count_up_from(at_top);
  act_on_matches(matches, at_top, count_ == 0);
  return events;
}

TimerCounter::Events TimerCounter::count_up_from(bool at_top) {
  const bool at_max = count_ == max_;
  if (!at_top && !at_max) {
    ++count_;
    return 0;
  }
  count_ = 0;
  if (mode_.waveform != Waveform::fast_pwm) return at_max ? TOV : 0;
  load_compare();
  return at_top ? TOV : 0;
}

TimerCounter::Events TimerCounter::count_dual_slope(bool at_top) {
  if (up_) {
    if (at_top) {
      up_ = false;
      if (mode_.waveform == Waveform::phase_correct) load_compare();
      if (count_ > 0) --count_;
    } else {
      count_ = count_ == max_ ? std::uint16_t{0} : static_cast<std::uint16_t>(count_ + 1);
    }
    return 0;
  }
  if (count_ > 0) {
    --count_;
    return 0;
  }
  up_ = true;
  if (mode_.waveform == Waveform::phase_frequency_correct) load_compare();
  if (top() > 0) count_ = 1;
  return TOV;
}

// Table "Compare Output Mode" of each kind of mode.
void TimerCounter::act_on_matches(std::uint8_t matches, bool at_top, bool at_bottom) {
  for (unsigned channel = 0; channel < channels_; ++channel) {
    const std::uint8_t com = com_[channel];
    if (com == 0) continue;
    const bool match = (matches >> channel & 1) != 0;
    if (com == 1) {
      if (match && connected(channel)) act(channel, !output(channel));
    } else if (!mode_.is_pwm()) {
      if (match) act(channel, com == 3);
    } else if (!mode_.is_dual_slope()) {
      if (match) act(channel, com == 3);
      if (at_bottom) act(channel, com == 2);
    } else {
      if (match) act(channel, up_ == (com == 3));
      // "There is a transition without a compare match, to guarantee symmetry around BOTTOM": at TOP the level is that of
      // a match on the way up, unless OCRnx is TOP.
      if (at_top && mode_.waveform == Waveform::phase_correct) act(channel, (compare_[channel] >= top()) == (com == 2));
    }
  }
}

// A blocked match and a count beyond TOP belong to no period.
void TimerCounter::go_to(std::int64_t point) {
  const bool regular = !blocked_ && count_ <= top();
  steady_ = regular ? steady_ + point : 0;
  move(point - 1);
}

// Two periods have shown everything, even if the first began in a state that does not come again (a TCNTn written to 0 in
// a dual-slope mode), and have brought back toggling pins.
bool TimerCounter::repeats() const {
  return steady_ >= 2 * period() && count_ <= top();
}

TimerCounter::Events TimerCounter::advance(std::int64_t ticks) {
  Events events = 0;
  steady_ = 0;
  while (ticks > 0) {
    const std::int64_t point = ticks_to_point();
    if (point > ticks) {
      move(ticks);
      break;
    }
    go_to(point);
    events |= tick();
    ticks -= point;
    if (repeats()) ticks %= 2 * period();
  }
  return events;
}

std::optional<std::int64_t> TimerCounter::ticks_until(Events events, std::uint8_t outputs) const {
  TimerCounter ahead = *this;
  ahead.steady_ = 0;
  std::int64_t ticks = 0;
  while (!ahead.repeats()) {
    const std::int64_t point = ahead.ticks_to_point();
    ahead.go_to(point);
    ticks += point;
    const std::uint8_t before = ahead.outputs_;
    if ((ahead.tick() & events) != 0 || ((ahead.outputs_ ^ before) & outputs) != 0) return ticks;
  }
  return std::nullopt;
}

}  // namespace avrlan::peripherals
