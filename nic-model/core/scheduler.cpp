#include "nic-model/core/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace avrlan {

Scheduler::Slot& Scheduler::take_slot() {
  if (free_slots_.empty()) return slots_.emplace_back();
  Slot& slot = *free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void Scheduler::free(Slot& slot) {
  slot.action = nullptr;
  free_slots_.push_back(&slot);
}

Scheduler::EventId Scheduler::at(Instant when, Action action) {
  when = std::max(when, now_);
  Slot& slot = take_slot();
  slot.sequence = ++last_sequence_;
  slot.action = std::move(action);

  // In front of those that are due at the same time or sooner. Most events are among the next few.
  auto place = queue_.end();
  while (place != queue_.begin() && std::prev(place)->when <= when) --place;
  const bool earliest = place == queue_.end();
  queue_.insert(place, {when, slot.sequence, &slot});
  const EventId id{slot.sequence, &slot};
  if (earliest && notify_earlier_) notify_earlier_(when);
  return id;
}

void Scheduler::cancel(EventId& id) {
  if (id && id.slot_->sequence == id.sequence_) {
    const auto entry = std::find_if(queue_.rbegin(), queue_.rend(),
                                    [&id](const Entry& candidate) { return candidate.sequence == id.sequence_; });
    queue_.erase(std::prev(entry.base()));
    id.slot_->sequence = 0;
    free(*id.slot_);
  }
  id = {};
}

void Scheduler::run_until(Instant until) {
  if (until < now_) return;
  while (!queue_.empty() && queue_.back().when <= until) {
    const Entry due = queue_.back();
    queue_.pop_back();
    now_ = std::max(now_, due.when);
    due.slot->sequence = 0;
    due.slot->action();
    free(*due.slot);
  }
  now_ = std::max(now_, until);
}

void Scheduler::set_now(Instant now) {
  now_ = std::max(now_, std::min(now, next()));
}

}  // namespace avrlan
