#pragma once
// Owns one avr_t: simavr's tables, corrected, and modules, quiet, in memory that a wild firmware cannot leave.

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "emulator/cpu/mcu.hpp"

struct avr_t;

namespace avrlan {

class SimavrChip {
 public:
  explicit SimavrChip(const cpu::Mcu& mcu);
  ~SimavrChip();
  SimavrChip(const SimavrChip&) = delete;
  SimavrChip& operator=(const SimavrChip&) = delete;

  avr_t& avr() const { return *avr_; }
  std::size_t flash_size() const;
  std::size_t eeprom_size() const;
  // Both from address 0; the sizes must fit.
  void load_flash(std::span<const std::uint8_t> content);
  void load_eeprom(std::span<const std::uint8_t> content);

  // What simavr's interpreter last complained about, one line without colours; empty when it has not.
  const std::string& last_error() const { return log_.last_error; }

 private:
  // What the logger finds behind avr_t::custom.data.
  struct Log {
    std::string last_error;
  };
  static void log(avr_t* avr, int level, const char* format, __builtin_va_list arguments);

  Log log_;
  avr_t* avr_;
};

}  // namespace avrlan
