#include "emulator/cpu/core_traits.hpp"

#include <array>

namespace avrlan::cpu {

namespace {

struct Row {
  std::string_view mcu;
  CoreTraits traits;
};

// The parts before SMCR: sleep bits in MCUCR, datasheet section "MCU Control Register".
constexpr std::array<Row, 5> kOlder = {{
    {"atmega128", {3, 4, 2, ExternalMemory::mega128, false}},
    {"atmega64", {3, 4, 2, ExternalMemory::mega128, false}},
    {"atmega16", {4, 5, 7, ExternalMemory::none, false}},
    {"atmega32", {4, 5, 6, ExternalMemory::none, false}},
    {"atmega8", {4, 5, 6, ExternalMemory::none, false}},
}};
constexpr std::array<std::string_view, 6> kWithExternalMemory = {"atmega640",  "atmega1280", "atmega1281",
                                                                 "atmega2560", "atmega2561", "at90can"};

// "atmega16a" is an atmega16; atmega168 and atmega16u4 are not.
bool is_part(std::string_view mcu, std::string_view part) {
  if (!mcu.starts_with(part)) return false;
  const std::string_view suffix = mcu.substr(part.size());
  return suffix.empty() || suffix == "a" || suffix == "l" || suffix == "L";
}

}  // namespace

CoreTraits core_traits(std::string_view mcu) {
  for (const auto& row : kOlder) {
    if (is_part(mcu, row.mcu)) return row.traits;
  }
  CoreTraits newer{1, 2, 3, ExternalMemory::none, true};
  for (const auto part : kWithExternalMemory) {
    if (mcu.starts_with(part)) newer.external_memory = ExternalMemory::mega2560;
  }
  return newer;
}

SleepMode sleep_mode(const CoreTraits& traits, std::uint8_t sleep_register) {
  const unsigned value = sleep_register;
  const unsigned sm = (value >> traits.sm0 & 1U) | (value >> traits.sm1 & 1U) << 1 | (value >> traits.sm2 & 1U) << 2;
  switch (sm) {
    case 1:
      return SleepMode::adc_noise_reduction;
    case 2:
      return SleepMode::power_down;
    case 3:
      return SleepMode::power_save;
    case 6:
      return SleepMode::standby;
    case 7:
      return SleepMode::extended_standby;
    default:
      return SleepMode::idle;
  }
}

}  // namespace avrlan::cpu
