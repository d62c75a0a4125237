#include "emulator/cpu/wake_up.hpp"

#include <simavr/avr_adc.h>
#include <simavr/avr_eeprom.h>
#include <simavr/avr_extint.h>
#include <simavr/avr_flash.h>
#include <simavr/avr_timer.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_watchdog.h>
#include <simavr/sim_avr.h>

#include <algorithm>
#include <string_view>

#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"

namespace avrlan::cpu {

namespace {

constexpr std::int64_t kStandbyStartUp = 6;  // "Standby Mode": wakes in six clock cycles

void add(std::vector<unsigned>& vectors, const avr_int_vector_t& vector) {
  if (vector.vector != 0) vectors.push_back(vector.vector);
}

}  // namespace

WakeUpSources::WakeUpSources(const avr_t& avr, const Mcu& mcu) {
  for (const auto& group : mcu.pin_changes) asynchronous_.push_back(group.vector);
  for (const avr_io_t* io = avr.io_port; io != nullptr; io = io->next) {
    const std::string_view kind = io->kind != nullptr ? io->kind : "";
    if (kind == "extint") {
      for (const auto& line : reinterpret_cast<const avr_extint_t*>(io)->eint) add(asynchronous_, line.vector);
    } else if (kind == "watchdog") {
      add(asynchronous_, reinterpret_cast<const avr_watchdog_t*>(io)->watchdog);
    } else if (kind == "twi") {
      add(asynchronous_, reinterpret_cast<const avr_twi_t*>(io)->twi);
    } else if (kind == "adc") {
      add(adc_and_memories_, reinterpret_cast<const avr_adc_t*>(io)->adc);
    } else if (kind == "eeprom") {
      add(adc_and_memories_, reinterpret_cast<const avr_eeprom_t*>(io)->ready);
    } else if (kind == "flash") {
      add(adc_and_memories_, reinterpret_cast<const avr_flash_t*>(io)->flash);
    } else if (kind == "timer") {
      const auto& timer = *reinterpret_cast<const avr_timer_t*>(io);
      if (timer.as2.reg == 0) continue;
      add(asynchronous_timers_, timer.overflow);
      for (const auto& channel : timer.comp) add(asynchronous_timers_, channel.interrupt);
    }
  }
}

bool WakeUpSources::any(SleepMode mode, const Interrupts& interrupts) const {
  const auto requested = [&](const std::vector<unsigned>& vectors) {
    return std::any_of(vectors.begin(), vectors.end(), [&](unsigned vector) { return interrupts.requested(vector); });
  };
  switch (mode) {
    case SleepMode::idle:
      return interrupts.any();
    case SleepMode::adc_noise_reduction:
      return requested(asynchronous_) || requested(asynchronous_timers_) || requested(adc_and_memories_);
    case SleepMode::power_save:
    case SleepMode::extended_standby:
      return requested(asynchronous_) || requested(asynchronous_timers_);
    case SleepMode::power_down:
    case SleepMode::standby:
      break;
  }
  return requested(asynchronous_);
}

std::int64_t start_up(SleepMode mode, const SleepOptions& options) {
  switch (mode) {
    case SleepMode::power_down:
    case SleepMode::power_save:
      return options.start_up_cycles;
    case SleepMode::standby:
    case SleepMode::extended_standby:
      return kStandbyStartUp;
    case SleepMode::idle:
    case SleepMode::adc_noise_reduction:
      break;
  }
  return 0;
}

}  // namespace avrlan::cpu
