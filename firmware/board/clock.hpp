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
    static_assert(counts <= 256, "timer 0 cannot count this tick");
#ifdef TCCR0A
    static_assert(counts * divider * 1000 == F_CPU * tick_ms, "a tick is no whole number of counts");
    TCCR0A = 1 << WGM01;  // clear on compare match
    OCR0A = counts - 1;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = divider == 64 ? 1 << CS01 | 1 << CS00 : 1 << CS02 | 1 << CS00;
#else  // ATmega128
    OCR0 = counts - 1;
    TIMSK |= 1 << OCIE0;
    TCCR0 = 1 << WGM01 | (divider == 64 ? 1 << CS02 : 1 << CS02 | 1 << CS01 | 1 << CS00);
#endif
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
#ifndef TCCR0A
    spread_rest();
#endif
    milliseconds_ += tick_ms;
    of_this_second_ += tick_ms;
    if (of_this_second_ >= 1000) {
      of_this_second_ -= 1000;
      ++seconds_;
    }
  }

 private:
  static constexpr uint16_t divider = tick_ms == 1 ? 64 : 1024;
  static constexpr uint32_t counts = F_CPU / divider * tick_ms / 1000;

#ifndef TCCR0A
  // What a tick has beyond whole counts, in thousandths: some ticks take one more.
  static void spread_rest() {
    constexpr uint16_t rest = F_CPU / divider * tick_ms % 1000;
    rest_ = static_cast<uint16_t>(rest_ + rest);
    const bool longer = rest_ >= 1000;
    if (longer) rest_ = static_cast<uint16_t>(rest_ - 1000);
    OCR0 = static_cast<uint8_t>(longer ? counts : counts - 1);
  }
  static uint16_t rest_;
#endif
  static uint32_t milliseconds_;
  static uint32_t seconds_;
  static uint16_t of_this_second_;
};

uint32_t Clock::milliseconds_;
uint32_t Clock::seconds_;
uint16_t Clock::of_this_second_;
#ifndef TCCR0A
uint16_t Clock::rest_;
#endif

}  // namespace board

#ifdef TCCR0A
ISR(TIMER0_COMPA_vect) {
#else
ISR(TIMER0_COMP_vect) {
#endif
  board::Clock::tick();
}

#endif
