#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/pin.hpp"
#include "emulator/board/port_bus_pins.hpp"
#include "nic-model/rtl8019as/options.hpp"

namespace avrlan {

// Addresses of the external bus, whole pages of 256.
struct BusRange {
  std::uint16_t first;
  std::uint16_t last;

  friend bool operator==(const BusRange&, const BusRange&) = default;
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
  // A chip with a parallel bus is on the external bus, where these addresses select it, or on ports.
  std::optional<BusRange> nic_range = std::nullopt;
  std::optional<PortBusPins> nic_ports = std::nullopt;
  bool nic_int_inverted = false;   // between the chip's interrupt pin and nic_int
  std::uint32_t external_ram = 0;  // octets, from address 0 of the external bus on
  bool nic_reset_high = false;     // a high level at nic_reset resets the chip, not a low one
  Rtl8019asOptions rtl8019as{};    // of such a chip; its errata are of a run, not of a board
  // Where an EEPROM that the MCU plays has its pins: Rtl8019asOptions::Eeprom::external.
  std::optional<Pin> nic_eesk = std::nullopt;
  std::optional<Pin> nic_eedo = std::nullopt;
  std::optional<Pin> nic_eemu = std::nullopt;  // connects both while it is high; without it they always are

  friend bool operator==(const Board&, const Board&) = default;
};

// The boards that are built in, in the order in which they are listed.
const std::vector<Board>& boards();
// Throws HostError that names the nearest board and how to list them.
const Board& find_board(std::string_view name);

}  // namespace avrlan
