#pragma once
// A prescaler and what it counts: clkIO, or a 32.768 kHz crystal at TOSC1 and TOSC2.
// Phase: after a reset of the prescaler that takes effect at cycle c, a timer with divider d ticks at c + d, c + 2 d, ...
// The crystal's edges are dated in virtual time, the first at its start, and reach timer and flags three cycles later.
// Not modelled: the crystal's start-up time, a clock other than 32.768 kHz at TOSC1 (EXCLK).

#include <cstdint>
#include <optional>

#include "emulator/peripherals/mcu_context.hpp"

namespace avrlan::peripherals {

class TimerClock {
 public:
  explicit TimerClock(const McuContext& mcu) : mcu_(mcu) {}

  // Input clocks so far, that at the start of cycle `at` included.
  std::int64_t count(Cycles at) const { return frozen_ ? *frozen_ : source_count(at) - skipped_; }
  // The cycle at whose start count() becomes `count`.
  Cycles cycle_of(std::int64_t count) const;
  // Ticks so far of a timer that divides by 2^`shift`, when the count is `count`.
  std::int64_t ticks(std::int64_t count, unsigned shift) const { return (count - zero_) >> shift; }
  // The count at which ticks() becomes `ticks`.
  std::int64_t count_of(std::int64_t ticks, unsigned shift) const { return zero_ + (ticks << shift); }

  bool runs() const { return !held_ && !frozen_; }
  // Between stop() and go_on(): cycle_of() does not know when.
  bool stands() const { return frozen_.has_value(); }
  bool counts_crystal() const { return crystal_; }

  // The timers on it must have settled before any of these, and look at count() again after select_crystal().
  void restart();
  void reset_prescaler(Cycles at) { zero_ = count(at); }
  // Keeps the prescaler at 0, and the timers where they are (TSM).
  void hold(bool held, Cycles at);
  void select_crystal(bool crystal, Cycles at);
  // Its source stands still, or goes on (sleep modes).
  void stop(Cycles at);
  void go_on(Cycles at);

 private:
  std::int64_t source_count(Cycles at) const;

  const McuContext& mcu_;
  bool crystal_ = false;
  bool held_ = false;
  std::int64_t zero_ = 0;
  std::int64_t skipped_ = 0;
  std::optional<std::int64_t> frozen_;
};

}  // namespace avrlan::peripherals
