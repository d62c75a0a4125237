#include "emulator/peripherals/simavr_modules.hpp"

#include <simavr/sim_avr.h>

namespace avrlan::peripherals {

std::vector<avr_io_t*> simavr_ios(avr_t& avr, std::string_view kind) {
  std::vector<avr_io_t*> found;
  for (avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    if (io->kind != nullptr && io->kind == kind) found.push_back(io);
  }
  return found;
}

RegisterBit register_bit(avr_regbit_t bit) {
  return {static_cast<std::uint16_t>(bit.reg), static_cast<std::uint8_t>(bit.mask << bit.bit)};
}

}  // namespace avrlan::peripherals
