#include "emulator/peripherals/timers.hpp"

#include <simavr/avr_ioport.h>
#include <simavr/avr_timer.h>

#include <set>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// simavr's own capture hangs on the pin since avr_init().
void detach(avr_t& avr, avr_timer_t& module) {
  module.io.reset = nullptr;
  avr_ioport_getirq_t pin{};
  pin.bit = module.icp;
  if (avr_ioctl(&avr, AVR_IOCTL_IOPORT_GETIRQ_REGBIT, &pin) > 0)
    avr_unconnect_irq(pin.irq[0], module.io.irq + TIMER_IRQ_IN_ICP);
}

}  // namespace

Timers::Timers(const McuContext& mcu, Gpio& gpio) : mcu_(mcu), layout_(timers_layout(mcu.mcu.name)) {
  for (auto* module : simavr_modules<avr_timer_t>(mcu.avr, "timer")) detach(mcu.avr, *module);
  std::set<std::uint16_t> flags;
  std::set<std::uint16_t> enables;
  std::set<std::uint16_t> shared = {layout_.prescaler_register};
  for (const auto& layout : layout_.timers) {
    timers_.emplace_back(mcu_, gpio, layout.own_prescaler() ? own_clock_ : shared_clock_, layout);
    if (layout.power_reduction.address != 0) shared.insert(layout.power_reduction.address);
    flags.insert(layout.overflow.flag.address);
    enables.insert(layout.overflow.enable.address);
    for (const auto& channel : layout.channels) {
      flags.insert(channel.compare.flag.address);
      enables.insert(channel.compare.enable.address);
    }
  }
  for (const auto address : flags) {
    on_load<&Timers::load_flags>(mcu.avr, address, *this);
    on_store<&Timers::store_flags>(mcu.avr, address, *this);
  }
  for (const auto address : enables) on_store<&Timers::store_enables>(mcu.avr, address, *this);
  for (const auto address : shared) share(address);
  mcu_.clocks.watch(ClockDomain::io, [this](bool runs, Cycles at) { io_clock_changed(runs, at); });
  mcu_.clocks.watch(ClockDomain::asy, [this](bool runs, Cycles at) { crystal_changed(runs, at); });
}

void Timers::share(std::uint16_t address) {
  const auto& slot = mcu_.avr.io[AVR_DATA_TO_IO(address)].w;
  auto& entry = shared_.emplace_back(SharedRegister{*this, address, slot.c, slot.param});
  on_store<&SharedRegister::store>(mcu_.avr, address, entry);
}

void Timers::reset() {
  shared_clock_.restart();
  own_clock_.restart();
  for (auto& timer : timers_) timer.reset();
}

void Timers::show() {
  for (auto& timer : timers_) timer.show();
}

void Timers::catch_up(Cycles at) {
  for (auto& timer : timers_) timer.catch_up(at);
}

void Timers::update_all() {
  for (auto& timer : timers_) timer.update();
}

void Timers::io_clock_changed(bool runs, Cycles at) {
  for (auto& timer : timers_) runs ? timer.io_clock_goes_on(at) : timer.io_clock_stops(at);
  for (auto* clock : {&shared_clock_, &own_clock_}) {
    if (!clock->counts_crystal()) runs ? clock->go_on(at) : clock->stop(at);
  }
  update_all();
}

void Timers::crystal_changed(bool runs, Cycles at) {
  if (!own_clock_.counts_crystal()) return;
  for (auto& timer : timers_) timer.settle(at);
  runs ? own_clock_.go_on(at) : own_clock_.stop(at);
  update_all();
}

std::uint8_t Timers::load_flags(std::uint16_t address) {
  const Cycles at = mcu_.load_sampled();
  std::uint8_t flags = mcu_.data(address);
  for (auto& timer : timers_) {
    if (!timer.has_flags_in(address)) continue;
    timer.settle(mcu_.cycle());
    flags = static_cast<std::uint8_t>(flags | mcu_.data(address) | timer.flags_ahead(address, at));
  }
  return flags;
}

// Cleared by writing a one; a flag that is set at the very edge at which the store takes effect stays.
void Timers::store_flags(std::uint16_t address, std::uint8_t value) {
  const Cycles at = mcu_.store_done();
  for (auto& timer : timers_) {
    if (!timer.has_flags_in(address)) continue;
    timer.catch_up(at - Cycles{1});
    mcu_.set_bits(address, timer.flag_mask(address) & value, false);
    timer.catch_up(at);
    timer.update();
  }
}

void Timers::store_enables(std::uint16_t address, std::uint8_t value) {
  std::uint8_t mask = 0;
  for (auto& timer : timers_) mask |= timer.enable_mask(address);
  catch_up(mcu_.store_done());
  mcu_.data(address) = value & mask;
  update_all();
}

void Timers::SharedRegister::store(std::uint16_t at, std::uint8_t value) {
  const Cycles done = owner.mcu_.store_done();
  owner.catch_up(done);
  if (at == owner.layout_.prescaler_register) value = owner.after_prescaler_bits(value, done);
  if (store_rest != nullptr) {
    store_rest(&owner.mcu_.avr, at, value, rest_owner);
  } else {
    owner.mcu_.data(at) = value;
  }
  owner.update_all();
}

// Resets the prescalers; the bits read as 0 again unless TSM keeps them.
std::uint8_t Timers::after_prescaler_bits(std::uint8_t value, Cycles at) {
  const bool holds = (value & layout_.hold) != 0;
  const auto apply = [&](TimerClock& clock, std::uint8_t bit) {
    if ((value & bit) != 0) clock.reset_prescaler(at);
    clock.hold(holds && (value & bit) != 0, at);
  };
  apply(shared_clock_, layout_.reset_shared);
  apply(own_clock_, layout_.reset_own);
  if (holds) return value;
  return static_cast<std::uint8_t>(value & ~(layout_.reset_shared | layout_.reset_own));
}

}  // namespace avrlan::peripherals
