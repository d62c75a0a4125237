#include "nic-model/core/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace avrlan {

Scheduler::EventId Scheduler::at(Instant when, Action action) {
  when = std::max(when, now_);
  const bool earliest = when < next();
  const EventId id = queue_.add(when, std::move(action));
  if (earliest && notify_earlier_) notify_earlier_(when);
  return id;
}

void Scheduler::run_until(Instant until) {
  if (until < now_) return;
  while (!queue_.empty() && queue_.next() <= until) {
    now_ = std::max(now_, queue_.next());
    queue_.take_first()();
  }
  now_ = std::max(now_, until);
}

void Scheduler::set_now(Instant now) {
  now_ = std::max(now_, std::min(now, next()));
}

}  // namespace avrlan
