#pragma once

#include <limits>

#include "nic-model/core/time.hpp"

namespace avrlan {

// The only conversion between cycles of one MCU and virtual time. Works from absolute counts, so that no error adds up
// at frequencies whose period is not a whole number of picoseconds (14.7456 MHz).
class McuClock {
 public:
  // `hz` > 0; cycle 0 is at `start`.
  explicit McuClock(std::int64_t hz, Instant start = {}) : hz_(hz), base_time_(start) {}

  std::int64_t hz() const { return hz_; }

  // The instant at which cycle `c` begins, rounded down to a picosecond; Instant::never() past the end of time.
  // `c` must not lie before the last change.
  Instant at(Cycles c) const {
    const Wide elapsed = Wide{(c - base_cycle_).count} * picoseconds_per_second / hz_;
    const Wide left = Wide{(Instant::never() - base_time_).picoseconds()};
    if (elapsed >= left) return Instant::never();
    return base_time_ + Duration::picoseconds(static_cast<std::int64_t>(elapsed));
  }

  // The first cycle that begins at or after `t`, so that first_at(at(c)) == c; the cycle of the last change for any
  // earlier time, Cycles::never() for Instant::never().
  Cycles first_at(Instant t) const {
    if (t <= base_time_) return base_cycle_;
    if (t.is_never()) return Cycles::never();
    const Wide whole = Wide{(t - base_time_).picoseconds()} * hz_;
    return base_cycle_ +
           Cycles{static_cast<std::int64_t>((whole + picoseconds_per_second - 1) / picoseconds_per_second)};
  }

  // From cycle `now` on the clock runs at `hz` (CLKPR, a chip's clock output feeding the MCU).
  void set_hz(std::int64_t hz, Cycles now) {
    base_time_ = at(now);
    base_cycle_ = now;
    hz_ = hz;
  }

 private:
  __extension__ typedef __int128 Wide;
  static constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;

  std::int64_t hz_;
  Cycles base_cycle_{};
  Instant base_time_;
};

}  // namespace avrlan
