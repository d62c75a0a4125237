#ifndef TCPIP_TCP_CONGESTION_HPP
#define TCPIP_TCP_CONGESTION_HPP
// Congestion control of one connection: RFC 5681 with RFC 3042 (limited transmit), RFC 3390 (initial window) and RFC 6582
// (NewReno), in octets, so that dividing an acknowledgement gains nothing. Not here: SACK, ECN, pacing.
#include <stdint.h>

namespace tcpip {

class Congestion {
 public:
  // At the start of a connection. `most`: of RFC 3390's (4380) or RFC 6928's (14600) formula. `lost`: our SYN had to be
  // sent again.
  void open(uint16_t mss, uint16_t most, bool lost) {
    *this = Congestion();
    threshold_ = 0xffff;
    window_ = lost ? mss : initial(mss, most);
  }

  // After nothing has been sent for a retransmission timeout (RFC 5681 4.1).
  void restart(uint16_t mss, uint16_t most) {
    const uint16_t window = initial(mss, most);
    if (window_ > window) window_ = window;
  }

  // How much may be in flight. The first two duplicates each let one segment more go.
  uint16_t window(uint16_t mss) const {
    return recovering() ? window_ : static_cast<uint16_t>(window_ + duplicates_ * mss);
  }

  // n octets are acknowledged, which leaves `flight`; the window does not grow above `limit`. True: a partial
  // acknowledgement, the oldest segment is lost as well.
  bool acknowledged(uint16_t n, uint16_t flight, uint16_t mss, uint16_t limit) {
    if (recovering()) {
      if (n < recover_) {
        recover_ = static_cast<uint16_t>(recover_ - n);
        window_ = static_cast<uint16_t>((window_ > n ? window_ - n : 0) + (n >= mss || window_ <= n ? mss : 0));
        return true;
      }
      const uint16_t left = static_cast<uint16_t>((flight > mss ? flight : mss) + mss);
      window_ = left < threshold_ ? left : threshold_;
      duplicates_ = 0;
      recover_ = 0;
      return false;
    }
    duplicates_ = 0;
    recover_ = n < recover_ ? static_cast<uint16_t>(recover_ - n) : 0;
    grow(n, mss);
    if (window_ > limit) window_ = limit;
    return false;
  }

  // An acknowledgement of nothing new. True: the third, the oldest segment is lost.
  bool duplicate(uint16_t flight, uint16_t mss, uint16_t limit) {
    if (recovering()) {
      if (window_ < limit) window_ = static_cast<uint16_t>(window_ + mss);
      return false;
    }
    // RFC 6582 3.2 step 1: of what was sent before a timeout.
    if (recover_ || ++duplicates_ != loss) return false;
    recover_ = flight;
    lose(flight < window_ ? flight : window_, mss);
    window_ = static_cast<uint16_t>(threshold_ + loss * mss);
    return true;
  }

  // The retransmission timer has expired; `again`: for the same segment.
  void timeout(uint16_t flight, uint16_t mss, bool again) {
    if (!again) lose(flight, mss);
    window_ = mss;
    counted_ = 0;
    duplicates_ = 0;
    recover_ = flight;
  }

 private:
  static constexpr uint8_t loss = 3;  // duplicates

  static uint16_t initial(uint16_t mss, uint16_t most) {
    const uint16_t segments = static_cast<uint16_t>((most > 4380 ? 10 : 4) * mss);
    const uint16_t two = static_cast<uint16_t>(2 * mss);
    const uint16_t octets = most > two ? most : two;
    return segments < octets ? segments : octets;
  }

  bool recovering() const { return duplicates_ == loss; }

  void lose(uint16_t flight, uint16_t mss) {
    const uint16_t two = static_cast<uint16_t>(2 * mss);
    const uint16_t half = flight / 2;
    threshold_ = half > two ? half : two;
  }

  void grow(uint16_t n, uint16_t mss) {
    if (window_ < threshold_) {
      window_ = static_cast<uint16_t>(window_ + (n < mss ? n : mss));
      return;
    }
    counted_ = static_cast<uint16_t>(counted_ + n);
    if (counted_ < window_) return;
    counted_ = static_cast<uint16_t>(counted_ - window_);
    window_ = static_cast<uint16_t>(window_ + mss);
  }

  uint16_t window_ = 0;     // cwnd
  uint16_t threshold_ = 0;  // ssthresh
  uint16_t counted_ = 0;    // acknowledged since the window last grew by a segment
  uint16_t recover_ = 0;    // so many octets of what is in flight belong to the last loss
  uint8_t duplicates_ = 0;
};

}  // namespace tcpip

#endif
