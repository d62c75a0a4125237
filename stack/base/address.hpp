#ifndef TCPIP_BASE_ADDRESS_HPP
#define TCPIP_BASE_ADDRESS_HPP
// Ethernet and IPv4 addresses as they stand on the wire.
#include <stdint.h>
#include <string.h>

namespace tcpip {

struct MacAddress {
  uint8_t octet[6];

  bool is_group() const { return octet[0] & 1; }
  bool is_zero() const {
    for (const uint8_t o : octet)
      if (o != 0) return false;
    return true;
  }
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
  bool is_zero() const { return octet[0] == 0; }  // as all of 0.0.0.0/8, which no host has (RFC 1122 3.2.1.3)
  bool is_link_local() const { return octet[0] == 169 && octet[1] == 254; }  // RFC 3927
  bool is_multicast() const { return (octet[0] & 0xf0) == 0xe0; }
  // Class D and E, and limited broadcast: never one host (RFC 1122 3.2.1.3).
  bool is_multicast_or_above() const { return octet[0] >= 224; }
};

// Out of line, because inline it is 24 octets of AVR code at each of its places.
__attribute__((noinline)) inline bool operator==(const Ipv4Address& a, const Ipv4Address& b) {
  return memcmp(a.octet, b.octet, 4) == 0;
}
// For where addresses are both in memory; inline it is 32 octets of AVR code between fixed places.
__attribute__((noinline)) inline void copy(Ipv4Address& to, const Ipv4Address& from) {
  to = from;
}
inline bool operator!=(const Ipv4Address& a, const Ipv4Address& b) {
  return !(a == b);
}

// Of a number as people write it: 0xe00000fb is 224.0.0.251.
constexpr Ipv4Address to_address(uint32_t number) {
  return Ipv4Address{{static_cast<uint8_t>(number >> 24), static_cast<uint8_t>(number >> 16),
                      static_cast<uint8_t>(number >> 8), static_cast<uint8_t>(number)}};
}

// What an interface has for an address. 0.0.0.0: none yet.
struct Ipv4Network {
  Ipv4Address address;
  Ipv4Address mask;
  Ipv4Address gateway;  // 0.0.0.0: none

  bool is_ours(const Ipv4Address& ip) const { return !address.is_zero() && ip == address; }

  bool is_on_link(const Ipv4Address& ip) const {
    uint8_t differs = 0;
    for (uint8_t i = 0; i != 4; ++i) differs |= (ip.octet[i] ^ address.octet[i]) & mask.octet[i];
    return differs == 0;
  }

  // Of the whole net, or of ours.
  bool is_broadcast(const Ipv4Address& ip) const {
    uint8_t all = 0xff;
    uint8_t host = 0xff;
    for (uint8_t i = 0; i != 4; ++i) {
      all &= ip.octet[i];
      host &= ip.octet[i] | mask.octet[i];
    }
    return all == 0xff || (host == 0xff && mask.octet[3] != 0xff && is_on_link(ip));
  }
};

}  // namespace tcpip

#endif
