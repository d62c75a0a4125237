#include "emulator/peripherals/gpio.hpp"

#include <simavr/avr_ioport.h>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

std::uint8_t mask_of(Pin pin) {
  return static_cast<std::uint8_t>(1u << pin.bit);
}

}  // namespace

Gpio::Gpio(const McuContext& mcu) : mcu_(mcu) {
  for (auto* module : simavr_modules<avr_ioport_t>(mcu.avr, "port")) {
    const auto handler = [&](avr_io_addr_t address) { return mcu.avr.io[AVR_DATA_TO_IO(address)].w.c; };
    auto& port = ports_[module->name];
    port = {this, module, handler(module->r_port), handler(module->r_ddr), handler(module->r_pin), 0, 0, {}};
    for (const auto address : {module->r_port, module->r_ddr, module->r_pin}) {
      on_store<&Port::store>(mcu.avr, address, port);
    }
  }
}

void Gpio::Port::store(std::uint16_t address, std::uint8_t value) {
  const StoreHandler simavr = address == module->r_port ? store_port : address == module->r_ddr ? store_ddr : store_pin;
  simavr(module->io.avr, address, value, module);
  gpio->mcu_.sync();
  gpio->notify(*this);
}

bool Gpio::is_output(Pin pin) const {
  return (mcu_.data(port(pin).module->r_ddr) & mask_of(pin)) != 0;
}

bool Gpio::level(Pin pin) const {
  const Port& at = port(pin);
  if (is_output(pin)) return (mcu_.data(at.module->r_port) & mask_of(pin)) != 0;
  return (at.driven & mask_of(pin)) == 0 || (at.driven_high & mask_of(pin)) != 0;
}

void Gpio::drive(Pin pin, bool high) {
  Port& at = ports_.at(pin.port);
  const std::uint8_t mask = mask_of(pin);
  at.driven |= mask;
  at.driven_high = static_cast<std::uint8_t>(high ? at.driven_high | mask : at.driven_high & ~mask);
  // What simavr returns to when the pin becomes an input again, instead of its own pull-up.
  avr_ioport_external_t external{};
  external.name = static_cast<unsigned>(at.module->name) & 0x7f;
  external.mask = at.driven;
  external.value = at.driven_high;
  avr_ioctl(&mcu_.avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(static_cast<unsigned>(at.module->name)), &external);
  if (!is_output(pin)) avr_raise_irq(at.module->io.irq + pin.bit, high ? 1 : 0);
  notify(at);
}

void Gpio::watch(Pin pin, Watcher changed) {
  ports_.at(pin.port).watched.push_back({pin, std::move(changed), false, is_output(pin), level(pin)});
}

void Gpio::watch_direction(Pin pin, Watcher changed) {
  ports_.at(pin.port).watched.push_back({pin, std::move(changed), true, is_output(pin), level(pin)});
}

void Gpio::reset() {
  for (auto& [name, port] : ports_) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((port.driven >> bit & 1) != 0)
        avr_raise_irq(port.module->io.irq + bit, (port.driven_high >> bit & 1) != 0 ? 1 : 0);
    }
    // avr_reset() wiped PIN without raising the IRQs, so that those above may have been filtered.
    mcu_.data(port.module->r_pin) = port.driven_high;
    notify(port);
  }
}

void Gpio::notify(Port& port) {
  for (auto& watched : port.watched) {
    const bool output = is_output(watched.pin);
    const bool high = level(watched.pin);
    const bool changed = high != watched.high || (watched.direction_too && output != watched.output);
    watched.output = output;
    watched.high = high;
    if (changed) watched.changed(high);
  }
}

}  // namespace avrlan::peripherals
