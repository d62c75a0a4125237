#pragma once
// The one event queue of a simulation: absolute times, ties broken by insertion order.

#include <cstdint>
#include <functional>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan {

class Scheduler {
 public:
  // A capture of up to two words (a `this`, an index) costs no allocation.
  using Action = std::function<void()>;

  // Names a scheduled event for cancel(). Default-constructed: names nothing.
  struct EventId {
    std::uint64_t sequence = 0;
    std::uint32_t slot = 0;
    explicit operator bool() const { return sequence != 0; }
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
  Instant next() const { return heap_.empty() ? Instant::never() : heap_.front().when; }

  // Runs every event due at or before `until` in order, including those that they add, then sets now() to `until`.
  // `until` before now() is ignored: time never runs backwards.
  void run_until(Instant until);

  // Sets now() without running anything, to date what an instruction does. Stops at next(), never runs backwards.
  void set_now(Instant now);

  // Called whenever next() moves to an earlier time, so that whoever executes instructions can shorten its slice.
  void on_earlier(std::function<void(Instant)> notify) { notify_earlier_ = std::move(notify); }

 private:
  // What the heap orders. The action stays put in its slot; an entry whose slot has moved on was cancelled.
  struct Entry {
    Instant when;
    std::uint64_t sequence;
    std::uint32_t slot;
  };
  struct Slot {
    std::uint64_t sequence = 0;
    Action action;
  };

  static bool later(const Entry& a, const Entry& b);
  bool cancelled(const Entry& entry) const { return slots_[entry.slot].sequence != entry.sequence; }
  Action release(std::uint32_t slot);
  void pop();
  void drop_cancelled();

  Instant now_;
  std::uint64_t last_sequence_ = 0;
  std::vector<Entry> heap_;  // the front is never a cancelled event
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t cancelled_ = 0;  // entries in heap_ that are
  std::function<void(Instant)> notify_earlier_;
};

}  // namespace avrlan
