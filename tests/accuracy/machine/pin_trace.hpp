#pragma once
// The edges of a pin, as an oscilloscope would show them.

#include <vector>

#include "emulator/peripherals/gpio.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {

struct Edge {
  std::int64_t cycle;
  bool high;
  friend bool operator==(const Edge&, const Edge&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Edge& edge) {
    return out << edge.cycle << (edge.high ? " up" : " down");
  }
};

class PinTrace {
 public:
  PinTrace(Bench& bench, Pin pin) : bench_(bench) {
    bench.machine.gpio().watch(pin, [this](bool high) {
      edges.push_back({bench_.clock.first_at(bench_.machine.gpio().changed_at()).count, high});
    });
  }
  std::vector<Edge> edges;

 private:
  Bench& bench_;
};

// The edges of `levels`, each `step` cycles long from `start` on, on a line that is `before`.
inline std::vector<Edge> edges_of(const std::vector<bool>& levels, Cycles start, std::int64_t step, bool before) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] != before) edges.push_back({start.count + static_cast<std::int64_t>(i) * step, levels[i]});
    before = levels[i];
  }
  return edges;
}

// Drives a pin to those levels, from outside.
inline void drive(Bench& bench, Pin pin, const std::vector<bool>& levels, Cycles start, std::int64_t step) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const bool high = levels[i];
    bench.scheduler.at(bench.clock.at(start + Cycles{static_cast<std::int64_t>(i) * step}),
                       [&bench, pin, high] { bench.machine.gpio().drive(pin, high); });
  }
}

}  // namespace avrlan::testing
