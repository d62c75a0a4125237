#ifndef TCPIP_BASE_BYTE_ORDER_HPP
#define TCPIP_BASE_BYTE_ORDER_HPP
// Fields of headers: octets in network order, at any alignment, that read and assign as numbers.
#include <stdint.h>
#include <string.h>

namespace tcpip {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the conversions below turn octets round");

constexpr uint16_t swap16(uint16_t value) {
  return __builtin_bswap16(value);
}

// What is written here octet by octet costs avr-g++ nothing; of __builtin_bswap16 it makes exclusive ors.
struct Be16 {
  uint8_t octet[2];

  // The octets as they are in memory: for comparing and copying fields without turning them round.
  uint16_t raw() const {
    uint16_t value;
    memcpy(&value, octet, 2);
    return value;
  }
  operator uint16_t() const {
    const uint8_t turned[2] = {octet[1], octet[0]};
    uint16_t value;
    memcpy(&value, turned, 2);
    return value;
  }
  Be16& operator=(uint16_t value) {
    octet[0] = static_cast<uint8_t>(value >> 8);
    octet[1] = static_cast<uint8_t>(value);
    return *this;
  }
};

struct Be32 {
  uint8_t octet[4];

  __attribute__((noinline)) operator uint32_t() const {
    uint32_t value;
    memcpy(&value, octet, 4);
    return __builtin_bswap32(value);
  }
  __attribute__((noinline)) Be32& operator=(uint32_t value) {
    octet[0] = static_cast<uint8_t>(value >> 24);
    octet[1] = static_cast<uint8_t>(value >> 16);
    octet[2] = static_cast<uint8_t>(value >> 8);
    octet[3] = static_cast<uint8_t>(value);
    return *this;
  }
};

}  // namespace tcpip

#endif
