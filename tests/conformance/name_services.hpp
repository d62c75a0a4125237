#pragma once
// What DHCP and DNS servers see and say, field by field so that any can be wrong.

#include <map>
#include <optional>

#include "tests/conformance/wire.hpp"

namespace avrlan::test {

constexpr std::uint8_t dhcp_discover = 1, dhcp_offer = 2, dhcp_request = 3, dhcp_decline = 4, dhcp_ack = 5,
                       dhcp_nak = 6;

// A message of the stack's client.
struct DhcpRequest {
  Instant at;
  std::uint8_t type = 0;
  std::uint32_t xid = 0;
  std::uint32_t client = 0;     // ciaddr
  std::uint32_t requested = 0;  // option 50
  std::uint32_t server = 0;     // option 54
  std::uint32_t to = 0;         // IP destination
};
// The next one within d; other frames are left out.
std::optional<DhcpRequest> next_dhcp(Link& link, Duration within);

// A message of a server to it. Options are code, length, value in a row.
struct DhcpReply {
  std::uint8_t type = dhcp_offer;
  std::uint32_t xid = 0;
  std::uint8_t op = 2;
  std::uint32_t address = our_ip;  // yiaddr
  MacAddress hardware = our_mac;
  std::uint32_t cookie = 0x63825363;
  std::uint32_t server = gateway_ip;
  std::uint32_t lease = 86'400;
  std::uint32_t mask = 0xffffff00;
  std::uint32_t router = gateway_ip;
  std::optional<Octets> options{};  // instead of all of them
  Octets more{};                    // behind them
  Octets server_name{}, file{};     // as the header has them

  // To `destination`, broadcast by Ethernet.
  Octets frame(std::uint32_t destination = broadcast_ip) const;
};

// From DISCOVER to BOUND. Throws when the client does not play along.
DhcpRequest get_lease(Link& link, std::uint32_t lease = 86'400, std::uint32_t address = our_ip);
// The stack answers an echo at that address.
bool has_address(Link& link, std::uint32_t address = our_ip);

// A question of the stack's DNS client.
struct DnsQuery {
  std::uint16_t id = 0;
  std::uint16_t port = 0;    // of the stack
  std::uint32_t server = 0;  // that it asks
  Octets question;           // name, type and class
};
std::optional<DnsQuery> next_dns(Link& link, Duration within);
// A message with these records, complete but for what is wrong on purpose.
struct DnsReply {
  DnsQuery query;
  std::optional<std::uint16_t> id{};
  std::uint16_t flags = 0x8180;
  std::uint16_t answers = 1;
  std::optional<Octets> question{};
  Octets records{};
  std::uint16_t from_port = 53;
  std::optional<std::uint32_t> from{};
  std::optional<std::uint16_t> to_port{};

  Octets frame() const;
};
// A record: name, type, class IN, TTL, data.
Octets dns_record(const Octets& name, std::uint16_t type, const Octets& data, std::optional<std::uint16_t> length = {});
// "host.example" as labels.
Octets dns_name(std::string_view dotted);

}  // namespace avrlan::test
