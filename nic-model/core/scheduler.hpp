#pragma once
// The one event queue of a simulation: absolute times, ties broken by insertion order.

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan {

class Scheduler {
 public:
  // A capture of up to two words (a `this`, an index) costs no allocation.
  using Action = std::function<void()>;

  // Names a scheduled event for cancel(). Default-constructed: names nothing.
  class EventId {
   public:
    EventId() = default;
    explicit operator bool() const { return sequence_ != 0; }

   private:
    friend class Scheduler;
    struct Slot {
      std::uint64_t sequence = 0;  // 0: free, or running
      std::function<void()> action;
    };
    EventId(std::uint64_t sequence, Slot* slot) : sequence_(sequence), slot_(slot) {}
    std::uint64_t sequence_ = 0;
    Slot* slot_ = nullptr;
  };

  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // The current virtual time. Inside an action: the time that action was scheduled for.
  Instant now() const { return now_; }

  // Calls `action` once at `when`; a time in the past means now (it runs in the run_until that is under way, or the
  // next one).
  EventId at(Instant when, Action action);
  EventId after(Duration delay, Action action) { return at(now_ + delay, std::move(action)); }

  // Forgets the event and clears `id`; an id that already ran, or names nothing, is ignored.
  void cancel(EventId& id);

  // Time of the earliest event, Instant::never() when there is none.
  Instant next() const { return queue_.empty() ? Instant::never() : queue_.back().when; }

  // Runs every event due at or before `until` in order, including those that they add, then sets now() to `until`.
  // `until` before now() is ignored: time never runs backwards.
  void run_until(Instant until);

  // Sets now() without running anything, to date what an instruction does. Stops at next(), never runs backwards.
  void set_now(Instant now);

  // Called whenever next() moves to an earlier time, so that whoever executes instructions can shorten its slice.
  void on_earlier(std::function<void(Instant)> notify) { notify_earlier_ = std::move(notify); }

 private:
  // An action stays in place until it has run, whatever else is scheduled meanwhile.
  using Slot = EventId::Slot;
  struct Entry {
    Instant when;
    std::uint64_t sequence;
    Slot* slot;
  };

  Slot& take_slot();
  void free(Slot& slot);

  Instant now_;
  std::uint64_t last_sequence_ = 0;
  std::vector<Entry> queue_;  // the next event last
  std::deque<Slot> slots_;
  std::vector<Slot*> free_slots_;
  std::function<void(Instant)> notify_earlier_;
};

}  // namespace avrlan
