#ifndef TCPIP_TCP_PRELOAD_HPP
#define TCPIP_TCP_PRELOAD_HPP
// A full segment of new data whose frame the driver holds (tx_hold) while the one before is in flight, so that its
// acknowledgement only has to write headers and start it. One at a time, and only for a peer that acknowledges each segment
// at once: another one is sent two halves, so that it has a second one to acknowledge (RFC 1122 4.2.3.2).
#include "stack/tcp/connection.hpp"

namespace tcpip {

// What is known of a peer, for each connection: all 0 at its start.
template <bool enabled>
class AckHabit {
 public:
  bool acknowledges_each() const { return habit_ == each; }
  // An acknowledgement came so many ticks after what it acknowledges was sent; `half`: of the first of two halves.
  void learn(bool half, Tick after) {
    if (after > 1) {
      if (habit_ == each) habit_ = delays;
    } else if (half && habit_ == unknown) {
      habit_ = each;
    }
  }

 private:
  enum : uint8_t { unknown, each, delays } habit_;
};

template <>
class AckHabit<false> {
 public:
  static constexpr bool acknowledges_each() { return false; }
  static void learn(bool, Tick) {}
};

template <bool enabled>
class Preload {
 protected:
  // A full segment of this connection is in flight: the next one is to be written, when the frames that wait are done.
  void preload_after(const Connection& c) {
    if (state_ != none) return;
    connection_ = &c;
    state_ = due;
  }
  bool preload_is_due(const Connection& c) const { return state_ == due && connection_ == &c; }
  bool is_preloaded(const Connection& c) const { return state_ == held && connection_ == &c; }
  // The next one is held now; `sum`: of its data.
  void keep_preloaded(uint16_t sum) {
    sum_ = sum;
    state_ = held;
  }
  uint16_t take_preloaded() {
    state_ = none;
    return sum_;
  }

 private:
  const Connection* connection_ = nullptr;
  uint16_t sum_ = 0;
  enum : uint8_t { none, due, held } state_ = none;
};

template <>
class Preload<false> {
 protected:
  static void preload_after(const Connection&) {}
  static constexpr bool preload_is_due(const Connection&) { return false; }
  static constexpr bool is_preloaded(const Connection&) { return false; }
  static void keep_preloaded(uint16_t) {}
  static constexpr uint16_t take_preloaded() { return 0; }
};

}  // namespace tcpip

#endif
