#include "emulator/cpu/mcu.hpp"

namespace avrlan::cpu {

const std::vector<Mcu>& mcus() {
  static const std::vector<Mcu> all = {
      {"atmega328p", "atmega328", 0x53, 0x01, 'B', 2},
      {"atmega2560", "", 0x53, 0x01, 'B', 0},
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
