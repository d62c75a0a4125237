#pragma once
// What the peripherals have to do at a cycle of the MCU's clock.

#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/board/mcu_clock.hpp"
#include "nic-model/core/event_queue.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::peripherals {

// The earliest is an event in the Scheduler, so that a change of frequency re-dates it alone. What was the earliest before stays
// there: most events are a few cycles away, and it will be the earliest again. At one cycle: by insertion order.
class CycleEvents {
 public:
  using Action = EventQueue<Cycles>::Action;
  using EventId = EventQueue<Cycles>::EventId;

  // Both must outlive this.
  CycleEvents(Scheduler& scheduler, McuClock& clock) : scheduler_(scheduler), clock_(clock) {}
  ~CycleEvents() { disarm(); }
  CycleEvents(const CycleEvents&) = delete;
  CycleEvents& operator=(const CycleEvents&) = delete;

  // Calls `action` once, before the instruction that starts at `when`; a cycle in the past means now.
  EventId at(Cycles when, Action action);
  // Forgets the event and clears `id`; an id that already ran, or names nothing, is ignored.
  void cancel(EventId& id);

  // From the start of cycle `now` on the clock's source is divided by `divider`: everything pending keeps its cycle and gets
  // a new time. `now` must be no earlier than the instruction being executed, nor than the last change.
  void set_divider(std::int64_t divider, Cycles now);
  // The same for the source itself; 0: it stands.
  void set_hz(std::int64_t hz, Cycles now);
  // After set_hz(0): the clock goes on at `t`.
  void start(std::int64_t hz, Instant t);
  // Called after each change, so that whoever executes instructions can reckon its slice again.
  void on_change(std::function<void()> notify) { changed_ = std::move(notify); }

 private:
  struct Armed {
    Cycles when;
    Scheduler::EventId event;
  };

  void arm();
  void disarm();
  void clock_changed();
  void run();

  Scheduler& scheduler_;
  McuClock& clock_;
  EventQueue<Cycles> queue_;
  std::vector<Armed> armed_;  // each earlier than the one before; nothing may be left to do at the later ones
  std::function<void()> changed_;
};

}  // namespace avrlan::peripherals
