#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace avrlan::debug {

struct IoRegister {
  std::uint16_t address;  // in the data space
  std::string_view name;  // as the datasheet prints it
};

// The 8-bit registers of an MCU of cpu::mcus(), by address; two names where one register has two.
std::vector<IoRegister> io_registers(std::string_view mcu);

}  // namespace avrlan::debug
