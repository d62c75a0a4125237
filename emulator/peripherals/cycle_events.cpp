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
  arm();
}

void CycleEvents::set_divider(std::int64_t divider, Cycles now) {
  if (divider == clock_.divider()) return;
  clock_.set_divider(divider, now);
  scheduler_.cancel(armed_);
  arm();
  if (changed_) changed_();
}

void CycleEvents::arm() {
  if (queue_.empty()) {
    scheduler_.cancel(armed_);
  } else if (!armed_ || armed_for_ != queue_.next()) {
    scheduler_.cancel(armed_);
    armed_for_ = queue_.next();
    armed_ = scheduler_.at(clock_.at(armed_for_), [this] { run(); });
  }
}

// The next one is armed before this one runs: the scheduler's time must not be moved past it.
void CycleEvents::run() {
  armed_ = {};
  const Action action = queue_.take_first();
  arm();
  action();
}

}  // namespace avrlan::peripherals
