#include "tests/support/scripted_peer.hpp"

#include <algorithm>

namespace avrlan::test {
namespace {

using namespace net;

constexpr MacAddress own_mac{0x52, 0x55, 0x0a, 0x00, 0x02, 0x02};
constexpr MacAddress broadcast_mac{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr std::uint32_t broadcast_address = 0xffffffff;
constexpr std::uint32_t name_server = 0x0a000203;
constexpr std::uint8_t psh = 0x08;

constexpr Duration retry_after = Duration::seconds(1);
constexpr int most_attempts = 12;
// From the DHCPACK on; the board takes its time to read it.
constexpr Duration settle = Duration::milliseconds(10);

// RFC 2131 section 2, RFC 2132.
constexpr std::size_t dhcp_options = 240;
constexpr std::uint8_t option_netmask = 1;
constexpr std::uint8_t option_router = 3;
constexpr std::uint8_t option_name_server = 6;
constexpr std::uint8_t option_lease_time = 51;
constexpr std::uint8_t option_message_type = 53;
constexpr std::uint8_t option_server = 54;
constexpr std::uint8_t dhcp_discover = 1;
constexpr std::uint8_t dhcp_offer = 2;
constexpr std::uint8_t dhcp_request = 3;
constexpr std::uint8_t dhcp_ack = 5;

MacAddress mac_at(std::span<const std::uint8_t> octets, std::size_t at) {
  MacAddress mac;
  std::copy_n(octets.begin() + static_cast<std::ptrdiff_t>(at), mac.size(), mac.begin());
  return mac;
}

std::string text(std::span<const std::uint8_t> octets) {
  return {octets.begin(), octets.end()};
}

std::uint8_t message_type(std::span<const std::uint8_t> message) {
  for (std::size_t at = dhcp_options; at + 2 < message.size() && message[at] != 255;) {
    if (message[at] == option_message_type) return message[at + 2];
    at += message[at] == 0 ? 1U : 2U + message[at + 1];
  }
  return 0;
}

std::vector<std::uint8_t> make_udp(std::uint32_t source, std::uint32_t destination, std::uint16_t source_port,
                                   std::uint16_t destination_port, std::span<const std::uint8_t> data) {
  std::vector<std::uint8_t> datagram(8 + data.size());
  write16(datagram, 0, source_port);
  write16(datagram, 2, destination_port);
  write16(datagram, 4, static_cast<std::uint16_t>(datagram.size()));
  std::copy(data.begin(), data.end(), datagram.begin() + 8);
  const std::uint16_t sum =
      internet_checksum(datagram, pseudo_header_sum(source, destination, protocol_udp, datagram.size()));
  write16(datagram, 6, sum == 0 ? 0xffff : sum);
  return datagram;
}

// The MSS that a SYN announces (RFC 9293 3.2), 536 when it is silent.
std::size_t announced_mss(std::span<const std::uint8_t> segment) {
  const std::size_t end = static_cast<std::size_t>(segment[12] >> 4) * 4;
  for (std::size_t at = 20; at + 3 < end && segment[at] != 0;) {
    if (segment[at] == 2 && segment[at + 1] == 4) return read16(segment, at + 2);
    at += segment[at] == 1 ? 1U : std::max<std::size_t>(segment[at + 1], 2);
  }
  return 536;
}

bool later(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

}  // namespace

ScriptedPeer::~ScriptedPeer() {
  scheduler_.cancel(timer_);
}

void ScriptedPeer::get(const std::string& path, std::uint16_t port) {
  script_.push_back({"get " + path, protocol_tcp, port, "GET " + path + " HTTP/1.0\r\n\r\n", 0});
}
void ScriptedPeer::tcp(std::uint16_t port, const std::string& request, std::size_t reply_octets) {
  script_.push_back({"tcp " + std::to_string(port), protocol_tcp, port, request, reply_octets});
}
void ScriptedPeer::stream(std::uint16_t port, const std::string& request, std::size_t reply_octets) {
  tcp(port, request, reply_octets);
  script_.back().windowed = true;
}
void ScriptedPeer::udp(std::uint16_t port, const std::string& request) {
  script_.push_back({"udp " + std::to_string(port), protocol_udp, port, request, 0});
}
void ScriptedPeer::ping(const std::string& payload) {
  script_.push_back({"ping", protocol_icmp, 0, payload, 0});
}

void ScriptedPeer::deliver(const EthernetFrame& frame) {
  frames_.push_back({scheduler_.now(), true, frame});
  const std::span<const std::uint8_t> octets(frame.octets);
  if (!frame.fcs_ok() || octets.size() < min_frame_octets) return;
  const MacAddress to = mac_at(octets, 0);
  if (to != own_mac && to != broadcast_mac) return;
  if (read16(octets, 12) == ethertype_arp) return arp(octets);
  if (read16(octets, 12) != ethertype_ipv4) return;
  const auto packet = Packet::parse(octets.subspan(ethernet_header));
  if (!packet || packet->fragment) return;

  const MacAddress from = mac_at(octets, 6);
  if (packet->protocol == protocol_udp && packet->destination_port == 67) return dhcp(*packet, from);
  if (packet->protocol == protocol_udp && packet->destination_port == 53) return dns(*packet, from);
  if (packet->source != board_address || packet->destination != own_address) return;
  board_is_ready(from);
  if (packet->protocol == protocol_tcp) return tcp_segment(*packet);
  if (packet->protocol == protocol_udp && packet->destination_port == 123) return ntp(*packet);
  if (packet->protocol == protocol_udp) return answered(*packet, text(packet->data));
  if (packet->protocol == protocol_icmp && packet->payload[0] == 0) return answered(*packet, text(packet->data));
  if (packet->protocol == protocol_icmp && packet->payload[0] == 8) {
    std::vector<std::uint8_t> reply(packet->payload.begin(), packet->payload.end());
    reply[0] = 0;
    write16(reply, 2, 0);
    write16(reply, 2, internet_checksum(reply));
    send_ip(board_address, board_mac_, protocol_icmp, reply);
  }
}

void ScriptedPeer::arp(std::span<const std::uint8_t> octets) {
  const auto request = octets.subspan(ethernet_header);
  const std::uint32_t sender = read32(request, 14);
  const std::uint32_t target = read32(request, 24);
  if (read16(request, 6) == 1 && (target == own_address || target == name_server)) {
    std::vector<std::uint8_t> reply(octets.begin(), octets.begin() + 42);
    const MacAddress from = mac_at(request, 8);
    std::copy(from.begin(), from.end(), reply.begin());
    std::copy(own_mac.begin(), own_mac.end(), reply.begin() + 6);
    const auto body = std::span(reply).subspan(ethernet_header);
    write16(body, 6, 2);
    std::copy_n(body.begin() + 8, 10, body.begin() + 18);
    std::copy(own_mac.begin(), own_mac.end(), body.begin() + 8);
    write32(body, 14, target);
    send(reply);
  }
  if (sender == board_address) board_is_ready(mac_at(request, 8));
}

void ScriptedPeer::dhcp(const Packet& packet, const MacAddress& from) {
  if (packet.data.size() <= dhcp_options) return;
  const std::uint8_t type = message_type(packet.data);
  if (type != dhcp_discover && type != dhcp_request) return;
  std::vector<std::uint8_t> reply(packet.data.begin(), packet.data.begin() + dhcp_options);
  reply[0] = 2;
  write32(reply, 16, board_address);
  write32(reply, 20, own_address);
  const auto option = [&reply](std::uint8_t code, std::uint32_t value) {
    reply.insert(reply.end(), {code, 4, 0, 0, 0, 0});
    write32(reply, reply.size() - 4, value);
  };
  const std::uint8_t reply_type = type == dhcp_discover ? dhcp_offer : dhcp_ack;
  reply.insert(reply.end(), {option_message_type, 1, reply_type});
  option(option_server, own_address);
  option(option_lease_time, 86'400);
  option(option_netmask, 0xffffff00);
  option(option_router, own_address);
  option(option_name_server, name_server);
  reply.push_back(255);
  send_ip(broadcast_address, broadcast_mac, protocol_udp, make_udp(own_address, broadcast_address, 67, 68, reply));
  if (reply_type == dhcp_ack && !board_ready_) {
    scheduler_.cancel(timer_);
    timer_ = scheduler_.after(settle, [this, from] { board_is_ready(from); });
  }
}

// RFC 1035 4.1: the question as it came, and one record.
void ScriptedPeer::dns(const Packet& packet, const MacAddress& from) {
  if (packet.destination != name_server || packet.data.size() < 12) return;
  std::vector<std::uint8_t> reply(packet.data.begin(), packet.data.end());
  write16(reply, 2, 0x8180);
  write16(reply, 6, 1);
  constexpr std::uint32_t ttl = 300;
  reply.insert(reply.end(), {0xc0, 12, 0, 1, 0, 1, 0, 0, ttl >> 8, ttl & 0xff, 0, 4, 0, 0, 0, 0});
  write32(reply, reply.size() - 4, own_address);
  const auto datagram = make_udp(name_server, packet.source, 53, packet.source_port, reply);
  send(make_ipv4_frame(from, own_mac, name_server, packet.source, protocol_udp, datagram));
}

// RFC 4330 section 4.
void ScriptedPeer::ntp(const Packet& packet) {
  if (packet.data.size() != 48) return;
  std::vector<std::uint8_t> reply(48);
  reply[0] = 4 << 3 | 4;  // version 4, server
  reply[1] = 1;
  std::copy_n(packet.data.begin() + 40, 8, reply.begin() + 24);
  constexpr std::uint32_t in_2026 = 1'796'059'205;
  write32(reply, 40, in_2026 + 2'208'988'800);
  send_ip(board_address, board_mac_, protocol_udp,
          make_udp(own_address, board_address, 123, packet.source_port, reply));
}

void ScriptedPeer::board_is_ready(const MacAddress& mac) {
  board_mac_ = mac;
  if (board_ready_) return;
  board_ready_ = true;
  next_step();
}

void ScriptedPeer::next_step() {
  scheduler_.cancel(timer_);
  current_.reset();
  attempts_ = 0;
  if (script_.empty()) return;
  current_ = std::move(script_.front());
  script_.pop_front();
  exchanges_.push_back({current_->name, "", false, scheduler_.now(), scheduler_.now()});
  ++last_port_;
  connection_ = {};
  connection_.port = current_->port;
  connection_.own_port = last_port_;
  connection_.send_unacknowledged = static_cast<std::uint32_t>(last_port_) * 65'536;
  connection_.send_start = connection_.send_unacknowledged + 1;
  transmit();
}

void ScriptedPeer::finish(bool complete) {
  exchanges_.back().complete = complete;
  exchanges_.back().ended = scheduler_.now();
  next_step();
}

bool ScriptedPeer::request_acknowledged() const {
  return connection_.send_unacknowledged - connection_.send_start >= current_->request.size();
}

std::uint32_t ScriptedPeer::fin_sequence() const {
  return connection_.send_start + static_cast<std::uint32_t>(current_->request.size());
}

void ScriptedPeer::transmit() {
  scheduler_.cancel(timer_);
  if (++attempts_ > most_attempts) return finish(false);
  timer_ = scheduler_.after(retry_after, [this] {
    connection_.send_next = connection_.send_unacknowledged;
    transmit();
  });
  const std::string& request = current_->request;
  const std::span octets(reinterpret_cast<const std::uint8_t*>(request.data()), request.size());
  if (current_->protocol == protocol_udp) {
    const auto datagram = make_udp(own_address, board_address, connection_.own_port, current_->port, octets);
    return send_ip(board_address, board_mac_, protocol_udp, datagram);
  }
  if (current_->protocol == protocol_icmp) {
    std::vector<std::uint8_t> echo(8);
    echo[0] = 8;
    write16(echo, 4, connection_.own_port);
    write16(echo, 6, static_cast<std::uint16_t>(attempts_));
    echo.insert(echo.end(), octets.begin(), octets.end());
    write16(echo, 2, internet_checksum(echo));
    return send_ip(board_address, board_mac_, protocol_icmp, echo);
  }
  const std::uint32_t next = connection_.send_unacknowledged;
  if (!connection_.established) return send_tcp(tcp_flag::syn, next, "");
  if (!request_acknowledged()) {
    if (current_->windowed) return fill_window();
    const std::string_view rest = std::string_view(request).substr(next - connection_.send_start);
    return send_tcp(tcp_flag::ack | psh, next, rest.substr(0, std::min<std::size_t>(connection_.board_mss, mss)));
  }
  if (connection_.close_wanted) return send_tcp(tcp_flag::ack | tcp_flag::fin, next, "");
}

// Whole segments, or the last of the request (RFC 9293 3.8.6.2.1).
void ScriptedPeer::fill_window() {
  const std::uint32_t edge = connection_.send_unacknowledged + static_cast<std::uint32_t>(connection_.board_window);
  const std::size_t most = std::min<std::size_t>(connection_.board_mss, mss);
  for (;;) {
    const std::string_view rest =
        std::string_view(current_->request).substr(connection_.send_next - connection_.send_start).substr(0, most);
    if (rest.empty() || later(connection_.send_next + static_cast<std::uint32_t>(rest.size()), edge)) return;
    send_tcp(tcp_flag::ack | psh, connection_.send_next, rest);
    connection_.send_next += static_cast<std::uint32_t>(rest.size());
  }
}

void ScriptedPeer::tcp_segment(const Packet& packet) {
  if (!current_ || current_->protocol != protocol_tcp || packet.source_port != connection_.port ||
      packet.destination_port != connection_.own_port) {
    return reset(packet);
  }
  if (packet.is_tcp(tcp_flag::rst, 0)) return finish(false);
  if (!connection_.established) {
    if (!packet.is_tcp(tcp_flag::syn | tcp_flag::ack, 0) || packet.tcp_acknowledgment != connection_.send_start) return;
    connection_.established = true;
    connection_.receive_next = packet.tcp_sequence + 1;
    connection_.send_unacknowledged = connection_.send_start;
    connection_.send_next = connection_.send_start;
    connection_.board_mss = announced_mss(packet.payload);
    connection_.board_window = read16(packet.payload, 14);
    attempts_ = 0;
    send_tcp(tcp_flag::ack, connection_.send_start, "");
    return transmit();
  }
  const bool progress = later(packet.tcp_acknowledgment, connection_.send_unacknowledged) &&
                        !later(packet.tcp_acknowledgment, fin_sequence() + 1);
  if (progress) {
    connection_.send_unacknowledged = packet.tcp_acknowledgment;
    if (later(connection_.send_unacknowledged, connection_.send_next))
      connection_.send_next = connection_.send_unacknowledged;
  }
  const bool opened = current_->windowed && read16(packet.payload, 14) > connection_.board_window;
  connection_.board_window = read16(packet.payload, 14);
  const bool wanted_close = connection_.close_wanted;
  if (!packet.data.empty() || packet.is_tcp(tcp_flag::fin, 0) || packet.is_tcp(tcp_flag::syn, 0)) accept_data(packet);

  const bool own_fin_acknowledged = connection_.close_wanted && later(connection_.send_unacknowledged, fin_sequence());
  if (own_fin_acknowledged && connection_.board_closed) return finish(true);
  if (progress || opened || connection_.close_wanted != wanted_close) {
    attempts_ = 0;
    if (!own_fin_acknowledged) transmit();
  }
}

// In order, or not at all; every segment is acknowledged at once.
void ScriptedPeer::accept_data(const Packet& packet) {
  Exchange& exchange = exchanges_.back();
  const std::uint32_t skip = connection_.receive_next - packet.tcp_sequence;
  if (!connection_.board_closed && skip <= packet.data.size()) {
    exchange.reply += text(packet.data.subspan(skip));
    connection_.receive_next += static_cast<std::uint32_t>(packet.data.size()) - skip;
    if (packet.is_tcp(tcp_flag::fin, 0)) {
      connection_.board_closed = true;
      ++connection_.receive_next;
    }
    const bool enough = current_->reply_octets > 0 && exchange.reply.size() >= current_->reply_octets;
    connection_.close_wanted |= connection_.board_closed || enough;
  }
  exchange.ended = scheduler_.now();
  send_tcp(tcp_flag::ack, connection_.send_unacknowledged, "");
}

void ScriptedPeer::answered(const Packet& packet, std::string reply) {
  if (!current_ || current_->protocol != packet.protocol) return;
  const bool ours = packet.protocol == protocol_udp
                        ? packet.destination_port == connection_.own_port && packet.source_port == connection_.port
                        : read16(packet.payload, 4) == connection_.own_port;
  if (!ours) return;
  exchanges_.back().reply = std::move(reply);
  finish(true);
}

void ScriptedPeer::send_tcp(std::uint8_t flags, std::uint32_t sequence, std::string_view data) {
  const bool syn = (flags & tcp_flag::syn) != 0;
  std::vector<std::uint8_t> segment(syn ? 24 : 20);
  write16(segment, 0, connection_.own_port);
  write16(segment, 2, connection_.port);
  write32(segment, 4, sequence);
  if ((flags & tcp_flag::ack) != 0) write32(segment, 8, connection_.receive_next);
  segment[12] = static_cast<std::uint8_t>(segment.size() / 4 << 4);
  segment[13] = flags;
  write16(segment, 14, window);
  if (syn) {
    segment[20] = 2;
    segment[21] = 4;
    write16(segment, 22, mss);
  }
  segment.insert(segment.end(), data.begin(), data.end());
  send_segment(segment);
}

// RFC 9293 3.5.2, reset generation, group 1: a segment of no connection of ours, as when our last ACK was lost.
void ScriptedPeer::reset(const Packet& stray) {
  if (!stray.is_tcp(tcp_flag::ack, tcp_flag::rst)) return;
  std::vector<std::uint8_t> segment(20);
  write16(segment, 0, stray.destination_port);
  write16(segment, 2, stray.source_port);
  write32(segment, 4, stray.tcp_acknowledgment);
  segment[12] = 5 << 4;
  segment[13] = tcp_flag::rst;
  send_segment(segment);
}

void ScriptedPeer::send_segment(std::span<std::uint8_t> segment) {
  write16(segment, 16,
          internet_checksum(segment, pseudo_header_sum(own_address, board_address, protocol_tcp, segment.size())));
  send_ip(board_address, board_mac_, protocol_tcp, segment);
}

void ScriptedPeer::send_ip(std::uint32_t destination, const MacAddress& mac, std::uint8_t protocol,
                           std::span<const std::uint8_t> payload) {
  send(make_ipv4_frame(mac, own_mac, own_address, destination, protocol, payload));
}

void ScriptedPeer::send(std::span<const std::uint8_t> octets) {
  EthernetFrame frame = EthernetFrame::padded(octets);
  frames_.push_back({scheduler_.now(), false, frame});
  scheduler_.at(scheduler_.now(), [&to = to_board_, frame = std::move(frame)] { to.deliver(frame); });
}

}  // namespace avrlan::test
