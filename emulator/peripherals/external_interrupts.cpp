#include "emulator/peripherals/external_interrupts.hpp"

#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

ExternalInterrupts::ExternalInterrupts(const McuContext& mcu) : mcu_(mcu) {
  avr_t& avr = mcu.avr;
  for (auto* module : simavr_modules<avr_extint_t>(avr, "extint")) {
    module->io.reset = nullptr;
    for (unsigned n = 0; n < EXTINT_COUNT; ++n) {
      auto& eint = module->eint[n];
      if (eint.port_ioctl == 0) continue;
      Line& line = lines_.emplace_back(Line{this, eint.vector.vector, static_cast<std::uint16_t>(eint.isc[0].reg),
                                            static_cast<std::uint8_t>(eint.isc[0].bit), eint.isc[1].reg == 0,
                                            register_bit(eint.vector.enable), register_bit(eint.vector.raised)});
      avr_irq_t* pin = avr_io_getirq(&avr, eint.port_ioctl, eint.port_pin);
      avr_unconnect_irq(pin, module->io.irq + n);
      avr_irq_register_notify(pin, &Line::pin_changed, &line);
      mcu.interrupts.connect(line.vector, [this, &line] {
        if (line.sense() != Sense::low_level) mcu_.set_bits(line.flag.address, line.flag.mask, false);
        line.update();
      });
      on_store<&ExternalInterrupts::store_control>(avr, line.control, *this);
      on_store<&ExternalInterrupts::store_control>(avr, line.enable.address, *this);
      on_store<&ExternalInterrupts::store_eifr>(avr, line.flag.address, *this);
    }
  }
  for (auto* port : simavr_modules<avr_ioport_t>(avr, "port")) {
    const auto pcifr = static_cast<std::uint16_t>(port->pcint.raised.reg);
    if (pcifr != 0) on_store<&ExternalInterrupts::store_pcifr>(avr, pcifr, *this);
  }
}

void ExternalInterrupts::reset() {
  update();
}

void ExternalInterrupts::update() {
  for (auto& line : lines_) line.update();
}

ExternalInterrupts::Sense ExternalInterrupts::Line::sense() const {
  const unsigned bits = owner->mcu_.data(control) >> control_shift;
  return static_cast<Sense>(one_bit ? 2 | (bits & 1) : bits & 3);
}

void ExternalInterrupts::Line::update() {
  const McuContext& mcu = owner->mcu_;
  // "This flag is always cleared when INTn is configured as a level interrupt."
  const bool level = sense() == Sense::low_level;
  if (level) mcu.set_bits(flag.address, flag.mask, false);
  mcu.interrupts.request(vector, mcu.is_set(enable) && (level ? !high : mcu.is_set(flag)));
}

void ExternalInterrupts::Line::pin_changed(avr_irq_t*, std::uint32_t value, void* param) {
  auto& line = *static_cast<Line*>(param);
  const bool high = (value & 0xff) != 0;
  if (high == line.high) return;
  line.high = high;
  const Sense sense = line.sense();
  const bool edge =
      sense == Sense::any_edge || (sense == Sense::falling_edge && !high) || (sense == Sense::rising_edge && high);
  if (edge) line.owner->mcu_.set_bits(line.flag.address, line.flag.mask, true);
  line.update();
}

void ExternalInterrupts::store_control(std::uint16_t address, std::uint8_t value) {
  mcu_.data(address) = value;
  update();
}

void ExternalInterrupts::store_eifr(std::uint16_t address, std::uint8_t value) {
  mcu_.data(address) = static_cast<std::uint8_t>(mcu_.data(address) & ~value);
  update();
}

void ExternalInterrupts::store_pcifr(std::uint16_t address, std::uint8_t value) {
  for (auto* port : simavr_modules<avr_ioport_t>(mcu_.avr, "port")) {
    const RegisterBit flag = register_bit(port->pcint.raised);
    if (flag.address == address && (value & flag.mask) != 0) avr_clear_interrupt(&mcu_.avr, &port->pcint);
  }
}

}  // namespace avrlan::peripherals
