#include "emulator/peripherals/mcu_context.hpp"

#include <simavr/sim_avr.h>

namespace avrlan::peripherals {

Cycles McuContext::cycle() const {
  return Cycles{static_cast<std::int64_t>(avr.cycle)};
}

Origin McuContext::origin() const {
  return {avr.pc, static_cast<std::uint16_t>(avr.data[R_SPL] | avr.data[R_SPH] << 8), cycle()};
}

Cycles McuContext::store_done() const {
  const bool is_out = (opcode() & 0xf800) == 0xb800;
  return cycle() + Cycles{is_out ? 1 : 2};
}

Cycles McuContext::load_sampled() const {
  const std::uint16_t word = opcode();
  const bool direct = (word & 0xf800) == 0xb000 || (word & 0xfc00) == 0x9800;  // IN; CBI, SBIC, SBI, SBIS
  return cycle() + Cycles{direct ? 0 : 1};
}

std::uint8_t McuContext::ones_written(std::uint8_t value) const {
  const std::uint16_t word = opcode();
  if ((word & 0xff00) == 0x9a00) return static_cast<std::uint8_t>(1u << (word & 7));  // SBI
  return (word & 0xff00) == 0x9800 ? std::uint8_t{0} : value;                         // CBI
}

std::uint16_t McuContext::opcode() const {
  if (avr.pc >= avr.flashend) return 0;
  return static_cast<std::uint16_t>(avr.flash[avr.pc] | avr.flash[avr.pc + 1] << 8);
}

Cycles McuContext::response_started() const {
  return cycle() - Cycles{avr.address_size + 2};
}

void McuContext::stall(std::int64_t cycles) const {
  avr.cycle += static_cast<avr_cycle_count_t>(cycles);
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

StoreTarget::StoreTarget(avr_t& avr, std::uint16_t address)
    : avr_(avr), handler_(avr.io[AVR_DATA_TO_IO(address)].w.c), owner_(avr.io[AVR_DATA_TO_IO(address)].w.param) {}

void StoreTarget::store(std::uint16_t address, std::uint8_t value) const {
  if (handler_ != nullptr) {
    handler_(&avr_, address, value, owner_);
  } else {
    avr_.data[address] = value;
  }
}

}  // namespace avrlan::peripherals
