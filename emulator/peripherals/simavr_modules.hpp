#pragma once
// How the peripherals find the register addresses of simavr's modules. Included by .cpp files only.

#include <simavr/sim_avr.h>

#include <string_view>
#include <vector>

#include "emulator/peripherals/mcu_context.hpp"

namespace avrlan::peripherals {

// Every module of that kind. `Module` is simavr's struct for it, whose first member is its avr_io_t.
template <class Module>
std::vector<Module*> simavr_modules(avr_t& avr, std::string_view kind) {
  std::vector<Module*> found;
  for (avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    if (io->kind != nullptr && io->kind == kind) found.push_back(reinterpret_cast<Module*>(io));
  }
  return found;
}

inline RegisterBit register_bit(avr_regbit_t bit) {
  return {static_cast<std::uint16_t>(bit.reg), static_cast<std::uint8_t>(bit.mask << bit.bit)};
}

}  // namespace avrlan::peripherals
