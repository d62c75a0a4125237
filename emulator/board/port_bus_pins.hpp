#pragma once

#include <cstdint>

#include "emulator/board/pin.hpp"

namespace avrlan {

// A chip's ISA bus on ports of the MCU, which the firmware works by hand.
struct PortBusPins {
  static constexpr unsigned address_lines = 5;

  char data;    // the port of D0 to D7, bit by bit
  Pin address;  // A0; A1 to A4 are the next bits of its port
  Pin read;     // IORB
  Pin write;    // IOWB
  // What the address lines above are tied to: the chip's I/O base.
  std::uint16_t base = 0x300;

  friend bool operator==(const PortBusPins&, const PortBusPins&) = default;
};

}  // namespace avrlan
