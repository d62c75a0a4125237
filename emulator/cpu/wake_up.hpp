#pragma once

#include <cstdint>
#include <vector>

#include "emulator/cpu/core_traits.hpp"
#include "emulator/cpu/engine.hpp"

struct avr_t;

namespace avrlan::cpu {

class Interrupts;
struct Mcu;

// Which interrupts wake an MCU from which sleep mode: datasheet, table "Active Clock Domains and Wake-up Sources in the
// Different Sleep Modes". Everything wakes it from idle; where the I/O clock stands, only what works without it does.
class WakeUpSources {
 public:
  // Finds the vectors among simavr's modules of `avr`.
  WakeUpSources(const avr_t& avr, const Mcu& mcu);

  bool any(SleepMode mode, const Interrupts& interrupts) const;

 private:
  std::vector<unsigned> asynchronous_;         // external and pin-change interrupts, TWI address match, watchdog
  std::vector<unsigned> asynchronous_timers_;  // those that can run from their own crystal
  std::vector<unsigned> adc_and_memories_;     // ADC, EEPROM and SPM ready: their clocks go on in ADC noise reduction
};

// Cycles from the wake-up event until the clocks run, where the main oscillator, or its output, had stopped.
std::int64_t start_up(SleepMode mode, const SleepOptions& options);

}  // namespace avrlan::cpu
