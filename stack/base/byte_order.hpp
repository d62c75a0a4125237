#ifndef TCPIP_BASE_BYTE_ORDER_HPP
#define TCPIP_BASE_BYTE_ORDER_HPP
// Fields of headers: octets in network order, at any alignment, that read and assign as numbers.
#include <stdint.h>
#include <string.h>

namespace tcpip {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the conversions below swap");

constexpr uint16_t swap16(uint16_t value) {
  return __builtin_bswap16(value);
}

struct Be16 {
  uint8_t octet[2];

  // The octets as they are in memory: for comparing and copying fields without swapping.
  uint16_t raw() const {
    uint16_t value;
    memcpy(&value, octet, 2);
    return value;
  }
  operator uint16_t() const { return swap16(raw()); }
  Be16& operator=(uint16_t value) {
    value = swap16(value);
    memcpy(octet, &value, 2);
    return *this;
  }
};

struct Be32 {
  uint8_t octet[4];

  operator uint32_t() const {
    uint32_t value;
    memcpy(&value, octet, 4);
    return __builtin_bswap32(value);
  }
  Be32& operator=(uint32_t value) {
    value = __builtin_bswap32(value);
    memcpy(octet, &value, 4);
    return *this;
  }
};

}  // namespace tcpip

#endif
