#pragma once
// The one event queue of a simulation: absolute times, ties broken by insertion order.

#include <cstdint>
#include <functional>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan {

class Scheduler {
 public:
  using Action = std::function<void()>;

  // Names a scheduled event for cancel(). Default-constructed: names nothing.
  struct EventId {
    std::uint64_t value = 0;
    explicit operator bool() const { return value != 0; }
  };

  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // The current virtual time. Inside an action: the time that action was scheduled for.
  Instant now() const { return now_; }

  // Calls `action` once at `when`; a time in the past means now (it runs at the next run_due).
  EventId at(Instant when, Action action);
  EventId after(Duration delay, Action action) { return at(now_ + delay, std::move(action)); }

  // Forgets the event and clears `id`; an id that already ran, or names nothing, is ignored.
  void cancel(EventId& id);

  // Time of the earliest event, Instant::never() when there is none.
  Instant next() const;

  // Runs every event due at or before `until` in order, including those that they add, then sets now() to `until`.
  // `until` before now() is ignored: time never runs backwards.
  void run_until(Instant until);

  // Sets now() without running anything, to date what an instruction does. Never passes next().
  void set_now(Instant now);

  // Called whenever next() moves to an earlier time, so that whoever executes instructions can shorten its slice.
  void on_earlier(std::function<void(Instant)> notify) { notify_earlier_ = std::move(notify); }

 private:
  struct Event {
    Instant when;
    std::uint64_t id;
    Action action;
  };
  static bool later(const Event& a, const Event& b);
  void drop_cancelled();

  Instant now_;
  std::uint64_t last_id_ = 0;
  std::vector<Event> heap_;
  std::vector<std::uint64_t> cancelled_;
  std::function<void(Instant)> notify_earlier_;
};

}  // namespace avrlan
