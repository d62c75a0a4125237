#include "emulator/peripherals/gpio.hpp"

#include <fmt/format.h>
#include <simavr/avr_ioport.h>

#include <bit>

#include "emulator/cpu/core_traits.hpp"
#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

std::uint8_t mask_of(Pin pin) {
  return static_cast<std::uint8_t>(1u << pin.bit);
}

std::uint8_t with(std::uint8_t value, std::uint8_t mask, bool on) {
  return static_cast<std::uint8_t>(on ? value | mask : value & ~mask);
}

// Each bit from `a` where `which` has a 1, else from `b`.
std::uint8_t merge(std::uint8_t which, std::uint8_t a, std::uint8_t b) {
  return static_cast<std::uint8_t>((a & which) | (b & ~which));
}

// "MCUCR" or, on the older parts, "SFIOR".
RegisterBit pull_up_disable(const cpu::CoreTraits& traits) {
  if (traits.bit_writes) return {0x55, 0x10};
  const bool mega128 = traits.external_memory == cpu::ExternalMemory::mega128;
  return {static_cast<std::uint16_t>(mega128 ? 0x40 : 0x50), 0x04};
}

}  // namespace

Gpio::Gpio(const McuContext& mcu)
    : mcu_(mcu),
      toggles_(cpu::core_traits(mcu.mcu.name).bit_writes),
      pud_(pull_up_disable(cpu::core_traits(mcu.mcu.name))) {
  avr_t& avr = mcu.avr;
  for (auto* module : simavr_modules<avr_ioport_t>(avr, "port")) {
    module->io.reset = nullptr;
    module->r_pcint = 0;  // simavr's hook on the pins would raise its pin-change interrupt
    Port& port = ports_[module->name];
    port.gpio = this;
    port.module = module;
    port.exist = mcu.mcu.pins_of(module->name);
    on_load<&Port::load_pin>(avr, module->r_pin, port);
    on_store<&Port::store_pin>(avr, module->r_pin, port);
    on_store<&Port::store_port>(avr, module->r_port, port);
    on_store<&Port::store_ddr>(avr, module->r_ddr, port);
  }
  // Other peripherals have bits in that register, too.
  avr_irq_register_notify(avr_iomem_getirq(&avr, pud_.address, nullptr, AVR_IOMEM_IRQ_ALL), &Gpio::control_accessed,
                          this);
}

Gpio::Alternate& Gpio::alternate(Pin pin, std::string name) {
  Port& port = ports_.at(pin.port);
  return port.alternates.emplace_back(*this, port, mask_of(pin), std::move(name));
}

std::vector<Gpio::NamedPin> Gpio::alternates() const {
  std::vector<NamedPin> all;
  for (const auto& [name, port] : ports_) {
    for (const auto& alternate : port.alternates) {
      all.push_back({{name, static_cast<std::uint8_t>(std::countr_zero(alternate.mask_))}, alternate.name_});
    }
  }
  return all;
}

bool Gpio::is_output(Pin pin) const {
  return (port(pin).outputs & mask_of(pin)) != 0;
}

bool Gpio::is_floating(Pin pin) const {
  const Port& at = port(pin);
  return ((at.outputs | at.driven | pulled_up(at)) & mask_of(pin)) == 0;
}

bool Gpio::level(Pin pin) const {
  return (levels(port(pin), mcu_.cycle()) & mask_of(pin)) != 0;
}

std::uint8_t Gpio::levels(char port) const {
  return levels(ports_.at(port), mcu_.cycle());
}

void Gpio::drive(Pin pin, bool high) {
  drive(pin.port, mask_of(pin), high ? mask_of(pin) : std::uint8_t{0});
}

void Gpio::release(Pin pin) {
  release(pin.port, mask_of(pin));
}

void Gpio::drive(char port, std::uint8_t pins, std::uint8_t levels) {
  Port& at = ports_.at(port);
  at.driven |= pins;
  at.driven_high = merge(pins, levels, at.driven_high);
  changed_outside(at);
}

void Gpio::release(char port, std::uint8_t pins) {
  Port& at = ports_.at(port);
  at.driven = with(at.driven, pins, false);
  changed_outside(at);
}

void Gpio::pull_up(Pin pin) {
  Port& at = ports_.at(pin.port);
  at.pulled_up |= mask_of(pin);
  changed_outside(at);
}

void Gpio::watch(Pin pin, Watcher changed) {
  add_watcher(pin, std::move(changed), false);
}

void Gpio::watch_direction(Pin pin, Watcher changed) {
  add_watcher(pin, std::move(changed), true);
}

void Gpio::add_watcher(Pin pin, Watcher changed, bool direction_too) {
  Port& port = ports_.at(pin.port);
  port.watchers.push_back({mask_of(pin), std::move(changed), direction_too});
  update_watched(port);
}

void Gpio::watch_port(char name, std::function<void(std::uint8_t)> watcher) {
  ports_.at(name).port_watchers.push_back(std::move(watcher));
}

void Gpio::want(char name, std::uint8_t pins) {
  Port& port = ports_.at(name);
  port.wanted = pins;
  update_watched(port);
}

void Gpio::update_watched(Port& port) {
  const std::uint8_t before = port.watched;
  port.watched = port.wanted;
  for (const auto& watcher : port.watchers) port.watched |= watcher.mask;
  for (auto& alternate : port.alternates) {
    if (((before ^ port.watched) & alternate.mask_) != 0 && alternate.watched_changed_) {
      alternate.watched_changed_(alternate.watched());
    }
  }
}

Instant Gpio::changed_at() const {
  return change_cycle_ ? mcu_.clock.at(*change_cycle_) : mcu_.scheduler.now();
}

bool Gpio::latched(Pin pin, Cycles cycle) {
  return (latched(ports_.at(pin.port), cycle) & mask_of(pin)) != 0;
}

void Gpio::reset() {
  for (auto& [name, port] : ports_) {
    mcu_.data(port.module->r_pin) = port.pins;
    changed_at_cycle(port, mcu_.cycle());
  }
}

std::uint8_t Gpio::pulled_up(const Port& port) const {
  const std::uint8_t inside = mcu_.is_set(pud_) ? std::uint8_t{0} : mcu_.data(port.module->r_port);
  return inside | port.pulled_up;
}

std::uint8_t Gpio::levels(const Port& port, Cycles cycle) const {
  std::uint8_t pins = port.pins;
  for (const auto& alternate : port.alternates) {
    if (alternate.on_demand_ && (port.outputs & alternate.mask_) != 0) {
      pins = with(pins, alternate.mask_, alternate.on_demand_(cycle));
    }
  }
  return pins;
}

std::uint8_t Gpio::latched(Port& port, Cycles cycle) {
  while (!port.to_be_latched.empty() && port.to_be_latched.front().from <= cycle) {
    port.latched = port.to_be_latched.front().pins;
    port.to_be_latched.pop_front();
  }
  std::uint8_t pins = port.latched;
  for (const auto& alternate : port.alternates) {
    if (alternate.on_demand_ && (port.outputs & alternate.mask_) != 0) {
      pins = with(pins, alternate.mask_, alternate.on_demand_(cycle - Cycles{1}));
    }
  }
  return pins;
}

void Gpio::changed_at_cycle(Port& port, Cycles when) {
  change_cycle_ = when;
  visible_from_ = when + Cycles{1};
  refresh(port);
}

void Gpio::changed_outside(Port& port) {
  change_cycle_.reset();
  const Duration half_a_cycle = Duration::picoseconds(500'000'000'000 * mcu_.clock.divider() / mcu_.clock.hz());
  visible_from_ = mcu_.clock.first_at(mcu_.scheduler.now() + half_a_cycle);
  refresh(port);
}

void Gpio::refresh(Port& port) {
  const std::uint8_t before = port.pins;
  std::uint8_t outputs = mcu_.data(port.module->r_ddr);
  std::uint8_t values = mcu_.data(port.module->r_port);
  for (auto alternate = port.alternates.rbegin(); alternate != port.alternates.rend(); ++alternate) {
    if (alternate->output_) outputs = with(outputs, alternate->mask_, *alternate->output_);
    if (alternate->high_) values = with(values, alternate->mask_, *alternate->high_);
  }
  port.pins = merge(outputs, values, merge(port.driven, port.driven_high, pulled_up(port)));
  const auto changed = static_cast<std::uint8_t>(before ^ port.pins);
  const auto turned = static_cast<std::uint8_t>(port.outputs ^ outputs);
  port.outputs = outputs;

  const auto contention = static_cast<std::uint8_t>(outputs & port.driven & (values ^ port.driven_high));
  if ((contention & ~port.contention) != 0) report_contention(port, contention & ~port.contention);
  port.contention = contention;

  if (changed != 0) {
    auto& queue = port.to_be_latched;
    // What is older than any instruction can look at.
    while (!queue.empty() && queue.front().from + Cycles{2} <= visible_from_) {
      port.latched = queue.front().pins;
      queue.pop_front();
    }
    const Cycles from = queue.empty() ? visible_from_ : std::max(visible_from_, queue.back().from);
    if (!queue.empty() && queue.back().from == from) queue.pop_back();
    queue.push_back({from, port.pins});
    mcu_.data(port.module->r_pin) = port.pins;
  }
  if (changed != 0 || turned != 0) tell(port, changed, turned);
}

void Gpio::tell(Port& port, std::uint8_t changed, std::uint8_t turned) {
  avr_irq_t* irq = port.module->io.irq;
  for (unsigned bit = 0; bit < 8; ++bit) {
    if ((changed >> bit & 1) != 0) avr_raise_irq(irq + bit, port.pins >> bit & 1u);
  }
  if (changed != 0) avr_raise_irq(irq + IOPORT_IRQ_PIN_ALL, port.pins);
  if (((changed | turned) & port.watched) == 0 && port.port_watchers.empty()) return;
  if (change_cycle_) mcu_.sync();
  // A watcher may change pins itself: a chip answers to its select.
  const auto cycle = change_cycle_;
  const Cycles visible = visible_from_;
  const std::uint8_t pins = port.pins;
  const auto this_change = [&] {
    change_cycle_ = cycle;
    visible_from_ = visible;
  };
  for (const auto& watcher : port.port_watchers) {
    this_change();
    if (changed != 0) watcher(changed);
  }
  for (const auto& watcher : port.watchers) {
    const std::uint8_t heard = watcher.direction_too ? changed | turned : changed;
    this_change();
    if ((heard & watcher.mask) != 0) watcher.changed((pins & watcher.mask) != 0);
  }
}

void Gpio::report_contention(const Port& port, std::uint8_t pins) const {
  if (mcu_.diagnostics == nullptr) return;
  for (std::uint8_t bit = 0; bit < 8; ++bit) {
    if ((pins >> bit & 1) == 0) continue;
    mcu_.diagnostics->report(
        {Severity::warning, "pin-contention",
         fmt::format("P{}{} is an output and is driven to the other level from outside, which shorts the two drivers; "
                     "make it an input in DDR{}.",
                     port.module->name, bit, port.module->name)});
  }
}

// A store may have changed PUD.
void Gpio::control_accessed(avr_irq_t*, std::uint32_t, void* param) {
  auto& gpio = *static_cast<Gpio*>(param);
  for (auto& [name, port] : gpio.ports_) gpio.changed_by_store(port);
}

std::uint8_t Gpio::Port::load_pin(std::uint16_t) {
  const std::uint8_t value = gpio->latched(*this, gpio->mcu_.load_sampled());
  avr_raise_irq(module->io.irq + IOPORT_IRQ_REG_PIN, value);
  return value;
}

void Gpio::Port::store_port(std::uint16_t address, std::uint8_t value) {
  value &= exist;
  gpio->mcu_.data(address) = value;
  avr_raise_irq(module->io.irq + IOPORT_IRQ_REG_PORT, value);
  gpio->changed_by_store(*this);
}

void Gpio::Port::store_ddr(std::uint16_t address, std::uint8_t value) {
  value &= exist;
  if (gpio->mcu_.data(address) == value) return;
  gpio->mcu_.data(address) = value;
  avr_raise_irq(module->io.irq + IOPORT_IRQ_DIRECTION_ALL, value);
  gpio->changed_by_store(*this);
}

// "... writing a logic one to PINxn toggles the value of PORTxn ... SBI can be used to toggle one single bit."
void Gpio::Port::store_pin(std::uint16_t, std::uint8_t value) {
  if (!gpio->toggles_) return;
  store_port(module->r_port, gpio->mcu_.data(module->r_port) ^ gpio->mcu_.ones_written(value));
}

Gpio::Alternate::Alternate(Gpio& gpio, Port& port, std::uint8_t mask, std::string name)
    : gpio_(gpio), port_(port), mask_(mask), name_(std::move(name)) {}

void Gpio::Alternate::direction(std::optional<bool> output, Cycles when) {
  if (output_ == output) return;
  output_ = output;
  gpio_.changed_at_cycle(port_, when);
}

void Gpio::Alternate::value(std::optional<bool> high, Cycles when) {
  if (high_ == high && !on_demand_) return;
  high_ = high;
  on_demand_ = nullptr;
  gpio_.changed_at_cycle(port_, when);
}

void Gpio::Alternate::value_on_demand(std::function<bool(Cycles)> at, Cycles when) {
  high_ = at(when);
  on_demand_ = std::move(at);
  gpio_.changed_at_cycle(port_, when);
}

void Gpio::Alternate::release(Cycles when) {
  output_.reset();
  high_.reset();
  on_demand_ = nullptr;
  gpio_.changed_at_cycle(port_, when);
}

}  // namespace avrlan::peripherals
