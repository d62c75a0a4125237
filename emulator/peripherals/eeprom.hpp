#pragma once
// The EEPROM (ATmega328P datasheet, section "EEPROM Data Memory"; ATmega8, 32 and 128 the same without EEPM).
//
// Phase. A write begins at the end of the store that sets EEPE; the cells change, EEPE clears and EE_READY is requested when
// its time is over: 3.4 ms, 1.8 ms for an erase or a write alone (table "EEPROM Mode Bits"); 8.5 ms on the ATmega8, 32 and 128
// (8448 cycles of the 1 MHz oscillator). The time is the internal oscillator's: neither the MCU's clock nor sleep changes it. The
// CPU is halted for two cycles after EEPE, for four after EERE. A reset does not stop a write.
// Not modelled: corruption by a low supply, EEPM1:0 = 3 (nothing is written), wear.

#include <cstdint>
#include <functional>
#include <span>

#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"
#include "emulator/peripherals/timed_bit.hpp"

struct avr_eeprom_t;

namespace avrlan::peripherals {

class Eeprom {
 public:
  Eeprom(const McuContext& mcu, const Part& part);
  Eeprom(const Eeprom&) = delete;
  Eeprom& operator=(const Eeprom&) = delete;
  ~Eeprom() { mcu_.scheduler.cancel(writing_); }

  std::span<const std::uint8_t> contents() const { return cells_; }
  // As a programmer does, in no time; `address` must be in range.
  void program(std::uint16_t address, std::uint8_t value) { cells_[address] = value; }
  bool busy() const { return static_cast<bool>(writing_); }
  // Whether the CPU writes the flash at the moment, during which no write can begin.
  void blocked_by(std::function<bool()> flash_busy) { flash_busy_ = std::move(flash_busy); }
  // After avr_reset().
  void reset();

 private:
  Eeprom(const McuContext& mcu, const Part& part, avr_eeprom_t& module);
  void store_eecr(std::uint16_t address, std::uint8_t value);
  void store_eear(std::uint16_t address, std::uint8_t value);
  std::uint16_t address() const;
  void write(std::uint8_t mode);
  void written();
  void read();
  void update_request();

  const McuContext& mcu_;
  const bool modes_;
  const std::span<std::uint8_t> cells_;
  const std::uint16_t eearh_;
  const std::uint16_t eearl_;
  const std::uint16_t eedr_;
  const std::uint16_t eecr_;
  const unsigned vector_;
  TimedBit eempe_;
  std::function<bool()> flash_busy_;
  Scheduler::EventId writing_;
  std::uint16_t cell_ = 0;  // the one being written
  std::uint8_t value_ = 0;  // that it will have
};

}  // namespace avrlan::peripherals
