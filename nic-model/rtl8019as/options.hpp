#pragma once
// What the RTL8019AS finds at power-on: its pins, and what is on them.

#include <cstdint>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/time.hpp"
#include "nic-model/rtl8019as/errata.hpp"

namespace avrlan {

struct Rtl8019asOptions {
  enum class Bus : std::uint8_t {
    byte,  // an 8-bit slot: 8 KiB of buffer memory
    word   // a 16-bit slot: 16 KiB
  };
  // What is on the EEPROM's pins. absent: EEDO is tied high, every bit reads 1. external: somebody who plays an EEPROM by
  // on_eesk() and set_eedo().
  enum class Eeprom : std::uint8_t { absent, blank, programmed, external };

  Bus bus = Bus::byte;
  Eeprom eeprom = Eeprom::absent;
  MacAddress mac{};               // in a programmed EEPROM
  bool jumper_mode = true;        // pin JP: the I/O base, interrupt line and medium come from pins, not from the EEPROM
  unsigned ios = 0;               // pins IOS3 to 0, in jumper mode: 0 is I/O base 0x300
  unsigned irqs = 0;              // pins IRQS2 to 0
  unsigned pl = 0;                // pins PL1 and 0: 10BASE-T, or what answers
  std::uint64_t memory_seed = 0;  // of the buffer's contents at power-on, which nobody promises; 0: zeros
  // From power-up and a live partner to the link: two link pulses of 16 ms (802.3 14.2.1.7).
  Duration link_delay = Duration::milliseconds(32);
  Rtl8019asErrata errata{};

  friend bool operator==(const Rtl8019asOptions&, const Rtl8019asOptions&) = default;
};

}  // namespace avrlan
