#include "emulator/net/packet.hpp"

#include <algorithm>

namespace avrlan::net {
namespace {

constexpr std::size_t shortest_ipv4_header = 20;
constexpr std::size_t shortest_tcp_header = 20;
constexpr std::size_t udp_header = 8;
constexpr std::size_t icmp_header = 8;

std::uint32_t sum16(std::span<const std::uint8_t> octets) {
  std::uint32_t sum = 0;
  std::size_t i = 0;
  for (; i + 1 < octets.size(); i += 2) sum += read16(octets, i);
  if (i < octets.size()) sum += static_cast<std::uint32_t>(octets[i]) << 8;
  return sum;
}

std::optional<Packet> parse_header(std::span<const std::uint8_t> octets) {
  if (octets.size() < shortest_ipv4_header || octets[0] >> 4 != 4) return std::nullopt;
  const std::size_t header_length = static_cast<std::size_t>(octets[0] & 0x0f) * 4;
  if (header_length < shortest_ipv4_header || header_length > octets.size()) return std::nullopt;
  Packet packet;
  packet.header = octets.first(header_length);
  packet.source = read32(octets, 12);
  packet.destination = read32(octets, 16);
  packet.protocol = octets[9];
  packet.fragment = (read16(octets, 6) & 0x3fff) != 0;
  return packet;
}

bool parse_tcp(Packet& packet) {
  const auto segment = packet.payload;
  if (segment.size() < shortest_tcp_header) return false;
  const std::size_t offset = static_cast<std::size_t>(segment[12] >> 4) * 4;
  if (offset < shortest_tcp_header || offset > segment.size()) return false;
  packet.source_port = read16(segment, 0);
  packet.destination_port = read16(segment, 2);
  packet.tcp_sequence = read32(segment, 4);
  packet.tcp_acknowledgment = read32(segment, 8);
  packet.tcp_flags = segment[13];
  packet.tcp_window = read16(segment, 14);
  packet.data = segment.subspan(offset);
  return true;
}

bool parse_udp(Packet& packet) {
  const auto datagram = packet.payload;
  if (datagram.size() < udp_header) return false;
  const std::size_t length = read16(datagram, 4);
  if (length < udp_header || length > datagram.size()) return false;
  packet.source_port = read16(datagram, 0);
  packet.destination_port = read16(datagram, 2);
  packet.data = datagram.subspan(udp_header, length - udp_header);
  return true;
}

bool checksum_ok(const Packet& packet) {
  switch (packet.protocol) {
    case protocol_tcp:
      return internet_checksum(packet.payload, pseudo_header_sum(packet.source, packet.destination, protocol_tcp,
                                                                 packet.payload.size())) == 0;
    case protocol_udp: {
      if (read16(packet.payload, 6) == 0) return true;  // RFC 768: none was made
      const auto datagram = packet.payload.first(udp_header + packet.data.size());
      return internet_checksum(
                 datagram, pseudo_header_sum(packet.source, packet.destination, protocol_udp, datagram.size())) == 0;
    }
    case protocol_icmp:
      return internet_checksum(packet.payload) == 0;
    default:
      return true;
  }
}

}  // namespace

std::uint16_t internet_checksum(std::span<const std::uint8_t> octets, std::uint32_t start) {
  std::uint32_t sum = start + sum16(octets);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t pseudo_header_sum(std::uint32_t source, std::uint32_t destination, std::uint8_t protocol,
                                std::size_t length) {
  return (source >> 16) + (source & 0xffff) + (destination >> 16) + (destination & 0xffff) + protocol +
         static_cast<std::uint32_t>(length);
}

std::optional<Packet> Packet::parse(std::span<const std::uint8_t> octets) {
  auto packet = parse_header(octets);
  if (!packet || internet_checksum(packet->header) != 0) return std::nullopt;
  const std::size_t total = read16(octets, 2);
  if (total < packet->header.size() || total > octets.size()) return std::nullopt;
  packet->payload = octets.subspan(packet->header.size(), total - packet->header.size());
  if (packet->fragment) return packet;
  switch (packet->protocol) {
    case protocol_tcp:
      if (!parse_tcp(*packet)) return std::nullopt;
      break;
    case protocol_udp:
      if (!parse_udp(*packet)) return std::nullopt;
      break;
    case protocol_icmp:
      if (packet->payload.size() < icmp_header) return std::nullopt;
      packet->data = packet->payload.subspan(icmp_header);
      break;
    default:
      break;
  }
  if (!checksum_ok(*packet)) return std::nullopt;
  return packet;
}

std::optional<Packet> Packet::parse_quoted(std::span<const std::uint8_t> octets) {
  auto packet = parse_header(octets);
  if (!packet || packet->fragment) return std::nullopt;
  packet->payload = octets.subspan(packet->header.size());
  if (packet->payload.size() < 8) return std::nullopt;
  if (packet->protocol == protocol_tcp || packet->protocol == protocol_udp) {
    packet->source_port = read16(packet->payload, 0);
    packet->destination_port = read16(packet->payload, 2);
  }
  return packet;
}

std::vector<std::uint8_t> make_ipv4_frame(const MacAddress& destination_mac, const MacAddress& source_mac,
                                          std::uint32_t source, std::uint32_t destination, std::uint8_t protocol,
                                          std::span<const std::uint8_t> payload) {
  std::vector<std::uint8_t> frame(ethernet_header + shortest_ipv4_header + payload.size());
  std::copy(destination_mac.begin(), destination_mac.end(), frame.begin());
  std::copy(source_mac.begin(), source_mac.end(), frame.begin() + 6);
  write16(frame, 12, ethertype_ipv4);
  const auto header = std::span(frame).subspan(ethernet_header, shortest_ipv4_header);
  header[0] = 0x45;
  write16(header, 2, static_cast<std::uint16_t>(shortest_ipv4_header + payload.size()));
  header[8] = 64;
  header[9] = protocol;
  write32(header, 12, source);
  write32(header, 16, destination);
  write16(header, 10, internet_checksum(header));
  std::copy(payload.begin(), payload.end(), frame.end() - static_cast<std::ptrdiff_t>(payload.size()));
  return frame;
}

}  // namespace avrlan::net
