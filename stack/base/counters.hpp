#ifndef TCPIP_BASE_COUNTERS_HPP
#define TCPIP_BASE_COUNTERS_HPP
// What happened to frames. Config::counters turns them on; off, they cost nothing. They wrap.
#include <stdint.h>

namespace tcpip {

enum class Drop : uint8_t {
  ethernet,    // too short, from a group address, not for us, or of a type we do not speak
  arp,         // malformed, or from our own address
  ip_header,   // version, header length, total length or checksum
  ip_address,  // not for us, or from an address that no host has
  fragment,
  protocol,
  icmp,         // malformed, or nothing we answer
  udp,          // malformed or wrong checksum
  udp_port,     // nobody listens
  tcp,          // malformed or wrong checksum
  tcp_refused,  // no such connection: answered by a reset
  tcp_full,     // no connection left for a SYN
  unresolved,   // not sent: the MAC address of the next hop is being asked for
  transmitter,  // not sent: the chip's transmitter was stuck
  count
};

template <bool enabled>
class Counters {
 public:
  uint16_t received = 0;
  uint16_t sent = 0;

  uint16_t dropped(Drop reason) const { return dropped_[static_cast<uint8_t>(reason)]; }

  void count_received() { ++received; }
  void count_sent() { ++sent; }
  // Out of line, because it is called from everywhere.
  __attribute__((noinline)) void count(Drop reason) { ++dropped_[static_cast<uint8_t>(reason)]; }

 private:
  uint16_t dropped_[static_cast<uint8_t>(Drop::count)] = {};
};

template <>
class Counters<false> {
 public:
  void count_received() {}
  void count_sent() {}
  void count(Drop) {}
};

}  // namespace tcpip

#endif
