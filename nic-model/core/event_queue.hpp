#pragma once
// Actions in the order of their dates, ties by insertion order.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace avrlan {

template <class When>
class EventQueue {
 public:
  // A capture of up to two words (a `this`, an index) costs no allocation.
  using Action = std::function<void()>;

  // Names an event for cancel(). Default-constructed: names nothing.
  class EventId {
   public:
    EventId() = default;
    explicit operator bool() const { return sequence_ != 0; }

   private:
    friend class EventQueue;
    struct Slot {
      std::uint64_t sequence = 0;  // 0: free
      Action action;
    };
    EventId(std::uint64_t sequence, Slot* slot) : sequence_(sequence), slot_(slot) {}
    std::uint64_t sequence_ = 0;
    Slot* slot_ = nullptr;
  };

  bool empty() const { return queue_.empty(); }
  // Of the earliest event; only while there is one.
  When next() const { return queue_.back().when; }

  EventId add(When when, Action action) {
    Slot& slot = take_slot();
    slot.sequence = ++last_sequence_;
    slot.action = std::move(action);
    // In front of those that are due at the same time or sooner. Most events are among the next few.
    auto place = queue_.end();
    while (place != queue_.begin() && std::prev(place)->when <= when) --place;
    queue_.insert(place, {when, slot.sequence, &slot});
    return {slot.sequence, &slot};
  }

  // Forgets the event and clears `id`; an id that was taken already, or names nothing, is ignored.
  void cancel(EventId& id) {
    if (id && id.slot_->sequence == id.sequence_) {
      const auto entry = std::find_if(queue_.rbegin(), queue_.rend(),
                                      [&id](const Entry& candidate) { return candidate.sequence == id.sequence_; });
      queue_.erase(std::prev(entry.base()));
      free(*id.slot_);
    }
    id = {};
  }

  // Takes the earliest event out, for the caller to run; only while there is one.
  Action take_first() {
    Slot& slot = *queue_.back().slot;
    queue_.pop_back();
    Action action = std::move(slot.action);
    free(slot);
    return action;
  }

 private:
  using Slot = typename EventId::Slot;
  struct Entry {
    When when;
    std::uint64_t sequence;
    Slot* slot;
  };

  Slot& take_slot() {
    if (free_slots_.empty()) return slots_.emplace_back();
    Slot& slot = *free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  void free(Slot& slot) {
    slot.sequence = 0;
    slot.action = nullptr;
    free_slots_.push_back(&slot);
  }

  std::uint64_t last_sequence_ = 0;
  std::vector<Entry> queue_;  // the next event last
  std::deque<Slot> slots_;
  std::vector<Slot*> free_slots_;
};

}  // namespace avrlan
