#ifndef TCPIP_BASE_ADDRESS_HPP
#define TCPIP_BASE_ADDRESS_HPP
// Ethernet and IPv4 addresses as they stand on the wire.
#include <stdint.h>
#include <string.h>

namespace tcpip {

struct MacAddress {
  uint8_t octet[6];

  bool is_group() const { return octet[0] & 1; }
};

inline bool operator==(const MacAddress& a, const MacAddress& b) {
  return memcmp(a.octet, b.octet, 6) == 0;
}
inline bool operator!=(const MacAddress& a, const MacAddress& b) {
  return !(a == b);
}

// Four octets in network order. raw() is those octets in memory order: good for equality and for bitwise operations
// between addresses, meaningless as a number.
struct Ipv4Address {
  uint8_t octet[4];

  uint32_t raw() const {
    uint32_t value;
    memcpy(&value, octet, 4);
    return value;
  }
  static Ipv4Address from_raw(uint32_t raw) {
    Ipv4Address address;
    memcpy(address.octet, &raw, 4);
    return address;
  }
  bool is_zero() const { return raw() == 0; }
  // Class D and E, and limited broadcast: never one host (RFC 1122 3.2.1.3).
  bool is_multicast_or_above() const { return octet[0] >= 224; }
};

inline bool operator==(const Ipv4Address& a, const Ipv4Address& b) {
  return a.raw() == b.raw();
}
inline bool operator!=(const Ipv4Address& a, const Ipv4Address& b) {
  return a.raw() != b.raw();
}

}  // namespace tcpip

#endif
