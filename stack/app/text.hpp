#ifndef TCPIP_APP_TEXT_HPP
#define TCPIP_APP_TEXT_HPP
// Any range of a text from the code that prints all of it: what lies before the range is dropped and what lies behind it
// does not fit. That is how an application makes the same octets again when a segment is lost.
#include <stdint.h>

#include "stack/base/flash.hpp"

namespace tcpip {

template <class Writer>
class Text {
 public:
  // Prints to `to` what comes after the first `offset` octets; to nothing when it is null, for length().
  Text(Writer* to, uint32_t offset) : to_(to), offset_(offset) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { flush(); }

  // Octets from here on that are not wanted. A generator that can start anywhere skips them and writes on from there.
  uint32_t offset() const { return offset_; }
  // Drops the next n octets, at most offset().
  void skip(uint32_t n) {
    offset_ -= n;
    length_ += n;
  }
  // Nothing more is wanted.
  bool full() const { return to_ && to_->room() == buffered_; }
  // Octets printed and skipped.
  uint32_t length() const { return length_; }

  void write(const void* from, uint16_t n) {
    const char* c = static_cast<const char*>(from);
    for (; n && offset_; --n) put(*c++);
    length_ += n;
    if (!to_ || !n) return;
    flush();
    to_->write(c, n);
  }

  void put(char c) {
    ++length_;
    if (offset_) {
      --offset_;
      return;
    }
    if (!to_ || full()) return;
    buffer_[buffered_] = c;
    if (++buffered_ == sizeof buffer_) flush();
  }

  Text& operator<<(FlashText text) {
    for (unsigned i = 0; text[i]; ++i) put(text[i]);
    return *this;
  }

  Text& operator<<(const char* text) {
    while (*text) put(*text++);
    return *this;
  }

  Text& operator<<(uint32_t number) { return number_of_width(number, 1); }

  // With blanks in front up to `width`, at most 10: numbers that change while a page is being sent need a width of their
  // own, because the length of the page must not change.
  Text& number_of_width(uint32_t number, uint8_t width) {
    char digits[10];
    uint8_t n = 0;
    do {
      digits[n++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number);
    for (; width > n; --width) put(' ');
    while (n) put(digits[--n]);
    return *this;
  }

 private:
  void flush() {
    if (to_ && buffered_) to_->write(buffer_, buffered_);
    buffered_ = 0;
  }

  Writer* to_;
  uint32_t offset_;
  uint32_t length_ = 0;
  uint8_t buffered_ = 0;
  char buffer_[32];
};

}  // namespace tcpip

#endif
