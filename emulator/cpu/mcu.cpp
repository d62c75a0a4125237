#include "emulator/cpu/mcu.hpp"

namespace avrlan::cpu {

namespace {

// Where SE is: datasheets, section "SMCR - Sleep Mode Control Register", or "MCUCR" of the older parts.
constexpr std::uint16_t kSmcr = 0x53;
constexpr std::uint16_t kMcucr = 0x55;

}  // namespace

const std::vector<Mcu>& mcus() {
  static const std::vector<Mcu> all = {
      {"atmega8", "", kMcucr, 0x80, 'B', 2},
      {"atmega16", "", kMcucr, 0x40, 'B', 4},
      {"atmega32", "", kMcucr, 0x80, 'B', 4},
      {"atmega128", "", kMcucr, 0x20, 'B', 0},
      {"atmega48", "", kSmcr, 0x01, 'B', 2},
      {"atmega48p", "", kSmcr, 0x01, 'B', 2},
      {"atmega88", "", kSmcr, 0x01, 'B', 2},
      {"atmega88p", "", kSmcr, 0x01, 'B', 2},
      {"atmega168", "", kSmcr, 0x01, 'B', 2},
      {"atmega168p", "", kSmcr, 0x01, 'B', 2},
      {"atmega328p", "atmega328", kSmcr, 0x01, 'B', 2},
      {"atmega164p", "", kSmcr, 0x01, 'B', 4},
      {"atmega324p", "", kSmcr, 0x01, 'B', 4},
      {"atmega644p", "", kSmcr, 0x01, 'B', 4},
      {"atmega1284p", "atmega1284", kSmcr, 0x01, 'B', 4},
      {"atmega1280", "", kSmcr, 0x01, 'B', 0},
      {"atmega1281", "", kSmcr, 0x01, 'B', 0},
      {"atmega2560", "", kSmcr, 0x01, 'B', 0},
      {"atmega32u4", "", kSmcr, 0x01, 'B', 0},
  };
  return all;
}

const Mcu* find_mcu(std::string_view name) {
  for (const auto& mcu : mcus()) {
    if (!name.empty() && (mcu.name == name || mcu.same_die == name)) return &mcu;
  }
  return nullptr;
}

}  // namespace avrlan::cpu
