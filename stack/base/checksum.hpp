#ifndef TCPIP_BASE_CHECKSUM_HPP
#define TCPIP_BASE_CHECKSUM_HPP
// Ones' complement sums of 16-bit big-endian words (RFC 1071). Sums are kept folded and not inverted; a datagram whose
// checksum is right sums to 0xffff.
#include <stdint.h>

#include "stack/base/byte_order.hpp"

namespace tcpip {

inline uint16_t sum_add(uint16_t a, uint16_t b) {
  a = static_cast<uint16_t>(a + b);
  return a < b ? static_cast<uint16_t>(a + 1) : a;
}

// Adds n octets of memory; an odd last octet is padded with 0.
inline uint16_t sum_add(const void* from, uint16_t n, uint16_t sum) {
  const uint8_t* octet = static_cast<const uint8_t*>(from);
  for (; n > 1; n = static_cast<uint16_t>(n - 2), octet += 2) {
    Be16 word = {{octet[0], octet[1]}};
    sum = sum_add(sum, word);
  }
  return n ? sum_add(sum, static_cast<uint16_t>(octet[0] << 8)) : sum;
}

}  // namespace tcpip

#endif
