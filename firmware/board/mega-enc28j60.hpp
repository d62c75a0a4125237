#ifndef FIRMWARE_BOARD_MEGA_ENC28J60_HPP
#define FIRMWARE_BOARD_MEGA_ENC28J60_HPP
// Arduino Mega 2560 (ATmega2560, 16 MHz crystal) and an ENC28J60 module:
//   SCK D52 = PB1, MISO D50 = PB3, MOSI D51 = PB2, CS D53 = PB0 (the SPI unit's SS), INT D2 = PE4 = INT4.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

namespace board {

// In flash.
inline const char* name() {
  return PSTR("mega-enc28j60");
}

namespace nic {

inline void set_up_pins() {
  PORTB |= 1 << PB0;
  DDRB |= 1 << PB2 | 1 << PB1 | 1 << PB0;
  PORTE |= 1 << PE4;   // pull-up: INT reads high while nothing is connected
  EICRB = 1 << ISC41;  // falling edge
  EIMSK = 1 << INT4;
}
[[gnu::always_inline]] inline void select() {
  PORTB &= static_cast<uint8_t>(~(1 << PB0));
}
[[gnu::always_inline]] inline void deselect() {
  PORTB |= 1 << PB0;
}
// The chip pulls INT low.
[[gnu::always_inline]] inline bool calls() {
  return !(PINE & 1 << PE4);
}

// The chip's interrupt, off and on; what falls meanwhile is served afterwards.
[[gnu::always_inline]] inline void mask() {
  EIMSK = 0;
}
[[gnu::always_inline]] inline void unmask() {
  EIMSK = 1 << INT4;
}

}  // namespace nic

// The LED of the board, D13 = PB7.
namespace led {

inline void set_up() {
  DDRB |= 1 << PB7;
}
inline void set(bool on) {
  if (on)
    PORTB |= 1 << PB7;
  else
    PORTB &= static_cast<uint8_t>(~(1 << PB7));
}

}  // namespace led
}  // namespace board

// The chip's interrupt, see board.hpp.
#define BOARD_NIC_VECT INT4_vect
#define BOARD_NIC_BUS "firmware/board/spi.hpp"
#define BOARD_NIC "firmware/board/nic-enc28j60.hpp"

#endif
