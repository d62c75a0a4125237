#pragma once
// CLKPR, and XDIV of the ATmega128 (datasheets, section "System Clock and Clock Options"); OSCCAL.
//
// Phase. A change takes effect at the end of the store that makes it. On silicon it is active between T1 + T2 and T1 + 2 T2
// later, with two clock edges in between: the counts are the same, the times may differ by a cycle of either clock.
// Not modelled: OSCCAL is a register without effect. On the ATmega128, timer 0 is clocked by clkIO even while XDIV divides.

#include <cstdint>

#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"
#include "emulator/peripherals/timed_bit.hpp"

namespace avrlan::peripherals {

class SystemClock {
 public:
  SystemClock(const McuContext& mcu, const Part& part, const Fuses& fuses);
  SystemClock(const SystemClock&) = delete;
  SystemClock& operator=(const SystemClock&) = delete;

  // After avr_reset(): undivided, or by CKDIV8.
  void reset();

 private:
  void store_clkpr(std::uint16_t address, std::uint8_t value);
  void store_xdiv(std::uint16_t address, std::uint8_t value);

  const McuContext& mcu_;
  const Part& part_;
  const bool ckdiv8_;
  TimedBit clkpce_;
};

}  // namespace avrlan::peripherals
