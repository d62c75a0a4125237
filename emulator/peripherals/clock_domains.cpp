#include "emulator/peripherals/clock_domains.hpp"

namespace avrlan::peripherals {

namespace {

using enum ClockDomain;
constexpr std::array all = {cpu, flash, io, adc, asy};

}  // namespace

bool runs_in(ClockDomain domain, cpu::SleepMode mode) {
  using cpu::SleepMode;
  switch (domain) {
    case cpu:
    case flash:
      return false;
    case io:
      return mode == SleepMode::idle;
    case adc:
      return mode == SleepMode::idle || mode == SleepMode::adc_noise_reduction;
    case asy:
      return mode != SleepMode::power_down && mode != SleepMode::standby;
  }
  return false;
}

void ClockDomains::fell_asleep(cpu::SleepMode mode, Cycles now) {
  for (const auto domain : all) set(domain, runs_in(domain, mode), now);
}

void ClockDomains::woke(Cycles now) {
  for (const auto domain : all) set(domain, true, now);
}

void ClockDomains::set(ClockDomain domain, bool runs, Cycles at) {
  if (runs_[index(domain)] == runs) return;
  runs_[index(domain)] = runs;
  for (const auto& changed : watchers_[index(domain)]) changed(runs, at);
}

}  // namespace avrlan::peripherals
