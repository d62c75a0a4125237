#pragma once
// The one thing that a peripheral on clkIO, or clkADC, waits for.

#include <functional>

#include "emulator/peripherals/mcu_context.hpp"

namespace avrlan::peripherals {

// Where its clock stops, what is pending stands still, and goes on with it.
class IoEvent {
 public:
  // `action` is told the cycle for which it was due.
  IoEvent(const McuContext& mcu, std::function<void(Cycles due)> action, ClockDomain domain = ClockDomain::io);
  IoEvent(const IoEvent&) = delete;
  IoEvent& operator=(const IoEvent&) = delete;

  // Instead of what is pending. While the clock stands: as many cycles after it goes on as `when` is after now.
  void at(Cycles when);
  void cancel();
  bool pending() const { return pending_; }

 private:
  void arm();
  void clock_changed(bool runs, Cycles at);

  const McuContext& mcu_;
  const ClockDomain domain_;
  std::function<void(Cycles due)> action_;
  McuContext::EventId event_;
  bool pending_ = false;
  Cycles when_;
  Cycles held_since_;
};

}  // namespace avrlan::peripherals
