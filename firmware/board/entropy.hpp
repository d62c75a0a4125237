#ifndef FIRMWARE_BOARD_ENTROPY_HPP
#define FIRMWARE_BOARD_ENTROPY_HPP
// What there is on the board to make the secret of the initial sequence numbers (RFC 6528) from:
//   - the RAM as power-on left it. Much after a long time without power, next to nothing after a reset;
//   - the lowest bits of analog input A0, which must be left open: noise and hum. A bit or two a conversion;
//   - the time at which it is asked, in steps of 4 us, when something outside (a DHCP server) has decided when.
// That keeps an attacker on the network from guessing sequence numbers. It is no generator for keys. In an emulator all
// three repeat from run to run.

#include <avr/io.h>
#include <stdint.h>

namespace board {

class Entropy {
 public:
  static void set_up(uint32_t seed) {
    state_ = seed;
    ADMUX = 1 << REFS0;
    ADCSRA = 1 << ADEN | 1 << ADPS2 | 1 << ADPS1 | 1 << ADPS0;  // F_CPU / 128
    for (uint8_t i = 0; i < 64; ++i) {
      ADCSRA |= 1 << ADSC;
      for (uint8_t polls = 255; polls != 0 && (ADCSRA & 1 << ADSC); --polls) {
      }
      stir(ADCL);
      stir(ADCH);
    }
    ADCSRA = 0;
  }

  // Writes n octets, different ones at each call.
  static void fill(uint8_t* to, uint8_t n) {
    stir(TCNT0);
    for (; n != 0; --n) {
      stir(n);
      *to++ = static_cast<uint8_t>(state_ >> 24);
    }
  }

 private:
  // One-at-a-time hash (Jenkins).
  static void stir(uint8_t octet) {
    state_ += octet;
    state_ += state_ << 10;
    state_ ^= state_ >> 6;
  }
  static uint32_t state_;
};

uint32_t Entropy::state_;

}  // namespace board

#endif
