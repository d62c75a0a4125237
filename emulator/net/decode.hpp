#pragma once
// What is in a frame, for people: fields with the names that Wireshark's display filters have. Takes any octets; what they
// do not hold is a field `_ws.malformed` that says so.
// Not decoded: VLAN tags, IPv6, fragments behind the first, IP options, DHCP options that are overloaded into `sname` and
// `file`, resource records other than A, CNAME, PTR, NS, AAAA, TXT and SRV.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace avrlan::net {

struct Field {
  std::string name;   // "tcp.window_size_value"
  std::string value;  // printable
  friend bool operator==(const Field&, const Field&) = default;
};

// Ethernet, ARP, IPv4, ICMP, UDP, TCP, DHCP, DNS, NTP. Payload is one field for every 8 octets.
std::vector<Field> decode(std::span<const std::uint8_t> octets);

// One line without its end: "TCP 10.0.2.15:80 > 10.0.2.2:49152 [SYN, ACK] seq 7 ack 8 win 1072 len 0".
std::string summary(std::span<const std::uint8_t> octets);

// Two frames in columns below the headings, lines with a difference marked by *; payload only where it differs.
std::string side_by_side(std::span<const std::uint8_t> left, std::span<const std::uint8_t> right,
                         const std::string& left_heading, const std::string& right_heading);

}  // namespace avrlan::net
