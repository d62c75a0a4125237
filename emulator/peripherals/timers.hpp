#pragma once
// The timers of an MCU, and what they share: prescalers, TIFR and TIMSK, GTCCR or SFIOR, the power reduction registers.
// Not modelled: timer 4 of the ATmega32U4 (10 bits, PLL). Where two timers share a pin (OC0A and OC1C, OC2 and OC1C), the
// output compare modulator.

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/peripherals/timer.hpp"

namespace avrlan::peripherals {

class Timers {
 public:
  // Takes the registers from simavr's timers; their avr_io_t and IRQs stay.
  Timers(const McuContext& mcu, Gpio& gpio);
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // After avr_reset(), and after the pins'.
  void reset();
  // Puts counts and flags as they are now into the data space, where a debugger looks.
  void show();

 private:
  // A register that others have bits in, too: their handler stores them.
  struct SharedRegister {
    Timers& owner;
    std::uint16_t address;
    StoreHandler store_rest;
    void* rest_owner;
    void store(std::uint16_t at, std::uint8_t value);
  };

  void share(std::uint16_t address);
  void catch_up(Cycles at);
  void update_all();
  void io_clock_changed(bool runs, Cycles at);
  void crystal_changed(bool runs, Cycles at);

  std::uint8_t load_flags(std::uint16_t address);
  void store_flags(std::uint16_t address, std::uint8_t value);
  void store_enables(std::uint16_t address, std::uint8_t value);
  std::uint8_t after_prescaler_bits(std::uint8_t value, Cycles at);

  const McuContext& mcu_;
  const TimersLayout layout_;
  TimerClock shared_clock_{mcu_};
  TimerClock own_clock_{mcu_};
  std::deque<Timer> timers_;
  std::deque<SharedRegister> shared_;
};

}  // namespace avrlan::peripherals
