#pragma once

#include <cstdint>

#include "emulator/cpu/engine.hpp"

namespace avrlan::cpu {

// Where the cycles went. `now` is the cycle count since power-on.
class CycleAccount {
 public:
  void slept(std::int64_t cycles) { slept_ += cycles; }
  // Before the cycles of the entry, and after those of RETI. A RETI outside any interrupt counts for nothing.
  void enter_interrupt(std::int64_t now) {
    if (depth_++ == 0) started_ = now - slept_;
  }
  void leave_interrupt(std::int64_t now) {
    if (depth_ == 1) interrupted_ = interrupted(now);
    if (depth_ > 0) --depth_;
  }
  // The MCU is reset: whatever interrupt it was in is over.
  void leave_all_interrupts(std::int64_t now) {
    interrupted_ = interrupted(now);
    depth_ = 0;
  }

  CycleTotals totals(std::int64_t now) const {
    return {Cycles{now}, Cycles{now - slept_}, Cycles{slept_}, Cycles{interrupted(now)}};
  }

 private:
  std::int64_t interrupted(std::int64_t now) const { return interrupted_ + (depth_ > 0 ? now - slept_ - started_ : 0); }

  std::int64_t slept_ = 0;
  unsigned depth_ = 0;
  std::int64_t started_ = 0;      // active cycles at the outermost interrupt's entry
  std::int64_t interrupted_ = 0;  // active cycles in interrupts that are over
};

}  // namespace avrlan::cpu
