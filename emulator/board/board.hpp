#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/pin.hpp"

namespace avrlan {

// What is soldered to what.
struct Board {
  std::string name;
  std::string summary;  // one line for `avrlan boards`
  std::string mcu;      // avr-gcc's name, for example "atmega328p"
  std::int64_t hz;
  std::string nic;  // "enc28j60"
  Pin nic_select;
  std::optional<Pin> nic_int;
  std::optional<Pin> nic_reset;
  std::optional<unsigned> nic_usart = std::nullopt;  // its SPI is this USART in SPI mode, not the SPI
  bool nic_clock = false;  // CLKOUT of the chip is the MCU's clock, and hz what it begins with
};

// The boards that are built in, in the order in which they are listed.
const std::vector<Board>& boards();
// Throws HostError that names the nearest board and how to list them.
const Board& find_board(std::string_view name);

}  // namespace avrlan
