#include "emulator/peripherals/baud_generator.hpp"

#include <algorithm>

namespace avrlan::peripherals {

void BaudGenerator::load(Cycles now, unsigned ubrr) {
  // The tick that would have come is put off.
  const std::int64_t done = ticks(now);
  base_tick_ = done;
  base_ = stopped_ ? stopped_at_ : now;
  period_ = Cycles{std::int64_t{ubrr} + 1};
}

void BaudGenerator::load_at_next_tick(Cycles now, unsigned ubrr) {
  const std::int64_t next = ticks(now) + 1;
  base_ += Cycles{(next - base_tick_) * period_.count};
  base_tick_ = next;
  period_ = Cycles{std::int64_t{ubrr} + 1};
}

void BaudGenerator::stop(Cycles now) {
  if (stopped_) return;
  stopped_ = true;
  stopped_at_ = now;
}

void BaudGenerator::go_on(Cycles now) {
  if (!stopped_) return;
  stopped_ = false;
  base_ += now - stopped_at_;
}

std::int64_t BaudGenerator::ticks(Cycles now) const {
  if (stopped_) now = std::min(now, stopped_at_);
  if (now < base_) return base_tick_ - 1;
  return base_tick_ + (now - base_).count / period_.count;
}

Cycles BaudGenerator::at(std::int64_t tick) const {
  return base_ + Cycles{(tick - base_tick_) * period_.count};
}

}  // namespace avrlan::peripherals
