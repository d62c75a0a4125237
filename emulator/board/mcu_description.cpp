#include "emulator/board/mcu_description.hpp"

#include <fmt/format.h>
#include <simavr/avr_acomp.h>
#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_flash.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_uart.h>
#include <simavr/avr_usb.h>
#include <simavr/avr_watchdog.h>

#include <algorithm>
#include <bit>

#include "emulator/cpu/core_traits.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/peripherals/simavr_modules.hpp"
#include "emulator/peripherals/timer_layout.hpp"

namespace avrlan {

namespace {

using peripherals::simavr_modules;

// By who has handlers on the register.
ModelledBy modelled_by(avr_t& avr, unsigned address) {
  const auto& slot = avr.io[AVR_DATA_TO_IO(address)];
  const auto is_simavrs = [&](const void* owner) {
    for (const avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
      if (io == owner) return true;
    }
    return false;
  };
  const bool reads = slot.r.c != nullptr;
  const bool writes = slot.w.c != nullptr;
  if ((reads && !is_simavrs(slot.r.param)) || (writes && !is_simavrs(slot.w.param))) return ModelledBy::ours;
  return reads || writes ? ModelledBy::simavr : ModelledBy::none;
}

void add_timers(avr_t& avr, const cpu::Mcu& mcu, McuDescription& about) {
  const auto layout = peripherals::timers_layout(mcu.name);
  for (const char name : mcu.timers) {
    const auto found = std::find_if(layout.timers.begin(), layout.timers.end(),
                                    [&](const peripherals::TimerLayout& timer) { return timer.name == name; });
    if (found == layout.timers.end()) {
      // The ATmega32U4's timer 4, which has a table nowhere.
      about.timers.push_back({name, 10, true, 3, false, ModelledBy::none});
    } else {
      about.timers.push_back({name, found->wide ? 16u : 8u, found->asynchronous.assr != 0,
                              static_cast<unsigned>(found->channels.size()), found->icr != 0,
                              modelled_by(avr, found->tcnt)});
    }
    about.peripherals.push_back({fmt::format("timer {}", name), about.timers.back().model});
  }
}

void add_interrupts(avr_t& avr, const cpu::Mcu& mcu, McuDescription& about) {
  unsigned flags = 0;
  for (auto* module : simavr_modules<avr_extint_t>(avr, "extint")) {
    for (unsigned n = 0; n < EXTINT_COUNT; ++n) {
      if (module->eint[n].port_ioctl == 0) continue;
      about.external_interrupts.push_back(n);
      flags = module->eint[n].vector.raised.reg;
    }
  }
  about.peripherals.push_back({"external interrupts", modelled_by(avr, flags)});
  for (const auto& group : mcu.pin_changes) {
    about.pin_change_interrupts += static_cast<unsigned>(8 - std::count(group.pins.begin(), group.pins.end(), '.') / 2);
  }
  constexpr unsigned pcifr = 0x3b;
  if (!mcu.pin_changes.empty()) about.peripherals.push_back({"pin-change interrupts", modelled_by(avr, pcifr)});
}

void add_usarts(avr_t& avr, McuDescription& about) {
  auto modules = simavr_modules<avr_uart_t>(avr, "uart");
  std::sort(modules.begin(), modules.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (auto* module : modules) {
    about.usarts += module->name;
    about.peripherals.push_back({fmt::format("USART {}", module->name), modelled_by(avr, module->r_udr)});
  }
}

// The peripherals of which there is one: the name, simavr's kind, and a register that it is known by.
template <class Module, class Register>
bool add(avr_t& avr, McuDescription& about, const char* name, const char* kind, Register address) {
  const auto modules = simavr_modules<Module>(avr, kind);
  if (modules.empty()) return false;
  about.peripherals.push_back({name, modelled_by(avr, address(*modules.front()))});
  return true;
}

}  // namespace

std::string_view to_string(ModelledBy model) {
  switch (model) {
    case ModelledBy::ours:
      return "ours";
    case ModelledBy::simavr:
      return "simavr's";
    case ModelledBy::none:
      break;
  }
  return "not modelled";
}

McuDescription describe(avr_t& avr, const cpu::Mcu& mcu) {
  McuDescription about{};
  about.name = mcu.name;
  about.same_die = mcu.same_die;
  about.flash = avr.flashend + 1;
  about.sram = static_cast<std::uint32_t>(avr.ramend - avr.ioend);
  about.eeprom = avr.e2end + 1u;
  about.pc_bits = static_cast<unsigned>(std::bit_width(avr.flashend / 2));
  about.external_memory = cpu::core_traits(mcu.name).external_memory != cpu::ExternalMemory::none;
  about.adc_channels = static_cast<unsigned>(std::popcount(mcu.adc_pins));

  about.peripherals.push_back({"ports", modelled_by(avr, simavr_modules<avr_ioport_t>(avr, "port").front()->r_port)});
  add_interrupts(avr, mcu, about);
  add_timers(avr, mcu, about);
  add_usarts(avr, about);
  about.spi = add<avr_spi_t>(avr, about, "SPI", "spi", [](auto& spi) { return spi.r_spdr; });
  about.twi = add<avr_twi_t>(avr, about, "TWI", "twi", [](auto& twi) { return twi.r_twcr; });
  about.usb = add<avr_usb_t>(avr, about, "USB", "usb", [](auto& usb) { return usb.r_usbcon; });
  add<avr_adc_t>(avr, about, "ADC", "adc", [](auto& adc) { return adc.r_adcsra; });
  constexpr unsigned acsr = 0x50;
  if (!add<avr_acomp_t>(avr, about, "analog comparator", "ac", [](auto& comparator) { return comparator.r_acsr; })) {
    about.peripherals.push_back({"analog comparator", modelled_by(avr, acsr)});
  }
  add<avr_eeprom_t>(avr, about, "EEPROM", "eeprom", [](auto& eeprom) { return eeprom.r_eecr; });
  add<avr_flash_t>(avr, about, "self-programming", "flash", [&](auto& flash) {
    about.flash_page = flash.spm_pagesize;
    return flash.r_spm;
  });
  add<avr_watchdog_t>(avr, about, "watchdog", "watchdog", [](auto& watchdog) { return watchdog.wde.reg; });
  return about;
}

}  // namespace avrlan
