#pragma once
// What a DHCP server says to the stack.
#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {

constexpr Ipv4Address server_ip = {{10, 0, 0, 254}};
constexpr MacAddress server_mac = {{0x02, 0, 0, 0, 0, 0xfe}};

// The answer to `message`: an hour of `address`, or a NAK.
inline Tins::DHCP server_reply(const Tins::DHCP& message, Tins::DHCP::Flags type, Ipv4Address address = our_ip) {
  Tins::DHCP dhcp;
  dhcp.opcode(2);
  dhcp.xid(message.xid());
  dhcp.chaddr(tins(our_mac));
  dhcp.yiaddr(tins(address));
  dhcp.type(type);
  dhcp.server_identifier(tins(server_ip));
  if (type != Tins::DHCP::NAK) {
    dhcp.lease_time(3600);
    dhcp.subnet_mask(tins(net_mask));
    dhcp.routers({tins(gateway_ip)});
  }
  return dhcp;
}

}  // namespace avrlan::test
