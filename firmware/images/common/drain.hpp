#ifndef FIRMWARE_IMAGES_COMMON_DRAIN_HPP
#define FIRMWARE_IMAGES_COMMON_DRAIN_HPP
// Takes every frame that comes, as fast as the driver can, to measure the driver and to try it under more than it can take.
//
// EtherType 88B5h: a frame to count. Octets 14 and 15 are its number. One of 60 octets is looked at: octet i behind that is
//   the low octet of 7 times its number, plus i.
// EtherType 88B6h: sends as many frames of 1,514 octets as octets 14 and 15 say, one behind the other.
// EtherType 88B7h: prints what came, and ends with status 0.

#include "firmware/board/board.hpp"
#include "firmware/board/identity.hpp"
#include "stack/drivers/enc28j60.hpp"

namespace image {

class Drain {
 public:
  // False: no chip answers.
  bool start(const char* name) {
    board::set_up();
    if (!device_.begin(board::mac_address())) return false;
    while (!device_.link_up()) board::idle();
    board::Uart::print(name);
    board::Uart::put('\n');
    return true;
  }

  // Takes what waits.
  void take() {
    for (uint16_t length; (length = device_.rx_open()) != 0; device_.rx_close()) take_frame(length);
  }

  bool done() const { return done_; }

  int report() {
    line(PSTR("frames "), frames_);
    line(PSTR("octets "), octets_);
    line(PSTR("damaged "), damaged_);
    line(PSTR("repeated "), repeated_);
    line(PSTR("overflows "), device_.counters().rx_overflows);
    board::Uart::print(PSTR("seen "));
    for (uint8_t octet : seen_) {
      hex(static_cast<uint8_t>(octet >> 4));
      hex(octet & 0xF);
    }
    board::Uart::put('\n');
    return board::finish(0);
  }

 private:
  static constexpr uint16_t short_frame = 60, long_frame = 1514, numbers = 1024;

  static uint16_t word(const uint8_t* at) { return static_cast<uint16_t>(at[0] << 8 | at[1]); }
  static void line(const char* name, uint32_t value) {
    board::Uart::print(name);
    board::Uart::print(value);
    board::Uart::put('\n');
  }
  static void hex(uint8_t digit) { board::Uart::put(static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10)); }

  void take_frame(uint16_t length) {
    uint16_t type = 0, number = 0;
    for (uint16_t at = 0; at < length; at = static_cast<uint16_t>(at + sizeof buffer_)) {
      const uint16_t left = static_cast<uint16_t>(length - at);
      device_.rx_read(at, buffer_, left < sizeof buffer_ ? left : static_cast<uint16_t>(sizeof buffer_));
      if (at != 0) continue;
      type = word(&buffer_[12]);
      number = word(&buffer_[14]);
    }
    if (type == 0x88B5) count(number, length);
    if (type == 0x88B6) send(number);
    if (type == 0x88B7) done_ = true;
  }

  void count(uint16_t number, uint16_t length) {
    ++frames_;
    octets_ += length;
    if (length == short_frame) {
      uint8_t expected = static_cast<uint8_t>(7 * number);
      bool good = true;
      for (uint8_t i = 16; i < short_frame; ++i) good = good && buffer_[i] == expected++;
      if (!good) ++damaged_;
    }
    if (number >= numbers) return;
    const uint8_t bit = static_cast<uint8_t>(1 << (number & 7));
    if (seen_[number >> 3] & bit) ++repeated_;
    seen_[number >> 3] |= bit;
  }

  void send(uint16_t frames) {
    for (uint8_t i = 0; i < 12; ++i) buffer_[i] = i < 6 ? 0xFF : i;
    for (; frames != 0; --frames) {
      device_.tx_open(0);
      for (uint16_t left = long_frame; left != 0;) {
        const uint16_t n = left < sizeof buffer_ ? left : static_cast<uint16_t>(sizeof buffer_);
        device_.tx_write(buffer_, n);
        left = static_cast<uint16_t>(left - n);
      }
      device_.tx_send(long_frame);
    }
  }

  tcpip::Enc28j60<board::Spi> device_;
  uint32_t frames_ = 0;
  uint32_t octets_ = 0;
  uint16_t damaged_ = 0;
  uint16_t repeated_ = 0;
  bool done_ = false;
  uint8_t seen_[numbers / 8] = {};
  uint8_t buffer_[512];
};

}  // namespace image

#endif
