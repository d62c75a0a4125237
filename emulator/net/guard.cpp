#include "emulator/net/guard.hpp"

#include <algorithm>
#include <array>

#include "emulator/net/user_network.hpp"

namespace avrlan::net {
namespace {

constexpr std::size_t arp_packet = 28;
constexpr std::uint32_t limited_broadcast = 0xffffffff;

MacAddress mac_at(std::span<const std::uint8_t> octets, std::size_t at) {
  MacAddress mac;
  std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(at), mac.size(), mac.begin());
  return mac;
}

// slirp itself looks at no hardware address.
bool for_gateway(const MacAddress& destination) {
  return (destination[0] & 1) != 0 || destination == user_network::hardware_address(user_network::gateway) ||
         destination == user_network::hardware_address(user_network::name_server);
}

// RFC 826 for Ethernet and IPv4.
bool arp_is_sound(std::span<const std::uint8_t> arp) {
  return arp.size() >= arp_packet && read16(arp, 0) == 1 && read16(arp, 2) == ethertype_ipv4 && arp[4] == 6 &&
         arp[5] == 4;
}

bool reaches_loopback(std::uint32_t destination) {
  const std::uint32_t first = destination >> 24;
  return first == 127 || first == 0;  // Linux takes 0.0.0.0 for itself
}

// The gateway routes neither its own network nor groups; slirp would send both out through the host.
bool has_no_route(std::uint32_t destination) {
  const bool on_link = (destination & user_network::netmask) == user_network::network;
  const bool group = destination >= 0xe0000000 && destination != limited_broadcast;
  return group || (on_link && destination != user_network::gateway && destination != user_network::name_server);
}

// RFC 9293 3.5.2, reset generation, group 1: no connection, and the segment has no ACK.
std::vector<std::uint8_t> make_reset(const Packet& syn) {
  std::vector<std::uint8_t> segment(20);
  write16(segment, 0, syn.destination_port);
  write16(segment, 2, syn.source_port);
  const std::uint32_t length =
      static_cast<std::uint32_t>(syn.data.size()) + 1U + (syn.is_tcp(tcp_flag::fin, 0) ? 1U : 0U);
  write32(segment, 8, syn.tcp_sequence + length);
  segment[12] = 5 << 4;
  segment[13] = tcp_flag::rst | tcp_flag::ack;
  write16(segment, 16,
          internet_checksum(segment, pseudo_header_sum(syn.destination, syn.source, protocol_tcp, segment.size())));
  return segment;
}

// RFC 792: destination unreachable, port unreachable, with the header and 8 octets.
std::vector<std::uint8_t> make_port_unreachable(const Packet& datagram) {
  std::vector<std::uint8_t> message(8);
  message[0] = 3;
  message[1] = 3;
  message.insert(message.end(), datagram.header.begin(), datagram.header.end());
  message.insert(message.end(), datagram.payload.begin(), datagram.payload.begin() + 8);
  write16(message, 2, internet_checksum(message));
  return message;
}

std::vector<std::uint8_t> answer_to(const Packet& refused, const MacAddress& board) {
  // No answer to what went to a group (RFC 1122 3.2.2), nor to a reset.
  if (refused.destination != user_network::gateway || refused.is_tcp(tcp_flag::rst, 0)) return {};
  std::vector<std::uint8_t> payload;
  if (refused.protocol == protocol_tcp) payload = make_reset(refused);
  if (refused.protocol == protocol_udp) payload = make_port_unreachable(refused);
  return make_ipv4_frame(board, user_network::hardware_address(user_network::gateway), refused.destination,
                         refused.source, refused.protocol == protocol_udp ? protocol_icmp : refused.protocol, payload);
}

// Writes a word of a segment; the checksum follows (RFC 1624, equation 3).
void replace(std::span<std::uint8_t> segment, std::size_t at, std::uint16_t value) {
  const std::uint32_t sum = static_cast<std::uint16_t>(~read16(segment, 16)) +
                            static_cast<std::uint32_t>(static_cast<std::uint16_t>(~read16(segment, at))) + value;
  write16(segment, at, value);
  write16(segment, 16, internet_checksum({}, sum));
}

void clear_urgent(std::span<std::uint8_t> segment) {
  replace(segment, 12, static_cast<std::uint16_t>(read16(segment, 12) & ~tcp_flag::urg));
  replace(segment, 18, 0);
}

// Nothing but "no operation" (RFC 9293 3.1).
void clear_options(std::span<std::uint8_t> segment) {
  const std::size_t header = segment[12] >> 4U << 2U;
  for (std::size_t at = 20; at < header; at += 2) replace(segment, at, 0x0101);
}

}  // namespace

std::optional<DropReason> Guard::refusal(const Packet& packet, Flows& flows, Instant now) const {
  if (packet.fragment) return DropReason::fragment_refused;
  if (packet.protocol != protocol_tcp && packet.protocol != protocol_udp && packet.protocol != protocol_icmp) {
    return DropReason::no_destination;
  }
  const bool dhcp = packet.protocol == protocol_udp && packet.destination_port == user_network::dhcp_server_port &&
                    (packet.destination == limited_broadcast || packet.destination == user_network::gateway);
  if (dhcp) return std::nullopt;
  if (reaches_loopback(packet.destination)) return DropReason::loopback_refused;
  if (has_no_route(packet.destination)) return DropReason::no_destination;

  if (!host_access_ && packet.destination == limited_broadcast) return DropReason::host_access_refused;
  if (!host_access_ && packet.destination == user_network::gateway) {
    const bool tftp = packet.protocol == protocol_udp && packet.destination_port == user_network::tftp_port;
    if (packet.protocol == protocol_udp && !tftp && !flows.answers_host(packet)) {
      return DropReason::host_access_refused;
    }
    // Without a SYN slirp opens no connection: it answers with RST what belongs to none.
    if (packet.is_tcp(tcp_flag::syn, tcp_flag::ack)) return DropReason::host_access_refused;
  }
  if (!flows.has_room_for(packet, now) || !flows.is_safe_for_slirp(packet)) return DropReason::backend_full;
  return std::nullopt;
}

GuardVerdict Guard::examine(const EthernetFrame& frame, Flows& flows, Instant now) const {
  const std::span<const std::uint8_t> octets(frame.octets);
  if (!frame.fcs_ok()) return {DropReason::bad_fcs, {}, {}};
  if (octets.size() < ethernet_header) return {DropReason::malformed, {}, {}};
  if (octets.size() > max_frame_octets) return {DropReason::giant, {}, {}};
  if (!for_gateway(mac_at(octets, 0))) return {DropReason::no_destination, {}, {}};

  const auto body = octets.subspan(ethernet_header);
  const std::uint16_t type = read16(octets, 12);
  if (type == ethertype_arp) {
    if (!arp_is_sound(body)) return {DropReason::malformed, {}, {}};
    return {std::nullopt, frame.octets, {}};
  }
  // IPv6 and whatever else: there is nobody at this end of the cable who speaks it.
  if (type != ethertype_ipv4) return {DropReason::no_destination, {}, {}};

  const auto packet = Packet::parse(body);
  if (!packet) return {DropReason::malformed, {}, {}};
  if (const auto reason = refusal(*packet, flows, now)) {
    if (*reason != DropReason::host_access_refused) return {reason, {}, {}};
    return {reason, {}, answer_to(*packet, mac_at(octets, 6))};
  }
  const bool repeats_syn = flows.repeats_syn(*packet);
  flows.from_board(*packet, now);

  GuardVerdict verdict;
  const std::size_t length = ethernet_header + packet->header.size() + packet->payload.size();
  verdict.pass.assign(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(length));
  if (packet->protocol == protocol_tcp) {
    const auto segment = std::span(verdict.pass).subspan(ethernet_header + packet->header.size());
    clear_urgent(segment);
    if (repeats_syn) clear_options(segment);
  }
  return verdict;
}

}  // namespace avrlan::net
