#ifndef TCPIP_WIRE_DHCP_HPP
#define TCPIP_WIRE_DHCP_HPP
// The fixed part of a DHCP message (RFC 2131 section 2) up to the hardware address, where its other fields are, and the
// options we use (RFC 2132).
#include "stack/base/address.hpp"
#include "stack/base/byte_order.hpp"

namespace tcpip {

struct DhcpHeader {
  uint8_t op;
  uint8_t htype;
  uint8_t hlen;
  uint8_t hops;
  Be32 xid;
  Be16 secs;
  Be16 flags;
  Ipv4Address ciaddr;
  Ipv4Address yiaddr;
  Ipv4Address siaddr;
  Ipv4Address giaddr;
  MacAddress chaddr;
};

static_assert(sizeof(DhcpHeader) == 34, "no padding");

constexpr uint8_t dhcp_boot_request = 1;
constexpr uint8_t dhcp_boot_reply = 2;
constexpr uint16_t dhcp_broadcast = 0x8000;
constexpr uint16_t dhcp_sname_at = 44;
constexpr uint16_t dhcp_file_at = 108;
constexpr uint16_t dhcp_cookie_at = 236;
constexpr uint16_t dhcp_options_at = 240;
constexpr uint16_t dhcp_minimum = 300;  // of a message (RFC 1542 2.1)
constexpr uint32_t dhcp_cookie = 0x63825363;
constexpr uint16_t dhcp_server_port = 67;
constexpr uint16_t dhcp_client_port = 68;

constexpr uint8_t dhcp_discover = 1;
constexpr uint8_t dhcp_offer = 2;
constexpr uint8_t dhcp_request = 3;
constexpr uint8_t dhcp_decline = 4;
constexpr uint8_t dhcp_ack = 5;
constexpr uint8_t dhcp_nak = 6;
constexpr uint8_t dhcp_release = 7;

constexpr uint8_t option_pad = 0;
constexpr uint8_t option_mask = 1;
constexpr uint8_t option_router = 3;
constexpr uint8_t option_dns = 6;
constexpr uint8_t option_requested = 50;
constexpr uint8_t option_lease = 51;
constexpr uint8_t option_overload = 52;
constexpr uint8_t option_type = 53;
constexpr uint8_t option_server = 54;
constexpr uint8_t option_parameters = 55;
constexpr uint8_t option_t1 = 58;
constexpr uint8_t option_t2 = 59;
constexpr uint8_t option_end = 255;

}  // namespace tcpip

#endif
