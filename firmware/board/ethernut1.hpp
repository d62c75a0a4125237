#ifndef FIRMWARE_BOARD_ETHERNUT1_HPP
#define FIRMWARE_BOARD_ETHERNUT1_HPP
// Ethernut 1 (ATmega128, 14.7456 MHz crystal, 32 KiB external RAM) with an RTL8019AS on the external bus, selected by A15 at
// I/O base 300h: 8300h. Its interrupt is inverted: low at PE5 = INT5 while it asks. Variables and stack are in internal RAM.
// The fuse M103C must not be programmed, as it is when the part leaves the factory.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdint.h>

namespace board {

// In flash.
inline const char* name() {
  return PSTR("ethernut1");
}

namespace nic {

constexpr uint16_t base = 0x8300;

// The driver's store is in external RAM, which begins behind the internal one and has nothing else in it.
struct Store {
  static constexpr bool in_chip = false;
  static constexpr uint16_t size = 8192;
  static uint8_t* octets() { return reinterpret_cast<uint8_t*>(0x1100); }
};

inline void set_up_pins() {
  XMCRA = 0;  // one sector,
  XMCRB = 0;
  MCUCR = 1 << SRE | 1 << SRW10;  // with one wait state
  PORTE |= 1 << PE5;
  EICRB = 1 << ISC51;  // falling edge
  EIMSK = 1 << INT5;
}
[[gnu::always_inline]] inline bool calls() {
  return !(PINE & 1 << PE5);
}

// The chip's interrupt, off and on; what falls meanwhile is served afterwards.
[[gnu::always_inline]] inline void mask() {
  EIMSK = 0;
}
[[gnu::always_inline]] inline void unmask() {
  EIMSK = 1 << INT5;
}

}  // namespace nic
}  // namespace board

// The chip's interrupt, see board.hpp.
#define BOARD_NIC_VECT INT5_vect
#define BOARD_NIC_BUS "firmware/board/bus.hpp"
#define BOARD_NIC "firmware/board/nic-rtl8019as.hpp"

#endif
