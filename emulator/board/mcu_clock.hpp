#pragma once

#include <limits>
#include <numeric>

#include "nic-model/core/time.hpp"

namespace avrlan {

// The only conversion between cycles of one MCU and virtual time. Works from absolute counts, so that no error adds up
// at frequencies whose period is not a whole number of picoseconds (14.7456 MHz).
class McuClock {
 public:
  // `hz` > 0; cycle 0 is at `start`.
  explicit McuClock(std::int64_t hz, Instant start = {}) : hz_(hz), period_(period(hz, 1)), base_time_(start) {}

  // Of the source: a crystal, an oscillator.
  std::int64_t hz() const { return hz_; }
  // By which the source is divided: a cycle takes divider / hz seconds.
  std::int64_t divider() const { return divider_; }

  // The instant at which cycle `c` begins, rounded down to a picosecond; Instant::never() past the end of time.
  // `c` must not lie before the last change.
  Instant at(Cycles c) const {
    const std::int64_t cycles = (c - base_cycle_).count;
    const std::int64_t left = (Instant::never() - base_time_).picoseconds();
    std::int64_t elapsed = 0;
    if (!__builtin_mul_overflow(cycles, period_.picoseconds, &elapsed)) {
      elapsed /= period_.cycles;
    } else {
      const Wide wide = Wide{cycles} * period_.picoseconds / period_.cycles;
      if (wide >= left) return Instant::never();
      elapsed = static_cast<std::int64_t>(wide);
    }
    if (elapsed >= left) return Instant::never();
    return base_time_ + Duration::picoseconds(elapsed);
  }

  // The first cycle that begins at or after `t`, so that first_at(at(c)) == c; the cycle of the last change for any
  // earlier time, Cycles::never() for Instant::never().
  Cycles first_at(Instant t) const {
    if (t <= base_time_) return base_cycle_;
    if (t.is_never()) return Cycles::never();
    const std::int64_t elapsed = (t - base_time_).picoseconds();
    // Rounded up: elapsed > 0.
    std::int64_t scaled = 0;
    if (!__builtin_mul_overflow(elapsed, period_.cycles, &scaled)) {
      return base_cycle_ + Cycles{(scaled - 1) / period_.picoseconds + 1};
    }
    const Wide wide = (Wide{elapsed} * period_.cycles - 1) / period_.picoseconds + 1;
    return base_cycle_ + Cycles{static_cast<std::int64_t>(wide)};
  }

  // From cycle `now` on the source runs at `hz` (a chip's clock output feeding the MCU). 0: it stands, and no later cycle
  // begins.
  void set_hz(std::int64_t hz, Cycles now) {
    rebase(now);
    hz_ = hz;
    period_ = period(hz_, divider_);
  }
  // From cycle `now` on the source is divided by `divider` > 0 (CLKPR, XDIV).
  void set_divider(std::int64_t divider, Cycles now) {
    rebase(now);
    divider_ = divider;
    period_ = period(hz_, divider_);
  }
  // A clock that stands goes on at `t`, with the cycle at which it stood.
  void start(std::int64_t hz, Instant t) {
    base_time_ = t;
    hz_ = hz;
    period_ = period(hz_, divider_);
  }

 private:
  void rebase(Cycles now) {
    base_time_ = at(now);
    base_cycle_ = now;
  }

  __extension__ typedef __int128 Wide;
  static constexpr std::int64_t picoseconds_per_second = 1'000'000'000'000;

  // `cycles` take exactly `picoseconds`; no smaller numbers do. Most products then fit into 64 bits.
  struct Period {
    std::int64_t picoseconds;
    std::int64_t cycles;
  };
  static constexpr Period period(std::int64_t hz, std::int64_t divider) {
    if (hz == 0) return {std::numeric_limits<std::int64_t>::max(), 1};
    const std::int64_t picoseconds = picoseconds_per_second * divider;
    const std::int64_t common = std::gcd(picoseconds, hz);
    return {picoseconds / common, hz / common};
  }

  std::int64_t hz_;
  std::int64_t divider_ = 1;
  Period period_;
  Cycles base_cycle_{};
  Instant base_time_;
};

}  // namespace avrlan
