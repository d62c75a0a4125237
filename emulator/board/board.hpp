#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/pin.hpp"

namespace avrlan {

// Addresses of the external bus, whole pages of 256.
struct BusRange {
  std::uint16_t first;
  std::uint16_t last;
};

// What is soldered to what.
struct Board {
  std::string name;
  std::string summary;  // one line for `avrlan boards`
  std::string mcu;      // avr-gcc's name, for example "atmega328p"
  std::int64_t hz;
  std::string nic;                // of nic_kinds(), nic_chip.hpp
  std::optional<Pin> nic_select;  // of a chip on SPI
  std::optional<Pin> nic_int;
  std::optional<Pin> nic_reset;
  std::optional<unsigned> nic_usart = std::nullopt;  // its SPI is this USART in SPI mode, not the SPI
  bool nic_clock = false;  // CLKOUT of the chip is the MCU's clock, and hz what it begins with
  std::optional<BusRange> nic_range = std::nullopt;  // of a chip on the external bus: what selects it
  bool nic_int_inverted = false;                     // between the chip's interrupt pin and nic_int
  std::uint32_t external_ram = 0;                    // octets, from address 0 of the external bus on
};

// The boards that are built in, in the order in which they are listed.
const std::vector<Board>& boards();
// Throws HostError that names the nearest board and how to list them.
const Board& find_board(std::string_view name);

}  // namespace avrlan
