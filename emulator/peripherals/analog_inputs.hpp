#pragma once
// The voltages at the analog pins: constants, or steps in time.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emulator/board/analog_signal.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::peripherals {

// What nothing is connected to is at 0 V, but AVCC and AREF at 5 V.
class AnalogInputs {
 public:
  AnalogInputs(Scheduler& scheduler, std::span<const AnalogSignal> signals);
  AnalogInputs(const AnalogInputs&) = delete;
  AnalogInputs& operator=(const AnalogInputs&) = delete;
  ~AnalogInputs() { scheduler_.cancel(step_); }

  Voltage at(AnalogPin pin, Instant when) const;
  // Called at each step of any pin.
  void on_step(std::function<void()> changed);

 private:
  void arm();

  Scheduler& scheduler_;
  std::array<std::vector<AnalogSignal::Step>, analog_pins> steps_;
  std::function<void()> changed_;
  Scheduler::EventId step_;
};

}  // namespace avrlan::peripherals
