#include "emulator/peripherals/eeprom.hpp"

#include <simavr/avr_eeprom.h>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// EECR; EEMWE and EEWE on the older parts.
constexpr std::uint8_t EEPM = 0x30;
constexpr std::uint8_t EERIE = 0x08;
constexpr std::uint8_t EEMPE = 0x04;
constexpr std::uint8_t EEPE = 0x02;
constexpr std::uint8_t EERE = 0x01;

constexpr std::uint8_t erase_and_write = 0x00;
constexpr std::uint8_t erase_only = 0x10;
constexpr std::uint8_t write_only = 0x20;

constexpr Duration erase_and_write_time = Duration::microseconds(3400);
constexpr Duration half_time = Duration::microseconds(1800);
constexpr Duration older_parts_time = Duration::microseconds(8500);

constexpr unsigned read_stall = 4;
constexpr unsigned write_stall = 2;

}  // namespace

Eeprom::Eeprom(const McuContext& mcu, const Part& part)
    : Eeprom(mcu, part, *simavr_modules<avr_eeprom_t>(mcu.avr, "eeprom").at(0)) {}

Eeprom::Eeprom(const McuContext& mcu, const Part& part, avr_eeprom_t& module)
    : mcu_(mcu),
      modes_(part.eeprom_modes),
      cells_(module.eeprom, module.size),
      eearh_(module.r_eearh),
      eearl_(module.r_eearl),
      eedr_(module.r_eedr),
      eecr_(module.r_eecr),
      vector_(module.ready.vector),
      eempe_(mcu, {module.r_eecr, EEMPE}) {
  module.io.reset = nullptr;
  on_store<&Eeprom::store_eecr>(mcu.avr, eecr_, *this);
  on_store<&Eeprom::store_eear>(mcu.avr, eearl_, *this);
  on_store<&Eeprom::store_eear>(mcu.avr, eearh_, *this);
  // A condition, not an event: nothing to acknowledge.
  mcu.interrupts.connect(vector_, [] {});
}

void Eeprom::reset() {
  eempe_.close();
  mcu_.set_bits(eecr_, EEPE, busy());
  update_request();
}

// The bits above the size do not exist.
void Eeprom::store_eear(std::uint16_t to, std::uint8_t value) {
  if (busy()) return;
  const std::size_t last = cells_.size() - 1;
  mcu_.data(to) = static_cast<std::uint8_t>(value & (to == eearh_ ? last >> 8 : last & 0xff));
}

std::uint16_t Eeprom::address() const {
  return static_cast<std::uint16_t>((mcu_.data(eearh_) << 8 | mcu_.data(eearl_)) & (cells_.size() - 1));
}

void Eeprom::store_eecr(std::uint16_t, std::uint8_t value) {
  const bool enabled = eempe_.is_open(mcu_.store_done());
  // "While EEPE is set, any write to EEPMn will be ignored."
  const auto kept = static_cast<std::uint8_t>(EEMPE | EEPE | (busy() || !modes_ ? EEPM : 0));
  const auto taken = static_cast<std::uint8_t>(EERIE | (busy() || !modes_ ? 0 : EEPM));
  mcu_.data(eecr_) = static_cast<std::uint8_t>((mcu_.data(eecr_) & kept) | (value & taken));
  if ((value & EEPE) != 0) {
    if (enabled && !busy() && !(flash_busy_ && flash_busy_())) write(mcu_.data(eecr_) & EEPM);
  } else if ((value & EEMPE) != 0) {
    eempe_.open();
  }
  update_request();
  if ((value & EERE) != 0 && !busy()) read();
}

void Eeprom::write(std::uint8_t mode) {
  mcu_.sync();
  eempe_.close();
  mcu_.set_bits(eecr_, EEPE, true);
  cell_ = address();
  const std::uint8_t data = mcu_.data(eedr_);
  Duration time = modes_ ? erase_and_write_time : older_parts_time;
  if (mode == erase_and_write) {
    value_ = data;
  } else {
    time = half_time;
    value_ = mode == erase_only ? 0xff : mode == write_only ? cells_[cell_] & data : cells_[cell_];
  }
  writing_ = mcu_.scheduler.at(mcu_.clock.at(mcu_.store_done()) + time, [this] { written(); });
  mcu_.stall(write_stall);
}

void Eeprom::written() {
  writing_ = {};
  cells_[cell_] = value_;
  mcu_.set_bits(eecr_, EEPE, false);
  update_request();
}

void Eeprom::read() {
  mcu_.data(eedr_) = cells_[address()];
  mcu_.stall(read_stall);
}

void Eeprom::update_request() {
  mcu_.interrupts.request(vector_, (mcu_.data(eecr_) & (EERIE | EEPE)) == EERIE);
}

}  // namespace avrlan::peripherals
