#include "emulator/peripherals/timed_bit.hpp"

#include <utility>

namespace avrlan::peripherals {

TimedBit::TimedBit(const McuContext& mcu, RegisterBit bit, std::function<void()> expired)
    : mcu_(mcu), bit_(bit), expired_(std::move(expired)) {}

void TimedBit::open() {
  mcu_.cancel(event_);
  mcu_.set_bits(bit_.address, bit_.mask, true);
  until_ = mcu_.store_done() + window;
  event_ = mcu_.at(until_, [this] {
    close();
    if (expired_) expired_();
  });
}

void TimedBit::close() {
  mcu_.cancel(event_);
  mcu_.set_bits(bit_.address, bit_.mask, false);
}

}  // namespace avrlan::peripherals
