#pragma once
// A checked view of one Ethernet frame with IPv4 in it: lengths are checked once, then fields are read freely.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nic-model/core/frame.hpp"

namespace avrlan::net {

inline constexpr std::uint16_t ethertype_ipv4 = 0x0800;
inline constexpr std::uint16_t ethertype_arp = 0x0806;
inline constexpr std::size_t ethernet_header = 14;

inline constexpr std::uint8_t protocol_icmp = 1;
inline constexpr std::uint8_t protocol_tcp = 6;
inline constexpr std::uint8_t protocol_udp = 17;

namespace tcp_flag {
inline constexpr std::uint8_t fin = 0x01;
inline constexpr std::uint8_t syn = 0x02;
inline constexpr std::uint8_t rst = 0x04;
inline constexpr std::uint8_t ack = 0x10;
inline constexpr std::uint8_t urg = 0x20;
}  // namespace tcp_flag

inline std::uint16_t read16(std::span<const std::uint8_t> octets, std::size_t at) {
  return static_cast<std::uint16_t>(octets[at] << 8 | octets[at + 1]);
}
inline std::uint32_t read32(std::span<const std::uint8_t> octets, std::size_t at) {
  return static_cast<std::uint32_t>(read16(octets, at)) << 16 | read16(octets, at + 2);
}
inline void write16(std::span<std::uint8_t> octets, std::size_t at, std::uint16_t value) {
  octets[at] = static_cast<std::uint8_t>(value >> 8);
  octets[at + 1] = static_cast<std::uint8_t>(value);
}
inline void write32(std::span<std::uint8_t> octets, std::size_t at, std::uint32_t value) {
  write16(octets, at, static_cast<std::uint16_t>(value >> 16));
  write16(octets, at + 2, static_cast<std::uint16_t>(value));
}

// RFC 1071, over `octets` and a sum to start with; the value to be stored, or 0 over data that includes a right one.
std::uint16_t internet_checksum(std::span<const std::uint8_t> octets, std::uint32_t start = 0);
// What TCP's and UDP's pseudo-header adds (RFC 9293 3.1, RFC 768), not folded.
std::uint32_t pseudo_header_sum(std::uint32_t source, std::uint32_t destination, std::uint8_t protocol,
                                std::size_t length);

// IPv4 in host byte order; the transport's fields are there when it is TCP, UDP or ICMP and no later fragment.
struct Packet {
  std::span<const std::uint8_t> header;   // IPv4 header with options
  std::span<const std::uint8_t> payload;  // up to the total length, without padding
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint8_t protocol = 0;
  bool fragment = false;  // offset not 0, or more to come

  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t tcp_flags = 0;
  std::uint32_t tcp_sequence = 0;
  std::uint32_t tcp_acknowledgment = 0;
  std::uint16_t tcp_window = 0;
  std::span<const std::uint8_t> data;  // behind the TCP, UDP or ICMP header

  bool is_tcp(std::uint8_t set, std::uint8_t clear) const {
    return protocol == protocol_tcp && (tcp_flags & set) == set && (tcp_flags & clear) == 0;
  }

  // `octets` from the IPv4 header on. nullopt: version, IHL, total length, header checksum, UDP length, TCP data offset
  // or ICMP length that contradict each other or the frame, or a wrong TCP, UDP or ICMP checksum.
  static std::optional<Packet> parse(std::span<const std::uint8_t> octets);
  // The start of a packet as an ICMP error quotes it (RFC 792): header and at least 8 octets, lengths not checked against
  // the quotation, no checksums.
  static std::optional<Packet> parse_quoted(std::span<const std::uint8_t> octets);
};

// A frame with Ethernet, IPv4 (no options, TTL 64) and `payload` as transport segment.
std::vector<std::uint8_t> make_ipv4_frame(const MacAddress& destination_mac, const MacAddress& source_mac,
                                          std::uint32_t source, std::uint32_t destination, std::uint8_t protocol,
                                          std::span<const std::uint8_t> payload);

}  // namespace avrlan::net
