#include "emulator/net/frame_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "emulator/net/address_text.hpp"
#include "emulator/net/frame_mac.hpp"

namespace avrlan::net {

namespace {

constexpr DiagnosticKind kinds[] = {
    {"wire-duplicate-mac", Severity::warning, "a frame came in from the MAC address that the firmware sends from"},
    {"wire-fcs", Severity::warning, "a frame sent with a wrong FCS"},
    {"wire-frame-size", Severity::warning, "a frame sent that is shorter than 60 or longer than 1514 octets"},
    {"wire-icmp-checksum", Severity::warning, "an ICMP message sent with a wrong checksum"},
    {"wire-ipv4-checksum", Severity::warning, "an IPv4 header sent with a wrong checksum"},
    {"wire-length", Severity::warning, "lengths sent that disagree: headers, datagram, frame"},
    {"wire-tcp-ack", Severity::warning, "an ACK sent of what the peer has never sent"},
    {"wire-tcp-checksum", Severity::warning, "a TCP segment sent with a wrong checksum"},
    {"wire-tcp-resend", Severity::warning, "octets sent again with another value"},
    {"wire-tcp-sequence", Severity::warning, "TCP data sent with a gap before them"},
    {"wire-tcp-window", Severity::warning, "TCP data sent beyond every window that the peer has offered"},
    {"wire-udp-checksum", Severity::warning, "a UDP datagram sent with a wrong checksum"},
};

constexpr std::size_t ipv4_header = 20, tcp_header = 20, udp_header = 8, icmp_header = 8, arp_packet = 28;
constexpr std::size_t most_flows = 256, most_sources = 8;

// a - b of sequence numbers (RFC 9293 3.4).
std::int32_t distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b);
}

// What a segment takes of the sequence space.
std::uint32_t length_of(const Packet& packet) {
  return static_cast<std::uint32_t>(packet.data.size()) + ((packet.tcp_flags & tcp_flag::syn) != 0 ? 1 : 0) +
         ((packet.tcp_flags & tcp_flag::fin) != 0 ? 1 : 0);
}

// The shift of a SYN's window scale option (RFC 7323 2.2).
std::optional<int> window_scale(const Packet& packet) {
  constexpr std::uint8_t end = 0, nop = 1, scale = 3;
  auto options = packet.payload.first(packet.payload.size() - packet.data.size()).subspan(tcp_header);
  while (!options.empty() && options[0] != end) {
    if (options[0] == nop) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2 || options[1] < 2 || options[1] > options.size()) break;
    if (options[0] == scale && options[1] == 3) return std::min<int>(options[2], 14);
    options = options.subspan(options[1]);
  }
  return std::nullopt;
}

}  // namespace

std::span<const DiagnosticKind> frame_check_kinds() {
  return kinds;
}

void FrameCheck::Tap::deliver(const EthernetFrame& frame) {
  (check->*look)(frame);
  to->deliver(frame);
}

FrameSink& FrameCheck::outbound(FrameSink& to) {
  outbound_.check = this;
  outbound_.look = &FrameCheck::from_board;
  outbound_.to = &to;
  return outbound_;
}

FrameSink& FrameCheck::inbound(FrameSink& to) {
  inbound_.check = this;
  inbound_.look = &FrameCheck::to_board;
  inbound_.to = &to;
  return inbound_;
}

// Always false, for checks that end with it.
bool FrameCheck::report(std::string_view name, std::string message) {
  const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [name](const auto& k) { return k.name == name; });
  diagnostics_.report({kind->severity, std::string(name), std::move(message)});
  return false;
}

void FrameCheck::from_board(const EthernetFrame& frame) {
  if (frame.fcs == ~ethernet_crc(frame.octets)) return;  // what is left of a frame that the chip's MAC gave up
  if (!frame.fcs_ok()) {
    report("wire-fcs", "a frame was sent with a wrong FCS, which every receiver drops: let the chip append it");
    return;
  }
  const std::size_t size = frame.octets.size();
  if (size >= ethernet_header) remember_source(frame);
  if (size < min_frame_octets || size > max_frame_octets) {
    report("wire-frame-size",
           fmt::format("a frame of {} octets was sent: switches drop what is not {} to {} octets long", size,
                       min_frame_octets, max_frame_octets));
  }
  if (size < ethernet_header) return;
  const auto octets = std::span<const std::uint8_t>(frame.octets).subspan(ethernet_header);
  const std::uint16_t type = read16(frame.octets, 12);
  if (type == ethertype_arp && octets.size() < arp_packet) {
    report("wire-length", fmt::format("an ARP packet of {} octets was sent: it has {}", octets.size(), arp_packet));
  }
  if (type != ethertype_ipv4 || !check_ipv4(octets)) return;
  const auto packet = Packet::parse(octets);
  if (packet && packet->protocol == protocol_tcp && !packet->fragment) tcp_from_board(*packet);
}

void FrameCheck::remember_source(const EthernetFrame& frame) {
  const MacAddress source = source_of(frame);
  const auto known = std::find(sources_.begin(), sources_.end(), source);
  if (known != sources_.end()) return;
  if (sources_.size() == most_sources) sources_.pop_front();
  sources_.push_back(source);
}

void FrameCheck::check_source(const EthernetFrame& frame) {
  const MacAddress source = source_of(frame);
  if (std::find(sources_.begin(), sources_.end(), source) == sources_.end()) return;
  report("wire-duplicate-mac",
         fmt::format("a frame came in from {}, the MAC address that this board sends from: give each station its own "
                     "(this project's images take theirs from the EEPROM: --eeprom)",
                     mac_text(source)));
}

void FrameCheck::to_board(const EthernetFrame& frame) {
  if (!frame.fcs_ok() || frame.octets.size() < ethernet_header) return;
  check_source(frame);
  if (read16(frame.octets, 12) != ethertype_ipv4) return;
  const auto packet = Packet::parse(std::span<const std::uint8_t>(frame.octets).subspan(ethernet_header));
  if (packet && packet->protocol == protocol_tcp && !packet->fragment) tcp_to_board(*packet);
}

// RFC 791 3.1
bool FrameCheck::check_ipv4(std::span<const std::uint8_t> octets) {
  if (octets.size() < ipv4_header) {
    return report("wire-length", fmt::format("an IPv4 datagram of {} octets was sent: its header alone has {}",
                                             octets.size(), ipv4_header));
  }
  const std::size_t header = static_cast<std::size_t>(octets[0] & 0xF) * 4;
  const std::size_t total = read16(octets, 2);
  if (octets[0] >> 4 != 4 || header < ipv4_header || header > total || total > octets.size()) {
    return report("wire-length",
                  fmt::format("an IPv4 datagram was sent whose lengths disagree: version and IHL {:#04x}, total length "
                              "{}, {} octets in the frame",
                              octets[0], total, octets.size()));
  }
  if (internet_checksum(octets.first(header)) != 0) {
    return report("wire-ipv4-checksum", "an IPv4 header was sent with a wrong checksum, which every receiver drops");
  }
  if ((read16(octets, 6) & 0x3FFF) != 0) return true;
  return check_transport(octets.first(header), octets.subspan(header, total - header));
}

bool FrameCheck::check_transport(std::span<const std::uint8_t> header, std::span<const std::uint8_t> payload) {
  const std::uint8_t protocol = header[9];
  const auto sum_is_wrong = [&](std::size_t length) {
    const std::uint32_t start =
        protocol == protocol_icmp ? 0 : pseudo_header_sum(read32(header, 12), read32(header, 16), protocol, length);
    return internet_checksum(payload.first(length), start) != 0;
  };
  switch (protocol) {
    case protocol_tcp: {
      const std::size_t offset = payload.size() < tcp_header ? 0 : static_cast<std::size_t>(payload[12] >> 4) * 4;
      if (offset < tcp_header || offset > payload.size()) {
        return report("wire-length", fmt::format("a TCP segment was sent whose lengths disagree: data offset {}, {} "
                                                 "octets in the datagram",
                                                 offset, payload.size()));
      }
      if (sum_is_wrong(payload.size())) {
        return report("wire-tcp-checksum", "a TCP segment was sent with a wrong checksum, which every receiver drops");
      }
      return true;
    }
    case protocol_udp: {
      const std::size_t length = payload.size() < udp_header ? 0 : read16(payload, 4);
      if (length < udp_header || length != payload.size()) {
        return report("wire-length", fmt::format("a UDP datagram was sent whose lengths disagree: UDP length {}, {} "
                                                 "octets in the datagram",
                                                 length, payload.size()));
      }
      if (read16(payload, 6) != 0 && sum_is_wrong(length)) {
        return report("wire-udp-checksum", "a UDP datagram was sent with a wrong checksum, which every receiver drops");
      }
      return true;
    }
    case protocol_icmp:
      if (payload.size() < icmp_header) {
        return report("wire-length", fmt::format("an ICMP message of {} octets was sent: it has at least {}",
                                                 payload.size(), icmp_header));
      }
      if (sum_is_wrong(payload.size())) {
        return report("wire-icmp-checksum",
                      "an ICMP message was sent with a wrong checksum, which every receiver drops");
      }
      return true;
    default:
      return true;
  }
}

FrameCheck::Flow& FrameCheck::flow_of(const FlowKey& key) {
  if (flows_.size() >= most_flows && !flows_.contains(key)) {
    flows_.erase(std::min_element(flows_.begin(), flows_.end(), [](const auto& a, const auto& b) {
      return a.second.last_used < b.second.last_used;
    }));
  }
  Flow& flow = flows_[key];
  flow.last_used = ++packets_;
  return flow;
}

void FrameCheck::tcp_to_board(const Packet& packet) {
  const FlowKey key{packet.source, packet.source_port, packet.destination_port};
  const bool syn = (packet.tcp_flags & tcp_flag::syn) != 0, ack = (packet.tcp_flags & tcp_flag::ack) != 0;
  if ((packet.tcp_flags & tcp_flag::rst) != 0) {
    flows_.erase(key);
    return;
  }
  if (syn && !ack) {
    // A SYN repeated is the same connection; another one begins anew.
    const auto known = flows_.find(key);
    if (known == flows_.end() || !known->second.peer_known || known->second.peer_next != packet.tcp_sequence + 1) {
      flows_.erase(key);
    }
  } else if (!flows_.contains(key)) {
    return;
  }
  Flow& flow = flow_of(key);
  const std::uint32_t end = packet.tcp_sequence + length_of(packet);
  if (!flow.peer_known || distance(end, flow.peer_next) > 0) flow.peer_next = end;
  flow.peer_known = true;
  if (syn) flow.peer_scale = window_scale(packet).value_or(-1);
  if (!ack) return;
  const int scale = !syn && flow.board_scales && flow.peer_scale >= 0 ? flow.peer_scale : 0;
  const std::uint32_t edge = packet.tcp_acknowledgment + (std::uint32_t{packet.tcp_window} << scale);
  if (!flow.edge_known || distance(edge, flow.edge) > 0) flow.edge = edge;
  flow.edge_known = true;
  for (; !flow.sent.empty() && distance(packet.tcp_acknowledgment, flow.sent_base) > 0; ++flow.sent_base) {
    flow.sent.pop_front();
  }
}

void FrameCheck::tcp_from_board(const Packet& packet) {
  const FlowKey key{packet.destination, packet.destination_port, packet.source_port};
  const bool syn = (packet.tcp_flags & tcp_flag::syn) != 0, ack = (packet.tcp_flags & tcp_flag::ack) != 0;
  if ((packet.tcp_flags & tcp_flag::rst) != 0) {
    flows_.erase(key);
    return;
  }
  if (!flows_.contains(key) && !(syn && !ack)) return;
  Flow& flow = flow_of(key);
  if (ack && flow.peer_known && distance(packet.tcp_acknowledgment, flow.peer_next) > 0) {
    report("wire-tcp-ack", fmt::format("a segment to port {} acknowledges {} octets more than the peer has sent",
                                       packet.destination_port, distance(packet.tcp_acknowledgment, flow.peer_next)));
  }
  if (syn) {
    if (!ack && (!flow.board_known || flow.board_next != packet.tcp_sequence + 1)) flow = Flow{};
    flow.last_used = packets_;
    flow.board_scales = window_scale(packet).has_value();
    flow.board_known = true;
    flow.board_next = flow.sent_base = packet.tcp_sequence + 1;
    flow.sent.clear();
    return;
  }
  if (flow.board_known) check_data(flow, packet);
}

void FrameCheck::check_data(Flow& flow, const Packet& packet) {
  const std::uint32_t end = packet.tcp_sequence + length_of(packet);
  const auto data = packet.data;
  if (distance(packet.tcp_sequence, flow.board_next) > 0) {
    report("wire-tcp-sequence", fmt::format("a segment to port {} begins {} octets behind the last one sent",
                                            packet.destination_port, distance(packet.tcp_sequence, flow.board_next)));
    flow.sent.clear();
    flow.sent_base = flow.board_next = packet.tcp_sequence;
  }
  // One octet into a closed window is a probe (RFC 9293 3.8.6.1).
  const bool probe = data.size() == 1 && packet.tcp_sequence == flow.edge;
  const std::uint32_t data_end = packet.tcp_sequence + static_cast<std::uint32_t>(data.size());
  if (!data.empty() && flow.edge_known && distance(data_end, flow.edge) > 0 && !probe) {
    report("wire-tcp-window", fmt::format("a segment to port {} ends {} octets beyond the window that the peer offers",
                                          packet.destination_port, distance(data_end, flow.edge)));
  }
  bool same = true;
  for (std::size_t n = 0; n < data.size(); ++n) {
    const std::int32_t at = distance(packet.tcp_sequence + static_cast<std::uint32_t>(n), flow.sent_base);
    if (at < 0) continue;
    if (static_cast<std::size_t>(at) < flow.sent.size()) {
      same = same && flow.sent[static_cast<std::size_t>(at)] == data[n];
    } else {
      flow.sent.push_back(data[n]);
    }
  }
  if (!same) {
    report("wire-tcp-resend", fmt::format("a segment to port {} repeats sequence number {} with other octets",
                                          packet.destination_port, packet.tcp_sequence));
  }
  if (distance(end, flow.board_next) > 0) flow.board_next = end;
}

}  // namespace avrlan::net
