#include "emulator/peers/mss_clamp.hpp"

#include "emulator/net/packet.hpp"

namespace avrlan::peers {

namespace {

constexpr std::size_t tcp_header = 20, checksum_at = 16;
constexpr std::uint8_t option_end = 0, option_nop = 1, option_mss = 2;

// Where the MSS is in a TCP segment; 0: nowhere.
std::size_t find_mss(std::span<const std::uint8_t> segment) {
  const std::size_t header = static_cast<std::size_t>(segment[12] >> 4) * 4;
  for (std::size_t at = tcp_header; at + 4 <= header && segment[at] != option_end;) {
    if (segment[at] == option_nop) {
      ++at;
      continue;
    }
    if (segment[at] == option_mss && segment[at + 1] == 4) return at + 2;
    if (segment[at + 1] < 2) return 0;
    at += segment[at + 1];
  }
  return 0;
}

}  // namespace

std::vector<std::uint8_t> clamp_mss(std::span<const std::uint8_t> frame, std::uint16_t mss) {
  std::vector<std::uint8_t> octets(frame.begin(), frame.end());
  if (frame.size() < net::ethernet_header || net::read16(frame, 12) != net::ethertype_ipv4) return octets;
  const auto packet = net::Packet::parse(std::span(octets).subspan(net::ethernet_header));
  if (!packet || packet->fragment || !packet->is_tcp(net::tcp_flag::syn, 0)) return octets;
  const std::size_t mss_at = find_mss(packet->payload);
  if (mss_at == 0 || net::read16(packet->payload, mss_at) <= mss) return octets;
  const auto segment = std::span(octets).subspan(net::ethernet_header + packet->header.size(), packet->payload.size());
  net::write16(segment, mss_at, mss);
  net::write16(segment, checksum_at, 0);
  net::write16(segment, checksum_at,
               net::internet_checksum(segment, net::pseudo_header_sum(packet->source, packet->destination,
                                                                      net::protocol_tcp, segment.size())));
  return octets;
}

}  // namespace avrlan::peers
