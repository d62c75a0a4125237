#include "emulator/cpu/mcu.hpp"

#include <simavr/sim_avr.h>

#include <algorithm>

namespace avrlan::cpu {

namespace {

// Where SE is: datasheets, section "SMCR - Sleep Mode Control Register", or "MCUCR" of the older parts.
constexpr std::uint16_t kSmcr = 0x53;
constexpr std::uint16_t kMcucr = 0x55;

constexpr PartialPort no_pc7[] = {{'C', 0x7f}};
constexpr PartialPort five_of_g[] = {{'G', 0x1f}};
constexpr PartialPort six_of_g[] = {{'G', 0x3f}};
constexpr PartialPort of_32u4[] = {{'C', 0xc0}, {'E', 0x44}, {'F', 0xf3}};

// Datasheets, section "PCMSKn - Pin Change Mask Register n".
constexpr PinChangeGroup of_atmega_x8[] = {
    {0x6b, 0, 3, "B0B1B2B3B4B5B6B7"}, {0x6c, 1, 4, "C0C1C2C3C4C5C6.."}, {0x6d, 2, 5, "D0D1D2D3D4D5D6D7"}};
constexpr PinChangeGroup of_atmega_x4[] = {{0x6b, 0, 4, "A0A1A2A3A4A5A6A7"},
                                           {0x6c, 1, 5, "B0B1B2B3B4B5B6B7"},
                                           {0x6d, 2, 6, "C0C1C2C3C4C5C6C7"},
                                           {0x73, 3, 7, "D0D1D2D3D4D5D6D7"}};
constexpr PinChangeGroup of_100_pins[] = {
    {0x6b, 0, 9, "B0B1B2B3B4B5B6B7"}, {0x6c, 1, 10, "E0J0J1J2J3J4J5J6"}, {0x6d, 2, 11, "K0K1K2K3K4K5K6K7"}};
constexpr PinChangeGroup of_64_pins[] = {{0x6b, 0, 9, "B0B1B2B3B4B5B6B7"}, {0x6c, 1, 10, "E0.............."}};
constexpr PinChangeGroup of_one_port[] = {{0x6b, 0, 9, "B0B1B2B3B4B5B6B7"}};

}  // namespace

const std::vector<Mcu>& mcus() {
  static const std::vector<Mcu> all = {
      {"atmega8", "", {0x1e, 0x93, 0x07}, kMcucr, 0x80, 'B', 2, no_pc7, {}, "012", 0xff},
      {"atmega16", "", {0x1e, 0x94, 0x03}, kMcucr, 0x40, 'B', 4, {}, {}, "012", 0xff},
      {"atmega32", "", {0x1e, 0x95, 0x02}, kMcucr, 0x80, 'B', 4, {}, {}, "012", 0xff},
      {"atmega128", "", {0x1e, 0x97, 0x02}, kMcucr, 0x20, 'B', 0, five_of_g, {}, "0123", 0xff},
      {"atmega48", "", {0x1e, 0x92, 0x05}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega48p", "", {0x1e, 0x92, 0x0a}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega88", "", {0x1e, 0x93, 0x0a}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega88p", "", {0x1e, 0x93, 0x0f}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega168", "", {0x1e, 0x94, 0x06}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega168p", "", {0x1e, 0x94, 0x0b}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega328p", "atmega328", {0x1e, 0x95, 0x0f}, kSmcr, 0x01, 'B', 2, no_pc7, of_atmega_x8, "012", 0xff},
      {"atmega324p", "", {0x1e, 0x95, 0x08}, kSmcr, 0x01, 'B', 4, {}, of_atmega_x4, "012", 0xff},
      {"atmega644p", "", {0x1e, 0x96, 0x0a}, kSmcr, 0x01, 'B', 4, {}, of_atmega_x4, "012", 0xff},
      {"atmega1284p", "atmega1284", {0x1e, 0x97, 0x05}, kSmcr, 0x01, 'B', 4, {}, of_atmega_x4, "0123", 0xff},
      {"atmega1280", "", {0x1e, 0x97, 0x03}, kSmcr, 0x01, 'B', 0, six_of_g, of_100_pins, "012345", 0xffff},
      {"atmega1281", "", {0x1e, 0x97, 0x04}, kSmcr, 0x01, 'B', 0, six_of_g, of_64_pins, "012345", 0xff},
      {"atmega2560", "", {0x1e, 0x98, 0x01}, kSmcr, 0x01, 'B', 0, six_of_g, of_100_pins, "012345", 0xffff},
      {"atmega32u4", "", {0x1e, 0x95, 0x87}, kSmcr, 0x01, 'B', 0, of_32u4, of_one_port, "0134", 0x3ff3},
  };
  return all;
}

const Mcu* find_mcu(std::string_view name) {
  for (const auto& mcu : mcus()) {
    if (!name.empty() && (mcu.name == name || mcu.same_die == name)) return &mcu;
  }
  return nullptr;
}

std::uint8_t Mcu::pins_of(char port) const {
  for (const auto& partial : partial_ports) {
    if (partial.port == port) return partial.pins;
  }
  return 0xff;
}

// simavr gives the P parts, for which it has no table of their own, the signatures of the parts without P.
void correct_tables(avr_t& avr, const Mcu& mcu) {
  std::copy(mcu.signature.begin(), mcu.signature.end(), avr.signature);
}

}  // namespace avrlan::cpu
