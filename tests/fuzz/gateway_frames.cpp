#include "tests/fuzz/gateway_frames.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "emulator/net/user_network.hpp"
#include "tests/fuzz/gateway_host.hpp"

namespace avrlan::fuzz {
namespace {

using namespace net;

constexpr MacAddress board_mac{0x02, 0, 0, 0, 0, 1};
constexpr MacAddress broadcast_mac{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr std::uint32_t board = user_network::first_lease;
constexpr std::size_t most_conversations = 32;

// Only what stays inside: the gateway, the loopback of the fuzzer's own network, and nowhere.
constexpr std::array<std::uint32_t, 12> destinations{user_network::gateway,
                                                     user_network::gateway,
                                                     user_network::gateway,
                                                     user_network::name_server,
                                                     far_host,
                                                     far_host,
                                                     far_host,
                                                     0x7f000001,
                                                     0,
                                                     0xffffffff,
                                                     user_network::network | 0xff,
                                                     0xe00000fb};

}  // namespace

std::vector<std::uint8_t> Dice::octets(std::size_t count) {
  std::vector<std::uint8_t> result(count);
  for (auto& octet : result) octet = static_cast<std::uint8_t>(number());
  return result;
}

void mend(std::vector<std::uint8_t>& frame, bool lengths) {
  if (frame.size() < ethernet_header + 20 || read16(frame, 12) != ethertype_ipv4) return;
  const auto packet = std::span(frame).subspan(ethernet_header);
  const std::size_t header = static_cast<std::size_t>(packet[0] & 15) * 4;
  if (header < 20 || header > packet.size()) return;
  if (lengths) write16(packet, 2, static_cast<std::uint16_t>(packet.size()));
  write16(packet, 10, 0);
  write16(packet, 10, internet_checksum(packet.first(header)));
  const std::size_t total = read16(packet, 2);
  if (total < header || total > packet.size()) return;
  const auto segment = packet.subspan(header, total - header);
  const std::uint32_t pseudo = pseudo_header_sum(read32(packet, 12), read32(packet, 16), packet[9], segment.size());
  const auto set = [segment](std::size_t at, std::uint32_t start) {
    if (segment.size() < at + 2) return;
    write16(segment, at, 0);
    write16(segment, at, internet_checksum(segment, start));
  };
  if (packet[9] == protocol_icmp) set(2, 0);
  if (packet[9] == protocol_tcp) set(16, pseudo);
  if (packet[9] == protocol_udp && segment.size() >= 8) {
    if (lengths) write16(segment, 4, static_cast<std::uint16_t>(segment.size()));
    if (read16(segment, 4) == segment.size()) set(6, pseudo);
  }
}

void FrameMaker::learn(const EthernetFrame& frame) {
  const std::span<const std::uint8_t> octets(frame.octets);
  if (read16(octets, 12) != ethertype_ipv4) return;
  const auto packet = Packet::parse(octets.subspan(ethernet_header));
  if (!packet || packet->fragment || (packet->protocol != protocol_tcp && packet->protocol != protocol_udp)) return;
  Conversation said{packet->protocol,
                    packet->source,
                    packet->source_port,
                    packet->destination_port,
                    packet->tcp_acknowledgment,
                    packet->tcp_sequence + static_cast<std::uint32_t>(packet->data.size()) +
                        (packet->is_tcp(tcp_flag::syn, 0) || packet->is_tcp(tcp_flag::fin, 0) ? 1U : 0U)};
  // The board's answer to a SYN starts near the wrap of the sequence numbers, where libslirp is weak.
  if (packet->is_tcp(tcp_flag::syn, tcp_flag::ack)) said.sequence = near_wrap();
  const auto known = std::find_if(conversations_.begin(), conversations_.end(), [&said](const Conversation& c) {
    return c.protocol == said.protocol && c.peer_port == said.peer_port && c.own_port == said.own_port;
  });
  if (known != conversations_.end()) {
    *known = said;
  } else if (conversations_.size() < most_conversations) {
    conversations_.push_back(said);
  } else {
    conversations_[dice_.below(conversations_.size())] = said;
  }
}

std::uint32_t FrameMaker::near_wrap() {
  return dice_.one_in(4) ? static_cast<std::uint32_t>(dice_.number())
                         : 0U - static_cast<std::uint32_t>(dice_.below(64));
}

EthernetFrame FrameMaker::next() {
  if (dice_.one_in(50)) return EthernetFrame::with_fcs(dice_.octets(dice_.below(1600)));
  std::vector<std::uint8_t> octets = plausible();
  if (dice_.one_in(2)) {
    mutate(octets);
    if (dice_.one_in(2)) mend(octets, dice_.one_in(2));
  }
  EthernetFrame frame = dice_.one_in(10) ? EthernetFrame::with_fcs(octets) : EthernetFrame::padded(octets);
  if (dice_.one_in(100)) frame.fcs ^= 1;
  return frame;
}

void FrameMaker::mutate(std::vector<std::uint8_t>& octets) {
  constexpr std::array<std::uint8_t, 8> telling{0, 1, 0x7f, 0x80, 0xff, 0x20, 0x45, 0x4f};
  for (std::size_t n = 1 + dice_.below(4); n > 0 && octets.size() > ethernet_header; --n) {
    // Mostly in the headers.
    const std::size_t range = dice_.one_in(4) ? octets.size() : std::min<std::size_t>(octets.size(), 74);
    const std::size_t at = dice_.below(range);
    switch (dice_.below(6)) {
      case 0:
        octets[at] ^= static_cast<std::uint8_t>(1U << dice_.below(8));
        break;
      case 1:
        octets[at] = static_cast<std::uint8_t>(dice_.number());
        break;
      case 2:
        octets[at] = dice_.pick(telling);
        break;
      case 3:
        octets.resize(std::max(ethernet_header, at));
        break;
      case 4: {
        const auto more = dice_.octets(dice_.below(dice_.one_in(8) ? 1500 : 40));
        octets.insert(octets.begin() + static_cast<std::ptrdiff_t>(at), more.begin(), more.end());
        break;
      }
      default:
        // IP options, by a longer IHL, or the fragment field.
        if (octets.size() > ethernet_header + 20 && read16(octets, 12) == ethertype_ipv4) {
          const std::size_t field = dice_.one_in(2) ? ethernet_header : ethernet_header + 6 + dice_.below(2);
          octets[field] =
              static_cast<std::uint8_t>(field == ethernet_header ? 0x40 + 5 + dice_.below(11) : dice_.number());
        }
        break;
    }
  }
}

std::vector<std::uint8_t> FrameMaker::plausible() {
  switch (dice_.below(12)) {
    case 0:
      return arp();
    case 1:
      return dhcp();
    case 2:
      return tftp();
    case 3:
      return ping();
    case 4:
    case 5:
      return datagram();
    case 6:
    case 7:
      return first_segment();
    default:
      return conversations_.empty() ? first_segment() : answer();
  }
}

std::vector<std::uint8_t> FrameMaker::ip(std::uint32_t to, std::uint8_t protocol,
                                         const std::vector<std::uint8_t>& payload, std::uint32_t from) {
  const MacAddress mac = to == 0xffffffff ? broadcast_mac : user_network::hardware_address(user_network::gateway);
  auto frame = make_ipv4_frame(mac, board_mac, from, to, protocol, payload);
  frame[ethernet_header + 8] = dice_.one_in(20) ? static_cast<std::uint8_t>(dice_.below(3)) : 64;  // TTL
  mend(frame, true);
  return frame;
}

std::vector<std::uint8_t> FrameMaker::arp() {
  std::vector<std::uint8_t> frame(ethernet_header + 28);
  std::copy(broadcast_mac.begin(), broadcast_mac.end(), frame.begin());
  std::copy(board_mac.begin(), board_mac.end(), frame.begin() + 6);
  write16(frame, 12, ethertype_arp);
  const auto body = std::span(frame).subspan(ethernet_header);
  write16(body, 0, 1);
  write16(body, 2, ethertype_ipv4);
  body[4] = 6;
  body[5] = 4;
  write16(body, 6, static_cast<std::uint16_t>(1 + dice_.below(2)));
  std::copy(board_mac.begin(), board_mac.end(), body.begin() + 8);
  write32(body, 14, dice_.one_in(8) ? static_cast<std::uint32_t>(dice_.number()) : board);
  write32(body, 24, dice_.one_in(8) ? board : dice_.pick(destinations));
  return frame;
}

std::vector<std::uint8_t> FrameMaker::udp(std::uint32_t to, std::uint16_t from_port, std::uint16_t to_port,
                                          const std::vector<std::uint8_t>& data, std::uint32_t from) {
  std::vector<std::uint8_t> payload(8);
  write16(payload, 0, from_port);
  write16(payload, 2, to_port);
  write16(payload, 4, static_cast<std::uint16_t>(8 + data.size()));
  payload.insert(payload.end(), data.begin(), data.end());
  return ip(to, protocol_udp, payload, from);
}

std::vector<std::uint8_t> FrameMaker::dhcp() {
  std::vector<std::uint8_t> message(240);
  message[0] = 1;
  message[1] = 1;
  message[2] = 6;
  std::copy(board_mac.begin(), board_mac.end(), message.begin() + 28);
  write32(message, 236, 0x63825363);
  message.insert(message.end(), {53, 1, static_cast<std::uint8_t>(1 + dice_.below(8))});
  if (dice_.one_in(2)) message.insert(message.end(), {50, 4, 10, 0, 2, static_cast<std::uint8_t>(dice_.number())});
  if (dice_.one_in(2)) {
    const auto noise = dice_.octets(dice_.below(300));
    message.insert(message.end(), noise.begin(), noise.end());
  }
  message.push_back(255);
  const bool renew = dice_.one_in(3);
  return udp(renew ? user_network::gateway : 0xffffffff, 68, 67, message, renew ? board : 0);
}

std::vector<std::uint8_t> FrameMaker::tftp() {
  std::vector<std::uint8_t> message{0, static_cast<std::uint8_t>(1 + dice_.below(6))};
  for (const char c : {'a', '\0', 'o', 'c', 't', 'e', 't', '\0'}) message.push_back(static_cast<std::uint8_t>(c));
  const auto noise = dice_.octets(dice_.below(64));
  message.insert(message.end(), noise.begin(), noise.end());
  return udp(user_network::gateway, static_cast<std::uint16_t>(1024 + dice_.below(8)), 69, message, board);
}

std::vector<std::uint8_t> FrameMaker::ping() {
  std::vector<std::uint8_t> message(8);
  message[0] = dice_.one_in(4) ? static_cast<std::uint8_t>(dice_.below(20)) : 8;
  write16(message, 4, static_cast<std::uint16_t>(dice_.below(16)));
  const auto data = dice_.octets(dice_.below(dice_.one_in(10) ? 1450 : 64));
  message.insert(message.end(), data.begin(), data.end());
  return ip(dice_.pick(destinations), protocol_icmp, message, board);
}

std::vector<std::uint8_t> FrameMaker::datagram() {
  return udp(dice_.pick(destinations), static_cast<std::uint16_t>(1024 + dice_.below(64)), dice_.pick(host_ports),
             dice_.octets(dice_.below(dice_.one_in(10) ? 1450 : 64)), board);
}

std::vector<std::uint8_t> FrameMaker::tcp(const Conversation& of, std::uint8_t flags,
                                          const std::vector<std::uint8_t>& data) {
  std::vector<std::uint8_t> segment(20);
  if (dice_.one_in(4)) segment.resize(20 + 4 * dice_.below(11));
  for (std::size_t i = 20; i < segment.size(); ++i) segment[i] = static_cast<std::uint8_t>(dice_.below(10));
  write16(segment, 0, of.own_port);
  write16(segment, 2, of.peer_port);
  write32(segment, 4, of.sequence);
  write32(segment, 8, of.acknowledgment);
  segment[12] = static_cast<std::uint8_t>(segment.size() / 4 << 4);
  segment[13] = flags;
  write16(segment, 14, static_cast<std::uint16_t>(dice_.one_in(10) ? dice_.below(4) : 1024 + dice_.below(60'000)));
  if (dice_.one_in(10)) {
    segment[13] |= tcp_flag::urg;
    write16(segment, 18, static_cast<std::uint16_t>(dice_.number()));
  }
  segment.insert(segment.end(), data.begin(), data.end());
  return ip(of.peer, protocol_tcp, segment, board);
}

std::vector<std::uint8_t> FrameMaker::first_segment() {
  Conversation fresh;
  fresh.peer = dice_.pick(destinations);
  fresh.peer_port = dice_.pick(host_ports);
  fresh.own_port = static_cast<std::uint16_t>(1024 + dice_.below(64));
  fresh.sequence = near_wrap();
  return tcp(fresh, dice_.one_in(8) ? static_cast<std::uint8_t>(dice_.number()) : tcp_flag::syn, {});
}

// Something that fits into a conversation, or nearly.
std::vector<std::uint8_t> FrameMaker::answer() {
  const std::size_t index = dice_.below(conversations_.size());
  Conversation with = conversations_[index];
  const auto data = dice_.octets(dice_.below(dice_.one_in(4) ? 1400 : 32));
  if (with.protocol == protocol_udp) return udp(with.peer, with.own_port, with.peer_port, data, board);
  if (dice_.one_in(6)) with.sequence += static_cast<std::uint32_t>(dice_.below(6000)) - 3000;
  if (dice_.one_in(6)) with.acknowledgment += static_cast<std::uint32_t>(dice_.below(6000)) - 3000;
  constexpr std::array<std::uint8_t, 8> usual{tcp_flag::ack,
                                              tcp_flag::ack,
                                              tcp_flag::ack | 8,
                                              tcp_flag::syn | tcp_flag::ack,
                                              tcp_flag::syn | tcp_flag::ack,
                                              tcp_flag::ack | tcp_flag::fin,
                                              tcp_flag::rst | tcp_flag::ack,
                                              tcp_flag::syn};
  const std::uint8_t flags = dice_.one_in(10) ? static_cast<std::uint8_t>(dice_.number()) : dice_.pick(usual);
  const bool carries = (flags & (tcp_flag::syn | tcp_flag::rst)) == 0 && dice_.one_in(2);
  if (dice_.one_in(3)) {
    conversations_[index].sequence += (carries ? static_cast<std::uint32_t>(data.size()) : 0U) +
                                      ((flags & (tcp_flag::syn | tcp_flag::fin)) != 0 ? 1U : 0U);
  }
  return tcp(with, flags, carries ? data : std::vector<std::uint8_t>());
}

}  // namespace avrlan::fuzz
