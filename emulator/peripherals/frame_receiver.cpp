#include "emulator/peripherals/frame_receiver.hpp"

#include <bit>

namespace avrlan::peripherals {

bool FrameFormat::parity_bit(std::uint16_t data) const {
  const bool odd_ones = (std::popcount(static_cast<unsigned>(data & data_mask())) & 1) != 0;
  return parity == Parity::odd ? !odd_ones : odd_ones;
}

bool FrameFormat::level(std::uint16_t data, int bit) const {
  if (bit == 0) return false;
  if (bit <= data_bits) return (data >> (bit - 1) & 1) != 0;
  return bit >= bits_before_stop() || parity_bit(data);
}

void FrameReceiver::hunt(std::int64_t from, bool high) {
  cursor_ = from;
  high_ = high;
  bit_ = -1;
}

std::int64_t FrameReceiver::next() const {
  if (hunting()) return cursor_;
  return cursor_ + std::int64_t{bit_} * sampling.per_bit + sampling.first_vote + votes_;
}

std::int64_t FrameReceiver::last_sample(std::int64_t first) const {
  return first + std::int64_t{format.bits_before_stop()} * sampling.per_bit + sampling.last_vote();
}

FrameReceiver::Event FrameReceiver::step(bool high) {
  if (hunting()) {
    const bool start = high_ && !high;
    high_ = high;
    if (!start) {
      ++cursor_;
      return Event::none;
    }
    bit_ = 0;
    votes_ = highs_ = 0;
    shift_ = 0;
    parity_error_ = false;
    // In synchronous mode the first sample is the whole start bit.
    return sampling.per_bit == 1 ? decide(false) : Event::none;
  }
  highs_ += high ? 1 : 0;
  if (++votes_ < sampling.votes) return Event::none;
  const bool majority = 2 * highs_ > sampling.votes;
  return decide(majority);
}

FrameReceiver::Event FrameReceiver::decide(bool high) {
  if (bit_ >= format.bits_before_stop()) return end_of_frame(high);
  if (bit_ == 0 && high) {
    hunt(cursor_ + sampling.last_vote() + 1, true);  // noise
    return Event::none;
  }
  if (bit_ >= 1 && bit_ <= format.data_bits) {
    shift_ = static_cast<std::uint16_t>(shift_ | (high ? 1u : 0u) << (bit_ - 1));
  } else if (bit_ > format.data_bits) {
    parity_error_ = high != format.parity_bit(shift_);
  }
  votes_ = highs_ = 0;
  return bit_++ == 0 ? Event::start : Event::none;
}

FrameReceiver::Event FrameReceiver::end_of_frame(bool stop_bit) {
  frame_ = {static_cast<std::uint16_t>(shift_ & format.data_mask()), stop_bit, parity_error_};
  hunt(cursor_ + std::int64_t{bit_} * sampling.per_bit + sampling.last_vote() + 1, stop_bit);
  return Event::frame;
}

}  // namespace avrlan::peripherals
