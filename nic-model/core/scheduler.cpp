#include "nic-model/core/scheduler.hpp"

#include <algorithm>
#include <utility>

namespace avrlan {

bool Scheduler::later(const Entry& a, const Entry& b) {
  return a.when != b.when ? a.when > b.when : a.sequence > b.sequence;
}

Scheduler::EventId Scheduler::at(Instant when, Action action) {
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  const Entry entry{std::max(when, now_), ++last_sequence_, slot};
  slots_[slot] = Slot{entry.sequence, std::move(action)};

  const bool earliest = entry.when < next();
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), later);
  if (earliest && notify_earlier_) notify_earlier_(entry.when);
  return EventId{entry.sequence, slot};
}

Scheduler::Action Scheduler::release(std::uint32_t slot) {
  Action action = std::exchange(slots_[slot].action, nullptr);
  slots_[slot].sequence = 0;
  free_slots_.push_back(slot);
  return action;
}

void Scheduler::cancel(EventId& id) {
  if (id && id.slot < slots_.size() && slots_[id.slot].sequence == id.sequence) {
    release(id.slot);
    ++cancelled_;
    drop_cancelled();
  }
  id = {};
}

void Scheduler::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), later);
  heap_.pop_back();
}

void Scheduler::drop_cancelled() {
  // A timer that is put off again and again must not fill the heap with what it no longer wants.
  if (cancelled_ > 64 && cancelled_ > heap_.size() / 2) {
    std::erase_if(heap_, [this](const Entry& entry) { return cancelled(entry); });
    std::make_heap(heap_.begin(), heap_.end(), later);
    cancelled_ = 0;
  }
  while (!heap_.empty() && cancelled(heap_.front())) {
    pop();
    --cancelled_;
  }
}

void Scheduler::run_until(Instant until) {
  if (until < now_) return;
  while (!heap_.empty() && heap_.front().when <= until) {
    const Entry due = heap_.front();
    pop();
    const Action action = release(due.slot);
    drop_cancelled();
    now_ = std::max(now_, due.when);
    action();
  }
  now_ = std::max(now_, until);
}

void Scheduler::set_now(Instant now) {
  now_ = std::max(now_, std::min(now, next()));
}

}  // namespace avrlan
