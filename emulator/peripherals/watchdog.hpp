#pragma once
// The watchdog: system reset, interrupt, and both (ATmega328P datasheet, section "Watchdog Timer"); the older parts', which
// can only reset (ATmega8, 32 and 128, section "Watchdog Timer": safety level 1, and 2 with WDTON).
//
// Its oscillator is not the MCU's: time-outs are dated in time, at the typical values for 5 V, and run in every sleep mode and
// through changes of the clock. Phase: WDR restarts the count at the start of its instruction; a store that switches the
// watchdog on starts it at its end. A change of the prescaler does not restart the count.
// Not modelled: synchronisation with the oscillator (up to three of its cycles after WDR), its dependence on voltage and
// temperature, safety level 0 of an ATmega128 in ATmega103 mode.

#include <cstdint>

#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"
#include "emulator/peripherals/reset_control.hpp"
#include "emulator/peripherals/timed_bit.hpp"

namespace avrlan::peripherals {

class Watchdog {
 public:
  Watchdog(const McuContext& mcu, const Part& part, const Fuses& fuses, ResetControl& resets);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() { mcu_.scheduler.cancel(timeout_); }

  // WDR.
  void restart() { counting_since_ = mcu_.clock.at(mcu_.cycle()); }
  // After avr_reset() and ResetControl::reset().
  void reset();

 private:
  void store_wdtcsr(std::uint16_t address, std::uint8_t value);
  std::uint8_t& wdtcsr() const { return mcu_.data(part_.wdtcsr); }
  bool running() const;
  Duration period() const;
  void count_from(Instant start);
  void arm();
  void look();
  void timed_out();
  void update_request();

  const McuContext& mcu_;
  const Part& part_;
  ResetControl& resets_;
  const bool always_on_;
  TimedBit wdce_;
  unsigned vector_ = 0;
  Instant counting_since_;
  Scheduler::EventId timeout_;
};

}  // namespace avrlan::peripherals
