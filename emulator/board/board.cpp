#include "emulator/board/board.hpp"

#include <fmt/format.h>

#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"

namespace avrlan {

const std::vector<Board>& boards() {
  static const std::vector<Board> all = {
      {"uno-enc28j60", "Arduino Uno with an ENC28J60: chip select PB2, interrupt PD2", "atmega328p", 16'000'000,
       "enc28j60", Pin{'B', 2}, Pin{'D', 2}, std::nullopt},
      {"mega-enc28j60", "Arduino Mega 2560 with an ENC28J60: chip select PB0, interrupt PE4", "atmega2560", 16'000'000,
       "enc28j60", Pin{'B', 0}, Pin{'E', 4}, std::nullopt},
      {"clkout-enc28j60", "ATmega328P that runs from its ENC28J60's CLKOUT: chip select PB2, interrupt PD2",
       "atmega328p", 6'250'000, "enc28j60", Pin{'B', 2}, Pin{'D', 2}, std::nullopt, std::nullopt, true},
      {.name = "ethernut1",
       .summary = "Ethernut 1: 32 KiB external RAM, RTL8019AS at 0x8300, its interrupt inverted at PE5, no EEPROM",
       .mcu = "atmega128",
       .hz = 14'745'600,
       .nic = "rtl8019as",
       .nic_select = std::nullopt,
       .nic_int = Pin{'E', 5},
       .nic_reset = std::nullopt,
       .nic_range = BusRange{0x8000, 0xFFFF},
       .nic_int_inverted = true,
       .external_ram = 0x8000},
      {.name = "mega128-rtl8019as",
       .summary = "ATmega128 with an RTL8019AS on its ports: data A, address PC0 to PC4, IORB PC5, IOWB PC6, INT PE4",
       .mcu = "atmega128",
       .hz = 16'000'000,
       .nic = "rtl8019as",
       .nic_select = std::nullopt,
       .nic_int = Pin{'E', 4},
       .nic_reset = Pin{'C', 7},
       .nic_ports = PortBusPins{.data = 'A', .address = {'C', 0}, .read = {'C', 5}, .write = {'C', 6}},
       .nic_reset_high = true},
  };
  return all;
}

const Board& find_board(std::string_view name) {
  for (const auto& board : boards()) {
    if (board.name == name) return board;
  }
  std::vector<std::string> names;
  for (const auto& board : boards()) names.push_back(board.name);
  throw UsageError(fmt::format("there is no board '{}'", name),
                   fmt::format("did you mean '{}'? `avrlan boards` lists them all", nearest_name(name, names)));
}

}  // namespace avrlan
