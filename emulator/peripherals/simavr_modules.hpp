#pragma once
// How the peripherals find the register addresses of simavr's modules.

#include <string_view>
#include <vector>

#include "emulator/peripherals/mcu_context.hpp"

struct avr_t;
struct avr_io_t;
struct avr_regbit_t;

namespace avrlan::peripherals {

std::vector<avr_io_t*> simavr_ios(avr_t& avr, std::string_view kind);

// Every module of that kind. `Module` is simavr's struct for it, whose first member is its avr_io_t.
template <class Module>
std::vector<Module*> simavr_modules(avr_t& avr, std::string_view kind) {
  std::vector<Module*> modules;
  for (avr_io_t* io : simavr_ios(avr, kind)) modules.push_back(reinterpret_cast<Module*>(io));
  return modules;
}

RegisterBit register_bit(avr_regbit_t bit);

}  // namespace avrlan::peripherals
