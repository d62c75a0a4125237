#ifndef FIRMWARE_BOARD_MEMORY_HPP
#define FIRMWARE_BOARD_MEMORY_HPP
// The RAM between the variables and the stack.

#include <avr/io.h>
#include <stdint.h>

extern "C" uint8_t __heap_start;

namespace board {

class Memory {
 public:
  // To be called once, early in main. Paints the unused RAM; returns a sum (Fletcher's) of what power-on left there.
  static uint32_t survey() {
    uint16_t low = 0, high = 0;
    for (uint8_t* p = &__heap_start; reinterpret_cast<uint16_t>(p) < SP - margin; ++p) {
      low = static_cast<uint16_t>(low + *p);
      high = static_cast<uint16_t>(high + low);
      *p = paint;
    }
    return static_cast<uint32_t>(high) << 16 | low;
  }

  // Octets that neither the stack nor an interrupt has touched since survey().
  static uint16_t untouched() {
    uint16_t n = 0;
    for (const uint8_t* p = &__heap_start; *p == paint; ++p) ++n;
    return n;
  }

 private:
  static constexpr uint8_t paint = 0xC5;
  static constexpr uint8_t margin = 32;  // survey's own frame, and an interrupt's
};

}  // namespace board

#endif
