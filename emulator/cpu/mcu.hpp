#pragma once
// What simavr's tables do not say about an MCU.

#include <cstdint>
#include <string_view>
#include <vector>

namespace avrlan::cpu {

struct Mcu {
  std::string_view name;      // as avr-gcc's -mmcu names it
  std::string_view same_die;  // another name for the same silicon, or empty
  // SE, which makes SLEEP sleep: SMCR or MCUCR, as a data address, and its bit.
  std::uint16_t sleep_register;
  std::uint8_t sleep_enable;
  // SS, which can take an SPI master out of master mode.
  char spi_ss_port;
  std::uint8_t spi_ss_bit;
};

// Every MCU that a Machine can be built with.
const std::vector<Mcu>& mcus();
// nullptr when there is none of that name.
const Mcu* find_mcu(std::string_view name);

}  // namespace avrlan::cpu
