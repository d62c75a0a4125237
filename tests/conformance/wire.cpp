#include "tests/conformance/wire.hpp"

#include <algorithm>

namespace avrlan::test {
namespace {

using net::internet_checksum;
using net::pseudo_header_sum;
using net::read16;
using net::read32;
using net::write16;
using net::write32;

Octets ethernet(const MacAddress& to, const MacAddress& from, std::uint16_t type) {
  Octets frame(to.begin(), to.end());
  frame.insert(frame.end(), from.begin(), from.end());
  frame.push_back(static_cast<std::uint8_t>(type >> 8));
  frame.push_back(static_cast<std::uint8_t>(type));
  return frame;
}

MacAddress mac_at(const Octets& frame, std::size_t at) {
  MacAddress mac;
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at), mac.size(), mac.begin());
  return mac;
}

std::uint16_t spoiled(std::uint16_t sum, std::uint16_t by) {
  return static_cast<std::uint16_t>(sum + by);
}

}  // namespace

Octets octets(std::string_view text) {
  return {text.begin(), text.end()};
}
Octets filler(std::size_t n, unsigned first) {
  Octets data(n);
  for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<std::uint8_t>(first + i * 7 + i / 256);
  return data;
}
Octets operator+(Octets a, const Octets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Octets padded(Octets frame) {
  if (frame.size() < min_frame_octets) frame.resize(min_frame_octets);
  return frame;
}

Octets Arp::frame() const {
  Octets all = ethernet(to, from, net::ethertype_arp);
  all.resize(14 + 28);
  write16(all, 14, hardware_type);
  write16(all, 16, protocol_type);
  all[18] = hardware_length;
  all[19] = protocol_length;
  write16(all, 20, operation);
  std::copy(sender_mac.begin(), sender_mac.end(), all.begin() + 22);
  write32(all, 28, sender_ip);
  std::copy(target_mac.begin(), target_mac.end(), all.begin() + 32);
  write32(all, 38, target_ip);
  return padded(all);
}

std::optional<Arp> Arp::parse(const Octets& frame) {
  if (frame.size() < 42 || read16(frame, 12) != net::ethertype_arp) return std::nullopt;
  Arp arp;
  arp.to = mac_at(frame, 0);
  arp.from = mac_at(frame, 6);
  arp.hardware_type = read16(frame, 14);
  arp.protocol_type = read16(frame, 16);
  arp.hardware_length = frame[18];
  arp.protocol_length = frame[19];
  arp.operation = read16(frame, 20);
  arp.sender_mac = mac_at(frame, 22);
  arp.sender_ip = read32(frame, 28);
  arp.target_mac = mac_at(frame, 32);
  arp.target_ip = read32(frame, 38);
  return arp;
}

Octets Ip::frame() const {
  Octets all = ethernet(to, from, net::ethertype_ipv4);
  const std::size_t header = 20 + options.size();
  all.resize(14 + header);
  const auto ip = std::span(all).subspan(14);
  ip[0] = version_ihl != 0 ? version_ihl : static_cast<std::uint8_t>(0x40 | header / 4);
  write16(ip, 2, total_length.value_or(static_cast<std::uint16_t>(header + payload.size())));
  write16(ip, 4, id);
  write16(ip, 6, fragment);
  ip[8] = ttl;
  ip[9] = protocol;
  write32(ip, 12, source);
  write32(ip, 16, destination);
  std::copy(options.begin(), options.end(), ip.begin() + 20);
  write16(ip, 10, spoiled(internet_checksum(ip), spoil));
  return padded(all + payload);
}

std::vector<Octets> Ip::fragments(std::size_t size) const {
  std::vector<Octets> all;
  for (std::size_t at = 0; at < payload.size(); at += size) {
    Ip part = *this;
    const std::size_t n = std::min(size, payload.size() - at);
    const auto start = payload.begin() + static_cast<std::ptrdiff_t>(at);
    part.payload.assign(start, start + static_cast<std::ptrdiff_t>(n));
    part.fragment = static_cast<std::uint16_t>(at / 8 | (at + n < payload.size() ? more_fragments : 0));
    all.push_back(part.frame());
  }
  return all;
}

Octets icmp(std::uint8_t type, std::uint8_t code, std::uint32_t rest, const Octets& data, std::uint16_t spoil) {
  Octets message(8);
  message[0] = type;
  message[1] = code;
  write32(message, 4, rest);
  message = message + data;
  write16(message, 2, spoiled(internet_checksum(message), spoil));
  return message;
}
Octets echo_request(const Octets& data, std::uint16_t sequence) {
  return icmp(8, 0, static_cast<std::uint32_t>(echo_id) << 16 | sequence, data);
}

Octets Udp::payload(std::uint32_t source, std::uint32_t destination) const {
  Octets datagram(8);
  write16(datagram, 0, from);
  write16(datagram, 2, to);
  write16(datagram, 4, length.value_or(static_cast<std::uint16_t>(8 + data.size())));
  datagram = datagram + data;
  if (!checksum) return datagram;
  // Over what the length says, as a receiver has to do it.
  const std::size_t covered = std::min<std::size_t>(std::max<std::size_t>(read16(datagram, 4), 8), datagram.size());
  const std::uint16_t sum =
      internet_checksum(std::span(datagram).first(covered),
                        pseudo_header_sum(source, destination, net::protocol_udp, read16(datagram, 4)));
  write16(datagram, 6, spoiled(sum == 0 ? 0xffff : sum, spoil));
  return datagram;
}

Octets Tcp::payload(std::uint32_t source, std::uint32_t destination) const {
  Octets segment(20);
  write16(segment, 0, from);
  write16(segment, 2, to);
  write32(segment, 4, seq);
  write32(segment, 8, ack);
  segment[12] = static_cast<std::uint8_t>(offset.value_or(static_cast<std::uint8_t>(5 + options.size() / 4)) << 4);
  segment[13] = flags;
  write16(segment, 14, window);
  write16(segment, 18, urgent);
  segment = segment + options + data;
  const std::uint16_t sum =
      internet_checksum(segment, pseudo_header_sum(source, destination, net::protocol_tcp, segment.size()));
  write16(segment, 16, spoiled(sum, spoil));
  return segment;
}

Octets mss_option(std::uint16_t mss) {
  return {2, 4, static_cast<std::uint8_t>(mss >> 8), static_cast<std::uint8_t>(mss)};
}

std::optional<net::Packet> read_ip(const Octets& frame) {
  if (read16(frame, 12) != net::ethertype_ipv4) return std::nullopt;
  const auto packet = net::Packet::parse(std::span(frame).subspan(14));
  require(packet.has_value(), "a frame with a wrong length or checksum");
  const std::size_t end = 14 + packet->header.size() + packet->payload.size();
  require(std::all_of(frame.begin() + static_cast<std::ptrdiff_t>(end), frame.end(), [](auto o) { return o == 0; }),
          "padding that is not zero");
  return packet;
}

std::string address_text(std::uint32_t address) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += std::to_string(address >> shift & 0xff) + (shift != 0 ? "." : "");
  return text;
}

std::string flags_text(std::uint8_t flags) {
  static const char* const names[] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"};
  std::string text;
  for (const unsigned bit : {1u, 0u, 2u, 3u, 5u, 4u, 6u, 7u})
    if ((flags >> bit & 1) != 0) text += std::string(text.empty() ? "" : " ") + names[bit];
  return text;
}

MacAddress destination_of(const Octets& frame) {
  return mac_at(frame, 0);
}

std::string describe(const Octets& frame) {
  if (const auto arp = Arp::parse(frame))
    return arp->operation == 1 ? "ARP who-has " + address_text(arp->target_ip)
                               : "ARP " + address_text(arp->sender_ip) + " is-at";
  const auto packet = read_ip(frame);
  if (!packet) return "ethertype " + std::to_string(read16(frame, 12));
  const std::string to = " to " + address_text(packet->destination);
  if (packet->fragment) return "a fragment" + to;
  const std::string ports = std::to_string(packet->source_port) + ">" + std::to_string(packet->destination_port);
  if (packet->protocol == net::protocol_tcp)
    return "TCP " + ports + " " + flags_text(packet->tcp_flags) + " with " + std::to_string(packet->data.size()) +
           " octets" + to;
  if (packet->protocol == net::protocol_udp) return "UDP " + ports + to;
  if (packet->protocol == net::protocol_icmp)
    return "ICMP " + std::to_string(packet->payload[0]) + "/" + std::to_string(packet->payload[1]) + to;
  return "protocol " + std::to_string(packet->protocol) + to;
}

bool is_icmp(const Link::Frame& frame, std::uint8_t type, std::uint8_t code) {
  const auto packet = read_ip(frame.octets);
  return packet && !packet->fragment && packet->protocol == net::protocol_icmp && packet->payload[0] == type &&
         packet->payload[1] == code;
}

void ping(Link& link, const Octets& data, const Ip& ip) {
  Ip request = ip;
  request.protocol = net::protocol_icmp;
  request.payload = echo_request(data);
  link.send(request.frame());
  const auto frame = link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); });
  require(frame.has_value(), "no reply to an echo request of " + std::to_string(data.size()) + " octets");
  const auto reply = read_ip(frame->octets);
  require(reply->source == request.destination && reply->destination == request.source,
          "an echo reply with wrong addresses");
  require(std::equal(reply->data.begin(), reply->data.end(), data.begin(), data.end()) &&
              read32(reply->payload, 4) == read32(request.payload, 4),
          "an echo reply with other octets");
}

}  // namespace avrlan::test
