#pragma once
// RxD: its level over time, for a receiver that looks back at it.

#include <deque>

#include "nic-model/core/time.hpp"

namespace avrlan::peripherals {

class SerialLine {
 public:
  // The line has this level from `when` on, which is not before any edge so far. Idle is high.
  void set(Instant when, bool high);
  bool level(Instant at) const;
  // The first change of the level after `after`; Instant::never() when none is known.
  Instant next_edge(Instant after) const;
  // Nobody will ask for a time before `before` any more.
  void forget(Instant before);

 private:
  struct Edge {
    Instant when;
    bool high;
  };
  bool first_ = true;  // before the first edge
  std::deque<Edge> edges_;
};

}  // namespace avrlan::peripherals
