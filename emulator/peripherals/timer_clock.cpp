#include "emulator/peripherals/timer_clock.hpp"

#include <algorithm>

namespace avrlan::peripherals {

namespace {

// 8 periods of 32.768 kHz are a whole number of picoseconds.
constexpr std::int64_t eight_periods = 244'140'625;

// "Synchronization of the interrupt flags for the asynchronous timer takes three processor cycles plus one timer cycle":
// the timer cycle is the tick after the match, which sets the flag of a synchronous timer, too.
constexpr Cycles synchronisation{3};

std::int64_t crystal_edges(Instant until) {
  const std::int64_t time = until.since_start().picoseconds();
  return time / eight_periods * 8 + time % eight_periods * 8 / eight_periods;
}

Instant crystal_edge(std::int64_t number) {
  const std::int64_t time = number / 8 * eight_periods + (number % 8 * eight_periods + 7) / 8;
  return Instant::at(Duration::picoseconds(time));
}

}  // namespace

std::int64_t TimerClock::source_count(Cycles at) const {
  return crystal_ ? crystal_edges(mcu_.clock.at(std::max(at - synchronisation, Cycles{}))) : at.count;
}

Cycles TimerClock::cycle_of(std::int64_t count) const {
  const std::int64_t source = count + skipped_;
  return crystal_ ? mcu_.clock.first_at(crystal_edge(source)) + synchronisation : Cycles{source};
}

void TimerClock::restart() {
  const Cycles now = mcu_.cycle();
  crystal_ = held_ = false;
  skipped_ = 0;
  frozen_.reset();
  zero_ = count(now);
}

void TimerClock::hold(bool held, Cycles at) {
  if (held || held_) reset_prescaler(at);
  held_ = held;
}

void TimerClock::select_crystal(bool crystal, Cycles at) {
  if (crystal_ == crystal) return;
  crystal_ = crystal;
  skipped_ = 0;
  reset_prescaler(at);
}

void TimerClock::stop(Cycles at) {
  if (!frozen_) frozen_ = count(at);
}

void TimerClock::go_on(Cycles at) {
  if (!frozen_) return;
  skipped_ = source_count(at) - *frozen_;
  frozen_.reset();
}

}  // namespace avrlan::peripherals
