#include "emulator/peripherals/cycle_events.hpp"

#include <utility>

namespace avrlan::peripherals {

CycleEvents::EventId CycleEvents::at(Cycles when, Action action) {
  const EventId id = queue_.add(when, std::move(action));
  arm();
  return id;
}

void CycleEvents::cancel(EventId& id) {
  queue_.cancel(id);
}

void CycleEvents::set_divider(std::int64_t divider, Cycles now) {
  if (divider == clock_.divider()) return;
  clock_.set_divider(divider, now);
  clock_changed();
}

void CycleEvents::set_hz(std::int64_t hz, Cycles now) {
  clock_.set_hz(hz, now);
  clock_changed();
}

void CycleEvents::start(std::int64_t hz, Instant t) {
  clock_.start(hz, t);
  clock_changed();
}

void CycleEvents::clock_changed() {
  disarm();
  arm();
  if (changed_) changed_();
}

void CycleEvents::arm() {
  if (queue_.empty()) return;
  const Cycles next = queue_.next();
  if (!armed_.empty() && armed_.back().when <= next) return;
  armed_.push_back({next, scheduler_.at(clock_.at(next), [this] { run(); })});
}

void CycleEvents::disarm() {
  for (auto& armed : armed_) scheduler_.cancel(armed.event);
  armed_.clear();
}

// The next one is armed before this one runs: the scheduler's time must not be moved past it.
void CycleEvents::run() {
  const Cycles when = armed_.back().when;
  armed_.pop_back();
  if (queue_.empty() || queue_.next() > when) {
    arm();
    return;
  }
  const Action action = queue_.take_first();
  arm();
  action();
}

}  // namespace avrlan::peripherals
