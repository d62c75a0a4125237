#pragma once
// The one event queue of a simulation: absolute times, ties broken by insertion order.

#include <functional>

#include "nic-model/core/event_queue.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

class Scheduler {
 public:
  using Action = EventQueue<Instant>::Action;
  using EventId = EventQueue<Instant>::EventId;

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
  void cancel(EventId& id) { queue_.cancel(id); }

  // Time of the earliest event, Instant::never() when there is none.
  Instant next() const { return queue_.empty() ? Instant::never() : queue_.next(); }

  // Runs every event due at or before `until` in order, including those that they add, then sets now() to `until`.
  // `until` before now() is ignored: time never runs backwards.
  void run_until(Instant until);

  // Sets now() without running anything, to date what an instruction does. Stops at next(), never runs backwards.
  void set_now(Instant now);

  // Called whenever next() moves to an earlier time, so that whoever executes instructions can shorten its slice.
  void on_earlier(std::function<void(Instant)> notify) { notify_earlier_ = std::move(notify); }

 private:
  Instant now_;
  EventQueue<Instant> queue_;
  std::function<void(Instant)> notify_earlier_;
};

}  // namespace avrlan
