#include "emulator/peripherals/io_event.hpp"

#include <utility>

namespace avrlan::peripherals {

IoEvent::IoEvent(const McuContext& mcu, std::function<void(Cycles due)> action, ClockDomain domain)
    : mcu_(mcu), domain_(domain), action_(std::move(action)) {
  mcu.clocks.watch(domain, [this](bool runs, Cycles at) { clock_changed(runs, at); });
}

void IoEvent::at(Cycles when) {
  cancel();
  pending_ = true;
  when_ = when;
  held_since_ = mcu_.cycle();
  if (mcu_.clocks.runs(domain_)) arm();
}

void IoEvent::cancel() {
  pending_ = false;
  mcu_.cancel(event_);
}

void IoEvent::arm() {
  event_ = mcu_.at(when_, [this] {
    pending_ = false;
    action_(when_);
  });
}

void IoEvent::clock_changed(bool runs, Cycles at) {
  if (!pending_) return;
  if (runs) {
    when_ += at - held_since_;
    arm();
  } else {
    held_since_ = at;
    mcu_.cancel(event_);
  }
}

}  // namespace avrlan::peripherals
