#ifndef FIRMWARE_BOARD_CLOCK_HPP
#define FIRMWARE_BOARD_CLOCK_HPP
// Time since the start, from timer 0 at 1 kHz, as exact as the crystal.

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#include <util/atomic.h>

namespace board {

class Clock {
 public:
  static void set_up() {
    TCCR0A = 1 << WGM01;  // clear on compare match
    OCR0A = F_CPU / 64 / 1000 - 1;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = 1 << CS01 | 1 << CS00;  // F_CPU / 64
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
    ++milliseconds_;
    if (++of_this_second_ == 1000) {
      of_this_second_ = 0;
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
