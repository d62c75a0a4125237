#pragma once
// The USART's baud rate generator (ATmega328P datasheet, "Internal Clock Generation - The Baud Rate Generator"): a
// down-counter from UBRRn that ticks and starts anew each time it reaches zero, every UBRRn + 1 cycles. The receiver
// samples at the ticks; the transmitter divides them by 16, 8 or 2.
//
// Certain: the period, and that a store to UBRRnL loads the counter at once. Inferred: the generator runs from reset on,
// whether or not the USART is enabled; a store to UBRRnH is taken when the counter starts anew; the ticks are counted
// on, so that the transmitter's division keeps its phase over a store to UBRRnL.

#include <cstdint>

#include "nic-model/core/time.hpp"

namespace avrlan::peripherals {

class BaudGenerator {
 public:
  // UBRRn is 0 and the count of ticks starts anew.
  void reset(Cycles now) { *this = BaudGenerator{now}; }
  // UBRRnL is stored: the counter holds `ubrr` at `now`.
  void load(Cycles now, unsigned ubrr);
  // UBRRnH is stored: the counter starts anew from `ubrr` at its next tick.
  void load_at_next_tick(Cycles now, unsigned ubrr);
  // The clock stands still from `now` on, and goes on at `now`.
  void stop(Cycles now);
  void go_on(Cycles now);
  bool stopped() const { return stopped_; }

  Cycles period() const { return period_; }
  // Ticks since reset, at `now` or before; `now` must not lie before the last of the calls above.
  std::int64_t ticks(Cycles now) const;
  // When tick number `tick` came, or comes if nothing changes; as of stop() while the clock stands still.
  Cycles at(std::int64_t tick) const;

  BaudGenerator() = default;

 private:
  explicit BaudGenerator(Cycles now) : base_(now) {}

  Cycles base_{};  // of tick number base_tick_
  std::int64_t base_tick_ = 0;
  Cycles period_{1};
  bool stopped_ = false;
  Cycles stopped_at_{};
};

}  // namespace avrlan::peripherals
