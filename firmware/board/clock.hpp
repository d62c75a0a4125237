#ifndef FIRMWARE_BOARD_CLOCK_HPP
#define FIRMWARE_BOARD_CLOCK_HPP
// Time since the start, from timer 0, as exact as the crystal. An image that wants to sleep longer defines BOARD_TICK_MS as
// 16: the clock then moves in steps of 16 ms.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#include <util/atomic.h>

#ifndef BOARD_TICK_MS
#define BOARD_TICK_MS 1
#endif

namespace board {

class Clock {
 public:
  static constexpr uint8_t tick_ms = BOARD_TICK_MS;

  static void set_up() {
    constexpr uint16_t divider = tick_ms == 1 ? 64 : 1024;
    constexpr uint32_t counts = F_CPU / divider * tick_ms / 1000;
    static_assert(counts <= 256 && counts * divider * 1000 == F_CPU * tick_ms, "timer 0 cannot count this tick");
    TCCR0A = 1 << WGM01;  // clear on compare match
    OCR0A = counts - 1;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = divider == 64 ? 1 << CS01 | 1 << CS00 : 1 << CS02 | 1 << CS00;
  }

  // Wraps after 49.7 days.
  static uint32_t milliseconds() {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
      return milliseconds_;
    }
    return 0;
  }
  // Does not wrap in a lifetime.
  static uint32_t seconds() {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
      return seconds_;
    }
    return 0;
  }

  // From the timer's interrupt.
  static void tick() {
    milliseconds_ += tick_ms;
    of_this_second_ += tick_ms;
    if (of_this_second_ >= 1000) {
      of_this_second_ -= 1000;
      ++seconds_;
    }
  }

 private:
  static uint32_t milliseconds_;
  static uint32_t seconds_;
  static uint16_t of_this_second_;
};

uint32_t Clock::milliseconds_;
uint32_t Clock::seconds_;
uint16_t Clock::of_this_second_;

}  // namespace board

ISR(TIMER0_COMPA_vect) {
  board::Clock::tick();
}

#endif
