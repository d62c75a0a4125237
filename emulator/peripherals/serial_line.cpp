#include "emulator/peripherals/serial_line.hpp"

namespace avrlan::peripherals {

void SerialLine::set(Instant when, bool high) {
  edges_.push_back({when, high});
}

bool SerialLine::level(Instant at) const {
  bool high = first_;
  for (const Edge& edge : edges_) {
    if (edge.when > at) break;
    high = edge.high;
  }
  return high;
}

Instant SerialLine::next_edge(Instant after) const {
  bool high = level(after);
  for (const Edge& edge : edges_) {
    if (edge.when > after && edge.high != high) return edge.when;
  }
  return Instant::never();
}

void SerialLine::forget(Instant before) {
  while (!edges_.empty() && edges_.front().when < before) {
    first_ = edges_.front().high;
    edges_.pop_front();
  }
}

}  // namespace avrlan::peripherals
