#ifndef FIRMWARE_BOARD_UNO_ENC28J60_HPP
#define FIRMWARE_BOARD_UNO_ENC28J60_HPP
// Arduino Uno (ATmega328P, 16 MHz crystal) and an ENC28J60 module:
//   SCK D13 = PB5, MISO D12 = PB4, MOSI D11 = PB3, CS D10 = PB2 (the SPI unit's SS), INT D2 = PD2 = INT0.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>

namespace board {

// In flash.
inline const char* name() {
  return PSTR("uno-enc28j60");
}

namespace nic {

inline void set_up_pins() {
  PORTB |= 1 << PB2;
  DDRB |= 1 << PB5 | 1 << PB3 | 1 << PB2;
  PORTD |= 1 << PD2;   // pull-up: INT reads high while nothing is connected
  EICRA = 1 << ISC01;  // falling edge
  EIMSK = 1 << INT0;
}
[[gnu::always_inline]] inline void select() {
  PORTB &= static_cast<uint8_t>(~(1 << PB2));
}
[[gnu::always_inline]] inline void deselect() {
  PORTB |= 1 << PB2;
}
// The chip pulls INT low.
[[gnu::always_inline]] inline bool calls() {
  return !(PIND & 1 << PD2);
}

// The chip's interrupt, off and on; what falls meanwhile is served afterwards.
[[gnu::always_inline]] inline void mask() {
  EIMSK = 0;
}
[[gnu::always_inline]] inline void unmask() {
  EIMSK = 1 << INT0;
}

}  // namespace nic

// An LED, if any, from D3 = PD3 to ground (D13 is SCK).
namespace led {

inline void set_up() {
  DDRD |= 1 << PD3;
}
inline void set(bool on) {
  if (on)
    PORTD |= 1 << PD3;
  else
    PORTD &= static_cast<uint8_t>(~(1 << PD3));
}

}  // namespace led
}  // namespace board

// The chip's interrupt, see board.hpp.
#define BOARD_NIC_VECT INT0_vect
#define BOARD_NIC_BUS "firmware/board/spi.hpp"
#define BOARD_NIC "firmware/board/nic-enc28j60.hpp"

#endif
