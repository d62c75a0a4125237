#ifndef TCPIP_BASE_STREAM_HPP
#define TCPIP_BASE_STREAM_HPP
// How an application reads what was received and writes what is to be sent: straight from and to the chip's memory.
#include <stdint.h>

#include "stack/base/checksum.hpp"

namespace tcpip {

// The data of one received segment or datagram. Good until the application returns.
template <class Device>
class Reader {
 public:
  Reader(Device& device, uint16_t offset, uint16_t length, uint16_t urgent_octets = 0)
      : urgent(urgent_octets), device_(device), offset_(offset), left_(length) {}

  // From the first octet on, so many are urgent (RFC 9293 3.8.5), perhaps more than have come yet. They are in order
  // with the rest.
  const uint16_t urgent;

  // Octets not read yet.
  uint16_t left() const { return left_; }

  // Reads at most n octets; returns how many.
  uint16_t read(void* to, uint16_t n) {
    if (n > left_) n = left_;
    device_.rx_read(offset_, to, n);
    skip(n);
    return n;
  }

  // Counts n octets, at most left(), as read.
  void skip(uint16_t n) {
    offset_ = static_cast<uint16_t>(offset_ + n);
    left_ = static_cast<uint16_t>(left_ - n);
  }

  // Where the next octet is in the received frame.
  uint16_t offset() const { return offset_; }

 private:
  Device& device_;
  uint16_t offset_;
  uint16_t left_;
};

// Takes the data of one segment or datagram and sums it on the way.
template <class Device>
class Writer {
 public:
  Writer(Device& device, uint16_t room) : device_(device), room_(room) {}

  // Octets that can still be written. What is written beyond is cut off.
  uint16_t room() const { return room_; }
  uint16_t written() const { return written_; }

  void write(const void* from, uint16_t n) {
    n = take(n);
    sum_ = device_.tx_write_sum(from, n, sum_);
    turn(n);
  }

  // Copies n octets from a received frame into this one, inside the chip where it can. They count as read.
  void copy(Reader<Device>& from, uint16_t n) {
    n = take(n < from.left() ? n : from.left());
    sum_ = sum_add(sum_, device_.rx_sum(from.offset(), n));
    if (!device_.tx_copy_rx(from.offset(), n)) failed_ = true;
    from.skip(n);
    turn(n);
  }

  // Of all that was written.
  uint16_t sum() const { return (written_ & 1) ? swap16(sum_) : sum_; }
  bool failed() const { return failed_; }

 private:
  uint16_t take(uint16_t n) {
    if (n > room_) n = room_;
    room_ = static_cast<uint16_t>(room_ - n);
    return n;
  }

  // After an odd number of octets the sum is kept swapped, so that the next octet counts as a low one (RFC 1071 2(B)).
  void turn(uint16_t n) {
    written_ = static_cast<uint16_t>(written_ + n);
    if (n & 1) sum_ = swap16(sum_);
  }

  Device& device_;
  uint16_t room_;
  uint16_t written_ = 0;
  uint16_t sum_ = 0;
  bool failed_ = false;
};

}  // namespace tcpip

#endif
