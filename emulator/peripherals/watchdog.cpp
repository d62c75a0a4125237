#include "emulator/peripherals/watchdog.hpp"

#include <simavr/avr_watchdog.h>

#include <algorithm>

#include "emulator/peripherals/simavr_modules.hpp"

namespace avrlan::peripherals {

namespace {

// WDTCSR; WDTCR has WDE, WDP2:0, and WDTOE or WDCE in the same place as WDCE.
constexpr std::uint8_t WDIF = 0x80;
constexpr std::uint8_t WDIE = 0x40;
constexpr std::uint8_t WDP3 = 0x20;
constexpr std::uint8_t WDCE = 0x10;
constexpr std::uint8_t WDE = 0x08;
constexpr std::uint8_t WDP = 0x07;

constexpr std::uint16_t MCUSR = 0x54;
constexpr std::uint8_t WDRF = 0x08;
constexpr unsigned largest_wdp = 9;  // 8 s; the values above are reserved

}  // namespace

Watchdog::Watchdog(const McuContext& mcu, const Part& part, const Fuses& fuses, ResetControl& resets)
    : mcu_(mcu),
      part_(part),
      resets_(resets),
      always_on_(part.wdton.programmed(fuses)),
      wdce_(mcu, {part.wdtcsr, WDCE}) {
  auto& module = *simavr_modules<avr_watchdog_t>(mcu.avr, "watchdog").at(0);
  module.io.reset = nullptr;
  module.io.ioctl = nullptr;
  on_store<&Watchdog::store_wdtcsr>(mcu.avr, part.wdtcsr, *this);
  if (!part.watchdog_interrupt) return;
  vector_ = module.watchdog.vector;
  // "Executing the corresponding interrupt vector will clear WDIE and WDIF automatically by hardware (the Watchdog goes
  // to System Reset Mode)."
  mcu.interrupts.connect(vector_, [this] {
    mcu_.set_bits(part_.wdtcsr, (wdtcsr() & WDE) != 0 ? WDIF | WDIE : WDIF, false);
    update_request();
  });
}

// "WDE is overridden by WDRF in MCUSR. This means that WDE is always set when WDRF is set."
void Watchdog::reset() {
  wdce_.close();
  const bool forced = part_.watchdog_interrupt && (mcu_.data(MCUSR) & WDRF) != 0;
  wdtcsr() = always_on_ || forced ? WDE : 0;
  count_from(mcu_.clock.at(mcu_.cycle()));
  update_request();
}

bool Watchdog::running() const {
  return (wdtcsr() & WDE) != 0 || (part_.watchdog_interrupt && (wdtcsr() & WDIE) != 0);
}

Duration Watchdog::period() const {
  const unsigned wdp3 = part_.watchdog_interrupt && (wdtcsr() & WDP3) != 0 ? 8 : 0;
  return part_.watchdog_timeout * (std::int64_t{1} << std::min(wdp3 | (wdtcsr() & WDP), largest_wdp));
}

void Watchdog::store_wdtcsr(std::uint16_t, std::uint8_t value) {
  const bool was_running = running();
  const bool in_time = wdce_.is_open(mcu_.store_done());
  constexpr std::uint8_t prescaler = WDP3 | WDP;
  const std::uint8_t old = wdtcsr();
  auto next = static_cast<std::uint8_t>(old & (WDE | prescaler | WDIF | WDCE));
  next = static_cast<std::uint8_t>(next | (value & WDE));
  const bool changes = in_time && (value & WDCE) == 0;
  if (changes) {
    wdce_.close();
    next = static_cast<std::uint8_t>((next & ~(WDE | WDCE)) | (value & WDE));
  }
  // The older parts guard the prescaler of a running watchdog alone, the ATmega32 not at all.
  const bool prescaler_free = !part_.watchdog_interrupt && (part_.watchdog_prescaler_free || !was_running);
  if (changes || prescaler_free) next = static_cast<std::uint8_t>((next & ~prescaler) | (value & prescaler));
  if (part_.watchdog_interrupt) {
    next = static_cast<std::uint8_t>((next & ~(value & WDIF)) | (value & WDIE));
    if ((mcu_.data(MCUSR) & WDRF) != 0) next |= WDE;
    if (always_on_) next = static_cast<std::uint8_t>(next & ~WDIE);
  } else {
    next = static_cast<std::uint8_t>(next & ~(WDIF | WDIE | WDP3));
  }
  if (always_on_) next |= WDE;
  wdtcsr() = next;
  if ((value & (WDCE | WDE)) == (WDCE | WDE)) wdce_.open();
  if (!was_running) {
    count_from(mcu_.clock.at(mcu_.store_done()));
  } else if ((old & prescaler) != (next & prescaler) || !running()) {
    arm();
  }
  update_request();
}

void Watchdog::count_from(Instant start) {
  counting_since_ = start;
  arm();
}

// At the next multiple of the period: the counter runs on when its prescaler is changed.
void Watchdog::arm() {
  mcu_.scheduler.cancel(timeout_);
  if (!running()) return;
  const Instant now = std::max(counting_since_, mcu_.clock.at(mcu_.cycle()));
  const std::int64_t periods = (now - counting_since_) / period() + 1;
  timeout_ = mcu_.scheduler.at(counting_since_ + period() * periods, [this] { look(); });
}

// WDR only notes when it came.
void Watchdog::look() {
  timeout_ = {};
  const Instant due = counting_since_ + period();
  if (mcu_.scheduler.now() < due) {
    timeout_ = mcu_.scheduler.at(due, [this] { look(); });
  } else {
    timed_out();
  }
}

void Watchdog::timed_out() {
  const bool interrupt = part_.watchdog_interrupt && (wdtcsr() & WDIE) != 0 && (wdtcsr() & WDIF) == 0;
  const bool interrupt_only = part_.watchdog_interrupt && (wdtcsr() & (WDIE | WDE)) == WDIE;
  if (!interrupt && !interrupt_only) return resets_.request(ResetCause::watchdog);
  wdtcsr() |= WDIF;
  count_from(mcu_.scheduler.now());
  update_request();
}

void Watchdog::update_request() {
  if (part_.watchdog_interrupt) mcu_.interrupts.request(vector_, (wdtcsr() & (WDIF | WDIE)) == (WDIF | WDIE));
}

}  // namespace avrlan::peripherals
