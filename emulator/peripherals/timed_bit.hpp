#pragma once
// The bit that opens a timed sequence (IVCE, CLKPCE, WDCE, EEMPE, SPMEN): hardware clears it four clock cycles after it was
// written. Phase: both writes count where they take effect, at the end of their instructions.

#include "emulator/peripherals/mcu_context.hpp"

namespace avrlan::peripherals {

class TimedBit {
 public:
  static constexpr Cycles window{4};

  // `expired`, when given, is called after hardware has cleared the bit.
  TimedBit(const McuContext& mcu, RegisterBit bit, std::function<void()> expired = nullptr);
  TimedBit(const TimedBit&) = delete;
  TimedBit& operator=(const TimedBit&) = delete;

  // From a store handler: the bit is written to one.
  void open();
  // Whether an instruction that takes effect at `when` comes in time.
  bool is_open(Cycles when) const { return static_cast<bool>(event_) && when <= until_; }
  Cycles until() const { return until_; }
  void close();

 private:
  const McuContext& mcu_;
  const RegisterBit bit_;
  const std::function<void()> expired_;
  Cycles until_;
  McuContext::EventId event_;
};

}  // namespace avrlan::peripherals
