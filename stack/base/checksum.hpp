#ifndef TCPIP_BASE_CHECKSUM_HPP
#define TCPIP_BASE_CHECKSUM_HPP
// Ones' complement sums of 16-bit big-endian words (RFC 1071). Sums are kept folded and not inverted; a datagram whose
// checksum is right sums to 0xffff.
#include <stdint.h>

#include "stack/base/byte_order.hpp"

namespace tcpip {

// Out of line, because it is called from everywhere.
__attribute__((noinline)) inline uint16_t sum_add(uint16_t a, uint16_t b) {
  a = static_cast<uint16_t>(a + b);
  return a < b ? static_cast<uint16_t>(a + 1) : a;
}

// Adds n octets of memory; n is even. On AVR 3.2 cycles an octet in unrolled assembly: the carry of each word goes into the
// next one, since LD, DEC, TST and the branches leave it alone.
__attribute__((noinline)) inline uint16_t sum_add(const void* from, uint8_t n, uint16_t sum) {
#ifdef __AVR__
#define TCPIP_SUM_WORD            \
  "ld __tmp_reg__, %a[from]+\n\t" \
  "ld %[octet], %a[from]+\n\t"    \
  "adc %A[sum], %[octet]\n\t"     \
  "adc %B[sum], __tmp_reg__\n\t"
  uint8_t octet;
  uint8_t sixteens = static_cast<uint8_t>(n >> 4);
  uint8_t words = static_cast<uint8_t>(n >> 1 & 7);
  __asm__(
      "clc\n\t"
      "tst %[sixteens]\n\t"
      "breq 2f\n"
      "1:" TCPIP_SUM_WORD TCPIP_SUM_WORD TCPIP_SUM_WORD TCPIP_SUM_WORD TCPIP_SUM_WORD TCPIP_SUM_WORD TCPIP_SUM_WORD
          TCPIP_SUM_WORD
      "dec %[sixteens]\n\t"
      "brne 1b\n"
      "2: tst %[words]\n\t"
      "breq 4f\n"
      "3:" TCPIP_SUM_WORD
      "dec %[words]\n\t"
      "brne 3b\n"
      "4: adc %A[sum], __zero_reg__\n\t"
      "adc %B[sum], __zero_reg__\n\t"
      "adc %A[sum], __zero_reg__\n\t"
      : [from] "+e"(from), [sixteens] "+r"(sixteens), [words] "+r"(words), [sum] "+r"(sum), [octet] "=&r"(octet)
      :
      : "memory");
#undef TCPIP_SUM_WORD
#else
  const uint8_t* octet = static_cast<const uint8_t*>(from);
  for (; n; n = static_cast<uint8_t>(n - 2), octet += 2) {
    const Be16 word = {{octet[0], octet[1]}};
    sum = sum_add(sum, word);
  }
#endif
  return sum;
}

}  // namespace tcpip

#endif
