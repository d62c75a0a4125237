#ifndef FIRMWARE_BOARD_BUS_BASE_HPP
#define FIRMWARE_BOARD_BUS_BASE_HPP
// What the Bus policies of the RTL8019AS (stack/drivers/rtl8019as.hpp) have in common.

#include <stdint.h>
#include <util/delay_basic.h>

namespace board {

class BusBase {
 public:
  // At most 65535 / (F_CPU / 4 MHz) microseconds.
  static void wait_us(uint16_t us) { _delay_loop_2(static_cast<uint16_t>(us * (F_CPU / 4000000UL + 1))); }

 protected:
  static constexpr uint8_t data_port = 0x10;
  // What a loop with an 8-bit counter moves of so many words.
  static uint8_t few(uint16_t words) { return words < 255 ? static_cast<uint8_t>(words) : uint8_t{255}; }
  // The last octet of an odd number is the high half of a word.
  static uint16_t add_high(uint16_t sum, uint8_t octet) {
    const uint16_t word = static_cast<uint16_t>(octet << 8);
    sum = static_cast<uint16_t>(sum + word);
    return sum < word ? static_cast<uint16_t>(sum + 1) : sum;
  }
};

}  // namespace board

#endif
