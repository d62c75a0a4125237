#ifndef FIRMWARE_BOARD_MEGA128_RTL8019AS_HPP
#define FIRMWARE_BOARD_MEGA128_RTL8019AS_HPP
// ATmega128 (16 MHz crystal) with an RTL8019AS in an ISA slot on its ports, wired as in U. Radig's web server:
//   SD0 to SD7 PA0 to PA7, SA0 to SA4 PC0 to PC4, IORB PC5, IOWB PC6, RSTDRV PC7, INT PE4 = INT4, high while it asks.
// The other address lines are tied to I/O base 300h. The fuse M103C must not be programmed, as it is when the part leaves
// the factory.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <stdint.h>
#include <util/delay.h>

namespace board {

// In flash.
inline const char* name() {
  return PSTR("mega128-rtl8019as");
}

namespace nic {

// The driver's store is in the MCU's RAM, so that the chip's ring has three frames of the greatest length.
struct Store {
  static constexpr bool in_chip = false;
  static constexpr uint16_t size = 2064;
  static uint8_t* octets() {
    static uint8_t store[size];
    return store;
  }
};

// What PORTC is while the chip is left alone at register `reg`, and with one of its strobes.
constexpr uint8_t idle(uint8_t reg) {
  return static_cast<uint8_t>(1 << PC6 | 1 << PC5 | reg);
}
constexpr uint8_t reading(uint8_t reg) {
  return static_cast<uint8_t>(1 << PC6 | reg);
}
constexpr uint8_t writing(uint8_t reg) {
  return static_cast<uint8_t>(1 << PC5 | reg);
}

inline void set_up_pins() {
  PORTC = 1 << PC7 | idle(0);  // RSTDRV, for 1 us at least
  DDRC = 0xFF;
  _delay_us(2);
  PORTC = idle(0);
  _delay_ms(3);                     // the chip reads its EEPROM
  EICRB = 1 << ISC41 | 1 << ISC40;  // rising edge
  EIMSK = 1 << INT4;
}
[[gnu::always_inline]] inline bool calls() {
  return PINE & 1 << PE4;
}

// The chip's interrupt, off and on; what rises meanwhile is served afterwards.
[[gnu::always_inline]] inline void mask() {
  EIMSK = 0;
}
[[gnu::always_inline]] inline void unmask() {
  EIMSK = 1 << INT4;
}

}  // namespace nic
}  // namespace board

// The chip's interrupt, see board.hpp.
#define BOARD_NIC_VECT INT4_vect
#define BOARD_BUS_DATA_OUT PORTA
#define BOARD_BUS_DATA_IN PINA
#define BOARD_BUS_DATA_DDR DDRA
#define BOARD_BUS_CONTROL PORTC
#define BOARD_NIC_BUS "firmware/board/port_bus.hpp"
#define BOARD_NIC "firmware/board/nic-rtl8019as.hpp"

#endif
