#pragma once
// The counter of a timer with its compare units, as a value: it counts ticks of the timer's clock, and knows neither
// registers nor cycles. (ATmega328P datasheet, "8-bit Timer/Counter0 with PWM" and "16-bit Timer/Counter1 with PWM",
// sections "Modes of Operation", "Compare Match Output Unit" and "Timer/Counter Timing Diagrams".)
// Phase: what a tick does follows from the state before it. With the count at OCRnx, the next tick sets OCFnx and moves the
// pin; with the count at TOP (in the dual-slope modes at BOTTOM), the next tick sets TOVn and ICFn and loads OCRnx.
// Inferred, as the datasheets do not say: in the dual-slope modes a count that has missed TOP on its way up goes on to MAX
// and from 0 up again, without TOVn; an OCRnx above TOP acts on the pin as one at TOP does.

#include <array>
#include <cstdint>
#include <optional>

namespace avrlan::peripherals {

enum class Waveform : std::uint8_t { normal, ctc, fast_pwm, phase_correct, phase_frequency_correct };
enum class TopSource : std::uint8_t { fixed, ocra, icr };

struct TimerMode {
  Waveform waveform = Waveform::normal;
  TopSource top_source = TopSource::fixed;
  std::uint16_t fixed_top = 0;
  bool toggles = false;  // COMnA = 1 toggles OCnA in this PWM mode, instead of leaving the pin to the port

  bool is_pwm() const { return waveform >= Waveform::fast_pwm; }
  bool is_dual_slope() const { return waveform >= Waveform::phase_correct; }
};

// By WGMn2:0, table "Waveform Generation Mode Bit Description"; the reserved 4 and 6 count as normal.
const TimerMode& timer_mode_8bit(unsigned wgm);
// By WGMn3:0; the reserved 13 counts as normal.
const TimerMode& timer_mode_16bit(unsigned wgm);

class TimerCounter {
 public:
  static constexpr unsigned max_channels = 3;
  // What a tick can set.
  using Events = std::uint8_t;
  static constexpr Events TOV = 1, ICF = 2;
  static constexpr Events OCF(unsigned channel) { return static_cast<Events>(4U << channel); }

  // `max` is 0xff or 0xffff; up to three compare units.
  TimerCounter(std::uint16_t max, unsigned channels);

  void set_mode(const TimerMode& mode);
  const TimerMode& mode() const { return mode_; }
  // COMnx1:0
  void set_output_mode(unsigned channel, std::uint8_t com) { com_[channel] = com; }

  // "All CPU write operations to the TCNTn register will block any compare match that occurs in the next timer clock
  // cycle, even when the timer is stopped."
  void write_count(std::uint16_t value);
  void write_compare(unsigned channel, std::uint16_t value);
  void set_icr(std::uint16_t value) { icr_ = value; }
  std::uint16_t count() const { return count_; }
  std::uint16_t icr() const { return icr_; }

  // Whether OCnx takes the pin from the port, and its level.
  bool connected(unsigned channel) const;
  bool output(unsigned channel) const { return (outputs_ >> channel & 1) != 0; }
  std::uint8_t outputs() const { return outputs_; }
  // FOCnx: without effect in the PWM modes.
  void force(unsigned channel);

  // Counts on; returns everything that was set meanwhile. The time it takes does not grow with `ticks`.
  Events advance(std::int64_t ticks);
  // The number of ticks, at least 1, until one of `events` is set or one of `outputs` (a bit per channel) changes; nullopt
  // when that will not come by counting.
  std::optional<std::int64_t> ticks_until(Events events, std::uint8_t outputs) const;

 private:
  std::uint16_t top() const;
  std::int64_t period() const;
  std::int64_t ticks_to_point() const;
  void move(std::int64_t ticks);
  void go_to(std::int64_t point);
  bool repeats() const;
  Events tick();
  Events count_up_from(bool at_top);
  Events count_dual_slope(bool at_top);
  void load_compare();
  void act(unsigned channel, bool set);
  void act_on_matches(std::uint8_t matches, bool at_top, bool at_bottom);

  std::uint16_t max_;
  unsigned channels_;
  TimerMode mode_;
  std::array<std::uint8_t, max_channels> com_{};

  std::uint16_t count_ = 0;
  bool up_ = true;
  bool blocked_ = false;
  std::array<std::uint16_t, max_channels> compare_{};
  std::array<std::uint16_t, max_channels> buffer_{};
  std::uint16_t icr_ = 0;
  std::uint8_t outputs_ = 0;
  // Ticks in unbroken periods since a compare register was loaded with another value.
  std::int64_t steady_ = 0;
};

}  // namespace avrlan::peripherals
