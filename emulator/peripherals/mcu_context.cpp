#include "emulator/peripherals/mcu_context.hpp"

#include <simavr/sim_avr.h>

namespace avrlan::peripherals {

Cycles McuContext::cycle() const {
  return Cycles{static_cast<std::int64_t>(avr.cycle)};
}

Cycles McuContext::store_done() const {
  const bool is_out = avr.pc < avr.flashend && (avr.flash[avr.pc + 1] & 0xf8) == 0xb8;
  return cycle() + Cycles{is_out ? 1 : 2};
}

std::uint8_t& McuContext::data(std::uint16_t address) const {
  return avr.data[address];
}

void set_load_handler(avr_t& avr, std::uint16_t address, LoadHandler handler, void* owner) {
  auto& slot = avr.io[AVR_DATA_TO_IO(address)].r;
  slot.c = handler;
  slot.param = owner;
}

void set_store_handler(avr_t& avr, std::uint16_t address, StoreHandler handler, void* owner) {
  auto& slot = avr.io[AVR_DATA_TO_IO(address)].w;
  slot.c = handler;
  slot.param = owner;
}

}  // namespace avrlan::peripherals
