#ifndef TCPIP_WIRE_NTP_HPP
#define TCPIP_WIRE_NTP_HPP
// The NTP message (RFC 4330 section 4).
#include "stack/base/byte_order.hpp"

namespace tcpip {

// Since 1900-01-01, or since 2036-02-07 06:28:16 when bit 31 of the seconds is 0 (RFC 4330 3).
struct NtpTimestamp {
  Be32 seconds;
  Be32 fraction;
};

struct NtpMessage {
  uint8_t li_vn_mode;  // leap indicator, version, mode
  uint8_t stratum;
  uint8_t poll;
  uint8_t precision;
  Be32 root_delay;
  Be32 root_dispersion;
  Be32 reference;  // of stratum 0: a code of four letters (RFC 4330 8)
  NtpTimestamp updated;
  NtpTimestamp origin;
  NtpTimestamp receive;
  NtpTimestamp transmit;
};

static_assert(sizeof(NtpMessage) == 48, "no padding");

constexpr uint16_t ntp_port = 123;
constexpr uint8_t ntp_leap = 0xc0;
constexpr uint8_t ntp_unsynchronized = 0xc0;
constexpr uint8_t ntp_mode = 0x07;
constexpr uint8_t ntp_server_mode = 4;
constexpr uint8_t ntp_client_request = 4 << 3 | 3;  // version 4, client mode
constexpr uint8_t ntp_last_stratum = 15;
constexpr uint32_t ntp_deny = 0x44454e59;
constexpr uint32_t ntp_restrict = 0x52535452;     // "RSTR"
constexpr uint32_t ntp_until_1970 = 2208988800u;  // s

}  // namespace tcpip

#endif
