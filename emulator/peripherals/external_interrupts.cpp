#include "emulator/peripherals/external_interrupts.hpp"

#include <simavr/avr_extint.h>
#include <simavr/avr_ioport.h>

#include <algorithm>

#include "emulator/peripherals/clock_domains.hpp"
#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

constexpr std::uint16_t kPcicr = 0x68, kPcifr = 0x3b, kMcucr = 0x55;
constexpr Cycles edge_detector{2};

}  // namespace

ExternalInterrupts::ExternalInterrupts(const McuContext& mcu, Gpio& gpio) : mcu_(mcu), gpio_(gpio) {
  for (auto* module : simavr_modules<avr_extint_t>(mcu.avr, "extint")) add_lines(*module);
  add_groups();
  for (auto& port : ports_) {
    gpio.watch_port(port.name, [this, &port](std::uint8_t changed) { pins_changed(port, changed); });
  }
  mcu.clocks.watch(ClockDomain::io, [this](bool runs, Cycles at) {
    for (auto& line : lines_) {
      if (runs) line.clock_goes_on(at);
      line.update();
    }
  });
}

ExternalInterrupts::Port& ExternalInterrupts::port(char name) {
  const auto found = std::find_if(ports_.begin(), ports_.end(), [&](const Port& port) { return port.name == name; });
  return found != ports_.end() ? *found : ports_.emplace_back(Port{name});
}

void ExternalInterrupts::add_lines(avr_extint_t& module) {
  module.io.reset = nullptr;
  const auto exists = [](const auto& eint) { return eint.port_ioctl != 0; };
  const auto count = std::count_if(std::begin(module.eint), std::end(module.eint), exists);
  for (unsigned n = 0; n < EXTINT_COUNT; ++n) {
    const auto& eint = module.eint[n];
    if (!exists(eint)) continue;
    const Pin pin{static_cast<char>(eint.port_ioctl & 0xff), eint.port_pin};
    const bool one_bit = eint.isc[1].reg == 0;
    // "Low level interrupts and the edge interrupt on INT3:0 [INT2:0; INT2] are detected asynchronously": on every part that
    // has an INT2, but not those in MCUCR.
    const bool asynchronous = one_bit || (n <= 3 && count > 2 && eint.isc[0].reg != kMcucr);
    Line& line = lines_.emplace_back(Line{this, pin, eint.vector.vector, static_cast<std::uint16_t>(eint.isc[0].reg),
                                          static_cast<std::uint8_t>(eint.isc[0].bit), one_bit, asynchronous,
                                          register_bit(eint.vector.enable), register_bit(eint.vector.raised)});
    port(pin.port).lines[pin.bit] = &line;
    avr_unconnect_irq(avr_io_getirq(&mcu_.avr, eint.port_ioctl, eint.port_pin), module.io.irq + n);
    mcu_.interrupts.connect(line.vector, [this, &line] {
      if (line.sense() != Sense::low_level) mcu_.set_bits(line.flag.address, line.flag.mask, false);
      line.update();
    });
    listen(line.control);
    listen(line.enable.address);
    on_store<&ExternalInterrupts::store_eifr>(mcu_.avr, line.flag.address, *this);
  }
}

void ExternalInterrupts::add_groups() {
  for (const auto& described : mcu_.mcu.pin_changes) {
    const auto bit = static_cast<std::uint8_t>(1u << described.bit);
    Group& group =
        groups_.emplace_back(Group{this, described.vector, described.mask_register, {kPcicr, bit}, {kPcifr, bit}});
    for (std::size_t pin = 0; pin < 8; ++pin) {
      if (described.pins[2 * pin] == '.') continue;
      Port& at = port(described.pins[2 * pin]);
      const auto number = static_cast<std::size_t>(described.pins[2 * pin + 1] - '0');
      at.groups[number] = &group;
      at.masks[number] = static_cast<std::uint8_t>(1u << pin);
    }
    mcu_.interrupts.connect(group.vector, [this, &group] {
      mcu_.set_bits(group.flag.address, group.flag.mask, false);
      group.update();
    });
    listen(group.mask_register);
  }
  if (groups_.empty()) return;
  listen(kPcicr);
  on_store<&ExternalInterrupts::store_pcifr>(mcu_.avr, kPcifr, *this);
}

// MCUCR, GICR and MCUCSR have bits of others, who may have handlers there.
void ExternalInterrupts::listen(std::uint16_t address) {
  avr_irq_register_notify(avr_iomem_getirq(&mcu_.avr, address, nullptr, AVR_IOMEM_IRQ_ALL), &register_accessed, this);
}

void ExternalInterrupts::register_accessed(avr_irq_t*, std::uint32_t, void* self) {
  static_cast<ExternalInterrupts*>(self)->update();
}

bool ExternalInterrupts::clock_runs() const {
  return mcu_.clocks.runs(ClockDomain::io);
}

void ExternalInterrupts::reset() {
  ++resets_;
  for (auto& line : lines_) line.seen = gpio_.level(line.pin);
  update();
}

void ExternalInterrupts::update() {
  for (auto& line : lines_) line.update();
  for (auto& group : groups_) group.update();
  for (auto& port : ports_) {
    std::uint8_t wanted = 0;
    for (std::size_t bit = 0; bit < 8; ++bit) {
      const Group* group = port.groups[bit];
      const bool change = group != nullptr && (mcu_.data(group->mask_register) & port.masks[bit]) != 0;
      const bool line = port.lines[bit] != nullptr && port.lines[bit]->wanted();
      if (change || line) wanted = static_cast<std::uint8_t>(wanted | 1u << bit);
    }
    if (wanted == port.wanted) continue;
    port.wanted = wanted;
    gpio_.want(port.name, wanted);
  }
}

void ExternalInterrupts::pins_changed(Port& port, std::uint8_t changed) {
  const Cycles visible = gpio_.visible_from();
  for (std::uint8_t bit = 0; bit < 8; ++bit) {
    if ((changed >> bit & 1) == 0) continue;
    if (Line* line = port.lines[bit]) line->changed(gpio_.level(line->pin), visible);
    Group* group = port.groups[bit];
    if (group == nullptr || (mcu_.data(group->mask_register) & port.masks[bit]) == 0) continue;
    if (clock_runs()) {
      mcu_.at(visible + edge_detector, [group, reset = resets_] { group->change_arrives(reset); });
    } else {
      group->raise();
    }
  }
}

ExternalInterrupts::Sense ExternalInterrupts::Line::sense() const {
  const unsigned bits = owner->mcu_.data(control) >> control_shift;
  return static_cast<Sense>(one_bit ? 2 | (bits & 1) : bits & 3);
}

bool ExternalInterrupts::Line::wanted() const {
  return sense() != Sense::low_level || owner->mcu_.is_set(enable);
}

void ExternalInterrupts::Line::update() {
  const McuContext& mcu = owner->mcu_;
  if (sense() != Sense::low_level) {
    mcu.interrupts.request(vector, mcu.is_set(enable) && mcu.is_set(flag));
    return;
  }
  // "This flag is always cleared when INTn is configured as a level interrupt."
  mcu.set_bits(flag.address, flag.mask, false);
  if (!mcu.is_set(enable)) {
    mcu.interrupts.request(vector, false);
    return;
  }
  const bool level = owner->gpio_.level(pin);
  const bool high = owner->clock_runs() ? owner->gpio_.latched(pin, mcu.cycle()) : level;
  mcu.interrupts.request(vector, !high);
  if (high != level) mcu.at(mcu.cycle() + Cycles{1}, [this] { update(); });
}

void ExternalInterrupts::Line::changed(bool high, Cycles visible) {
  const McuContext& mcu = owner->mcu_;
  const bool running = owner->clock_runs();
  if (running) seen = high;
  if (sense() == Sense::low_level) {
    if (mcu.is_set(enable)) update();
  } else if (running) {
    mcu.at(visible + edge_detector, [this, high, reset = owner->resets_] { edge_arrives(high, reset); });
  } else if (asynchronous) {
    seen = high;
    raise(high);
  }
}

// The detector's flip-flops stood still: they find the pin as it is now.
void ExternalInterrupts::Line::clock_goes_on(Cycles at) {
  const bool high = owner->gpio_.level(pin);
  if (high != seen) changed(high, at + Cycles{1});
}

void ExternalInterrupts::Line::edge_arrives(bool high, unsigned reset) {
  if (reset != owner->resets_) return;
  if (!owner->clock_runs() && !asynchronous) {
    seen = !high;
  } else {
    raise(high);
  }
}

void ExternalInterrupts::Line::raise(bool high) {
  const Sense now = sense();
  const bool edge =
      now == Sense::any_edge || (now == Sense::falling_edge && !high) || (now == Sense::rising_edge && high);
  if (!edge) return;
  owner->mcu_.set_bits(flag.address, flag.mask, true);
  update();
}

void ExternalInterrupts::Group::update() {
  owner->mcu_.interrupts.request(vector, owner->mcu_.is_set(enable) && owner->mcu_.is_set(flag));
}

void ExternalInterrupts::Group::change_arrives(unsigned reset) {
  if (reset == owner->resets_) raise();
}

void ExternalInterrupts::Group::raise() {
  owner->mcu_.set_bits(flag.address, flag.mask, true);
  update();
}

void ExternalInterrupts::store_eifr(std::uint16_t address, std::uint8_t value) {
  mcu_.set_bits(address, mcu_.ones_written(value), false);
  for (auto& line : lines_) line.update();
}

void ExternalInterrupts::store_pcifr(std::uint16_t address, std::uint8_t value) {
  mcu_.set_bits(address, mcu_.ones_written(value), false);
  for (auto& group : groups_) group.update();
}

}  // namespace avrlan::peripherals
