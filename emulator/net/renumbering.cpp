#include "emulator/net/renumbering.hpp"

#include <algorithm>
#include <span>

#include "emulator/net/packet.hpp"

namespace avrlan::net {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::uint16_t dns_port = 53, dhcp_server_port = 67, ntp_port = 123;
constexpr std::uint16_t first_ephemeral_port = 0xc000;                    // RFC 6335 6
constexpr std::size_t ntp_origin = 24, ntp_transmit = 40, ntp_size = 48;  // RFC 5905 7.3

// A whole IPv4 packet with TCP or UDP and right checksums. Places are counted from the start of the frame.
struct Segment {
  std::uint8_t protocol;
  std::uint32_t source, destination;
  std::uint16_t source_port, destination_port;
  std::uint8_t tcp_flags;
  std::size_t at;    // of the transport's header
  std::size_t data;  // of what is behind it
  std::size_t end;   // of the packet; padding may follow
};

std::optional<Segment> parse(const Octets& octets) {
  if (octets.size() < ethernet_header || read16(octets, 12) != ethertype_ipv4) return std::nullopt;
  const auto packet = Packet::parse(std::span(octets).subspan(ethernet_header));
  if (!packet || packet->fragment || (packet->protocol != protocol_tcp && packet->protocol != protocol_udp))
    return std::nullopt;
  const std::size_t at = ethernet_header + packet->header.size();
  const std::size_t end = at + packet->payload.size();
  return Segment{packet->protocol,
                 packet->source,
                 packet->destination,
                 packet->source_port,
                 packet->destination_port,
                 packet->tcp_flags,
                 at,
                 end - packet->data.size(),
                 end};
}

void mend_checksums(Octets& octets, const Segment& segment) {
  const auto ip = std::span(octets).subspan(ethernet_header, segment.at - ethernet_header);
  write16(ip, 10, 0);
  write16(ip, 10, internet_checksum(ip));
  const auto transport = std::span(octets).subspan(segment.at, segment.end - segment.at);
  const bool udp = segment.protocol == protocol_udp;
  const std::size_t field = udp ? 6 : 16;
  if (udp && read16(transport, field) == 0) return;  // RFC 768: none
  write16(transport, field, 0);
  const std::uint16_t sum = internet_checksum(
      transport, pseudo_header_sum(segment.source, segment.destination, segment.protocol, transport.size()));
  write16(transport, field, udp && sum == 0 ? 0xffff : sum);
}

std::uint64_t read64(const Octets& octets, std::size_t at) {
  return std::uint64_t{read32(octets, at)} << 32 | read32(octets, at + 4);
}
void write64(Octets& octets, std::size_t at, std::uint64_t value) {
  write32(octets, at, static_cast<std::uint32_t>(value >> 32));
  write32(octets, at + 4, static_cast<std::uint32_t>(value));
}

template <class Number>
Number now(const std::map<Number, Number>& numbers, Number recorded) {
  const auto known = numbers.find(recorded);
  return known == numbers.end() ? recorded : known->second;
}

// RFC 2018 3: the blocks' edges are numbers of who gets them.
void shift_sack(Octets& octets, const Segment& segment, std::uint32_t offset) {
  std::size_t at = segment.at + 20;
  while (at < segment.data && octets[at] != 0) {
    if (octets[at] == 1) {
      ++at;
      continue;
    }
    const std::size_t length = at + 1 < segment.data ? octets[at + 1] : 0;
    if (length < 2 || at + length > segment.data) return;
    constexpr std::uint8_t sack = 5;
    for (std::size_t edge = at + 2; octets[at] == sack && edge + 4 <= at + length; edge += 4)
      write32(octets, edge, read32(octets, edge) + offset);
    at += length;
  }
}

}  // namespace

EthernetFrame Renumbering::expected(const EthernetFrame& recorded, const EthernetFrame& actual) {
  const auto was = parse(recorded.octets), is = parse(actual.octets);
  if (!was || !is || was->protocol != is->protocol || !recorded.fcs_ok()) return recorded;
  Octets octets = recorded.octets;
  constexpr std::size_t identification = ethernet_header + 4;
  write16(octets, identification, read16(actual.octets, identification));
  if (was->protocol == protocol_tcp) {
    const Key key{was->destination, was->destination_port, was->source_port};
    const std::uint32_t sequence = read32(octets, was->at + 4);
    if ((was->tcp_flags & is->tcp_flags & tcp_flag::syn) != 0)
      tcp_[key] = {read32(actual.octets, is->at + 4) - sequence, is->source_port};
    if (const auto known = tcp_.find(key); known != tcp_.end()) {
      write16(octets, was->at, known->second.port);
      write32(octets, was->at + 4, sequence + known->second.offset);
    }
  } else if (was->destination_port == is->destination_port) {
    const auto learn = [](auto& numbers, auto before, auto after) {
      numbers[before] = after;
      return after;
    };
    if (was->source_port >= first_ephemeral_port && is->source_port >= first_ephemeral_port)
      write16(octets, was->at, learn(udp_ports_, was->source_port, is->source_port));
    const std::size_t have = std::min(was->end - was->data, is->end - is->data);
    if (was->destination_port == dns_port && have >= 2)
      write16(octets, was->data, learn(dns_ids_, read16(octets, was->data), read16(actual.octets, is->data)));
    if (was->destination_port == dhcp_server_port && have >= 8)
      write32(octets, was->data + 4,
              learn(dhcp_ids_, read32(octets, was->data + 4), read32(actual.octets, is->data + 4)));
    if (was->destination_port == ntp_port && have >= ntp_size)
      write64(
          octets, was->data + ntp_transmit,
          learn(ntp_stamps_, read64(octets, was->data + ntp_transmit), read64(actual.octets, is->data + ntp_transmit)));
  }
  mend_checksums(octets, *was);
  return EthernetFrame::with_fcs(octets);
}

void Renumbering::to_board(EthernetFrame& frame) const {
  const auto segment = parse(frame.octets);
  if (!segment || !frame.fcs_ok()) return;
  Octets& octets = frame.octets;
  if (segment->protocol == protocol_tcp) {
    const auto known = tcp_.find({segment->source, segment->source_port, segment->destination_port});
    if (known == tcp_.end()) return;
    write16(octets, segment->at + 2, known->second.port);
    if ((segment->tcp_flags & tcp_flag::ack) != 0)
      write32(octets, segment->at + 8, read32(octets, segment->at + 8) + known->second.offset);
    shift_sack(octets, *segment, known->second.offset);
  } else {
    const std::size_t have = segment->end - segment->data;
    write16(octets, segment->at + 2, now(udp_ports_, segment->destination_port));
    if (segment->source_port == dns_port && have >= 2)
      write16(octets, segment->data, now(dns_ids_, read16(octets, segment->data)));
    if (segment->source_port == dhcp_server_port && have >= 8)
      write32(octets, segment->data + 4, now(dhcp_ids_, read32(octets, segment->data + 4)));
    if (segment->source_port == ntp_port && have >= ntp_size)
      write64(octets, segment->data + ntp_origin, now(ntp_stamps_, read64(octets, segment->data + ntp_origin)));
  }
  mend_checksums(octets, *segment);
  frame = EthernetFrame::with_fcs(octets);
}

}  // namespace avrlan::net
