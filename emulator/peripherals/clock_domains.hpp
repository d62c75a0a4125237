#pragma once
// The clock domains of the MCU and the sleep modes in which they stand: datasheets, table "Active Clock Domains and
// Wake-up Sources in the Different Sleep Modes". The oscillator's start-up time is the engine's: it is over when the
// clocks go on.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/cpu/core_traits.hpp"
#include "emulator/cpu/engine.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::peripherals {

// clkIO: timers, SPI, USART, synchronous pin sensing. clkADC: the ADC. clkASY: the timer with a crystal of its own, whose
// clock does not depend on the MCU's. The watchdog's oscillator always runs.
enum class ClockDomain : std::uint8_t { cpu, flash, io, adc, asy };

// Whether the domain's clock runs in this sleep mode.
bool runs_in(ClockDomain domain, cpu::SleepMode mode);

class ClockDomains : public cpu::SleepListener {
 public:
  // `runs` false: the clock stands from the start of cycle `at` on, which is the end of SLEEP. True: it goes on at the
  // start of cycle `at`; on silicon no cycle has passed in between, so whatever was to happen n cycles after the stop
  // now happens n cycles after `at`.
  using Watcher = std::function<void(bool runs, Cycles at)>;
  void watch(ClockDomain domain, Watcher changed) { watchers_[index(domain)].push_back(std::move(changed)); }

  bool runs(ClockDomain domain) const { return runs_[index(domain)]; }

  void fell_asleep(cpu::SleepMode mode, Cycles now) override;
  void woke(Cycles now) override;

 private:
  static constexpr std::size_t domains = 5;
  static constexpr std::size_t index(ClockDomain domain) { return static_cast<std::size_t>(domain); }
  void set(ClockDomain domain, bool runs, Cycles at);

  std::array<bool, domains> runs_{true, true, true, true, true};
  std::array<std::vector<Watcher>, domains> watchers_;
};

}  // namespace avrlan::peripherals
