#pragma once

#include "nic-model/core/time.hpp"

namespace avrlan {

// The only conversion between cycles of one MCU and virtual time. Works from absolute counts, so that no error adds up
// at frequencies whose period is not a whole number of picoseconds (14.7456 MHz).
class McuClock {
 public:
  // `hz` > 0; cycle 0 is at `start`.
  explicit McuClock(std::int64_t hz, Instant start = {});

  std::int64_t hz() const { return hz_; }

  // The instant at which cycle `c` begins, rounded down to a picosecond. `c` must not lie before the last change.
  Instant at(Cycles c) const;
  // The first cycle that begins at or after `t`; first_at(at(c)) == c.
  Cycles first_at(Instant t) const;

  // From cycle `now` on the clock runs at `hz` (CLKPR, a chip's clock output feeding the MCU).
  void set_hz(std::int64_t hz, Cycles now);

 private:
  std::int64_t hz_;
  Cycles base_cycle_{};
  Instant base_time_;
};

}  // namespace avrlan
