#include "emulator/net/flows.hpp"

#include "emulator/net/user_network.hpp"

namespace avrlan::net {
namespace {

// libslirp 4.7.0 forgets after these (socket.h, tcp_timer.h); so do we.
constexpr Duration datagram_lifetime = Duration::seconds(240);
constexpr Duration name_query_lifetime = Duration::seconds(10);
constexpr Duration handshake_lifetime = Duration::seconds(75);
constexpr Duration half_closed_lifetime = Duration::seconds(600);
// How long after a host's datagram another one is likely.
constexpr Duration datagram_linger = Duration::seconds(10);

constexpr std::uint8_t echo_reply = 0;
constexpr std::uint8_t destination_unreachable = 3;
constexpr std::uint8_t echo_request = 8;
constexpr std::uint8_t time_exceeded = 11;

bool is_group_address(std::uint32_t address) {
  return address >= 0xe0000000 || address == (user_network::network | ~user_network::netmask);
}

bool is_own_service(const FlowKey& key) {
  return key.protocol == protocol_udp &&
         (key.host_port == user_network::dhcp_server_port || key.host_port == user_network::tftp_port) &&
         (key.host == user_network::gateway || key.host == 0xffffffff);
}

// Nobody is waited for behind a group address, and the gateway's own services answer at once.
bool is_conversation(const FlowKey& key) {
  return !is_group_address(key.host) && !is_group_address(key.board) && !is_own_service(key);
}

std::optional<FlowKey> key_from_board(const Packet& packet) {
  FlowKey key{packet.protocol, packet.source, packet.source_port, packet.destination, packet.destination_port};
  if (packet.protocol == protocol_icmp) {
    if (packet.payload[0] != echo_request) return std::nullopt;
    key.board_port = read16(packet.payload, 4);
  } else if (packet.protocol != protocol_tcp && packet.protocol != protocol_udp) {
    return std::nullopt;
  }
  if (packet.fragment || !is_conversation(key)) return std::nullopt;
  return key;
}

std::optional<FlowKey> key_to_board(const Packet& packet) {
  FlowKey key{packet.protocol, packet.destination, packet.destination_port, packet.source, packet.source_port};
  if (packet.protocol == protocol_icmp) {
    if (packet.payload[0] != echo_reply) return std::nullopt;
    key.board_port = read16(packet.payload, 4);
  } else if (packet.protocol != protocol_tcp && packet.protocol != protocol_udp) {
    return std::nullopt;
  }
  if (packet.fragment || !is_conversation(key)) return std::nullopt;
  return key;
}

bool later(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

}  // namespace

void Flows::tcp_from_board(const FlowKey& key, const Packet& packet, Instant now) {
  auto found = flows_.find(key);
  if (found == flows_.end()) {
    if (!packet.is_tcp(tcp_flag::syn, tcp_flag::ack | tcp_flag::rst | tcp_flag::fin)) return;
    Flow flow(false);
    flow.awaited = true;
    flow.board_next = packet.tcp_sequence + 1;
    flow.last = now;
    flows_.emplace(key, flow);
    return;
  }
  Flow& flow = found->second;
  flow.last = now;
  if (packet.is_tcp(tcp_flag::rst, 0)) {
    flows_.erase(found);
    return;
  }
  if (packet.is_tcp(tcp_flag::syn | tcp_flag::ack, 0)) flow.established = true;
  const bool fin = packet.is_tcp(tcp_flag::fin, 0);
  const std::uint32_t next = packet.tcp_sequence + static_cast<std::uint32_t>(packet.data.size()) + (fin ? 1U : 0U);
  if (!flow.from_host && later(next, flow.board_next)) {
    flow.board_next = next;
    flow.awaited = true;
  }
  flow.board_closed |= fin;
  if (flow.board_closed && flow.host_closed) flows_.erase(found);
}

void Flows::tcp_to_board(const FlowKey& key, const Packet& packet, Instant now) {
  auto found = flows_.find(key);
  if (found == flows_.end()) {
    if (!packet.is_tcp(tcp_flag::syn, tcp_flag::ack | tcp_flag::rst)) return;
    Flow flow(true);
    flow.last = now;
    flows_.emplace(key, flow);
    return;
  }
  Flow& flow = found->second;
  flow.last = now;
  if (packet.is_tcp(tcp_flag::rst, 0)) {
    flows_.erase(found);
    return;
  }
  const bool fin = packet.is_tcp(tcp_flag::fin, 0);
  if (packet.is_tcp(tcp_flag::syn | tcp_flag::ack, 0)) flow.established = true;
  const std::uint32_t edge = packet.tcp_acknowledgment + packet.tcp_window;
  if (packet.is_tcp(tcp_flag::ack, 0) && (!flow.edge_known || later(edge, flow.host_edge))) {
    flow.edge_known = true;
    flow.host_edge = edge;
  }
  if (packet.is_tcp(tcp_flag::syn, 0) || fin || !packet.data.empty()) flow.awaited = flow.given_up = false;
  flow.host_closed |= fin;
  if (flow.board_closed && flow.host_closed) flows_.erase(found);
}

void Flows::error_to_board(const Packet& packet) {
  const std::uint8_t type = packet.payload[0];
  if (type != destination_unreachable && type != time_exceeded) return;
  const auto quoted = Packet::parse_quoted(packet.data);
  if (!quoted) return;
  const auto key = key_from_board(*quoted);
  if (!key) return;
  const auto found = flows_.find(*key);
  if (found != flows_.end() && !found->second.established && !found->second.from_host) flows_.erase(found);
}

void Flows::from_board(const Packet& packet, Instant now) {
  const auto key = key_from_board(packet);
  if (!key) return;
  if (packet.protocol == protocol_tcp) return tcp_from_board(*key, packet, now);
  Flow& flow = flows_.try_emplace(*key, false).first->second;
  flow.awaited = !flow.from_host;
  flow.last = now;
}

void Flows::to_board(const Packet& packet, Instant now) {
  if (packet.protocol == protocol_icmp && !packet.fragment && packet.payload[0] != echo_reply) {
    return error_to_board(packet);
  }
  const auto key = key_to_board(packet);
  if (!key) return;
  if (packet.protocol == protocol_tcp) return tcp_to_board(*key, packet, now);
  if (packet.protocol == protocol_icmp) {
    flows_.erase(*key);
    return;
  }
  Flow& flow = flows_.try_emplace(*key, true).first->second;
  flow.awaited = flow.given_up = false;
  flow.last = now;
}

bool Flows::has_room_for(const Packet& packet, Instant now) {
  const auto key = key_from_board(packet);
  if (!key || flows_.size() < limit || flows_.contains(*key)) return true;
  expire(now);
  return flows_.size() < limit;
}

// libslirp 4.7.0, tcp_reass(): behind the last queued segment it takes the connection's control block for another one and
// looks only whether its sequence number, which reads as 0, comes next. Data that end at sequence number 0 outside of the
// fast path crash it. So no segment passes whose data end there, nor one that its window could cut there.
bool Flows::is_safe_for_slirp(const Packet& packet) const {
  if (packet.protocol != protocol_tcp || (packet.data.empty() && !packet.is_tcp(tcp_flag::fin, 0))) return true;
  const std::uint32_t start = packet.tcp_sequence + (packet.is_tcp(tcp_flag::syn, 0) ? 1U : 0U);
  const std::uint32_t end = start + static_cast<std::uint32_t>(packet.data.size());
  if (end == 0) return false;
  if (end >= start) return true;
  const auto key = key_from_board(packet);
  const auto found = key ? flows_.find(*key) : flows_.end();
  return found != flows_.end() && found->second.edge_known && !later(end, found->second.host_edge);
}

// libslirp 4.7.0, tcp_mss(): each time that a SYN with an MSS comes it sets up the buffer of what it has read from the host anew,
// and what is in there is lost.
bool Flows::repeats_syn(const Packet& packet) const {
  if (!packet.is_tcp(tcp_flag::syn, 0)) return false;
  const auto key = key_from_board(packet);
  const auto found = key ? flows_.find(*key) : flows_.end();
  return found != flows_.end() && (found->second.established || !found->second.from_host);
}

bool Flows::answers_host(const Packet& packet) const {
  if (packet.protocol != protocol_udp || packet.fragment) return false;
  const auto found = flows_.find(
      FlowKey{packet.protocol, packet.source, packet.source_port, packet.destination, packet.destination_port});
  return found != flows_.end() && found->second.from_host;
}

void Flows::expire(Instant now) {
  std::erase_if(flows_, [now](const auto& entry) {
    const auto& [key, flow] = entry;
    const Duration silent = now - flow.last;
    if (key.protocol != protocol_tcp) {
      return silent > (key.host_port == user_network::dns_port ? name_query_lifetime : datagram_lifetime);
    }
    if (!flow.established) return silent > handshake_lifetime;
    return (flow.board_closed || flow.host_closed) && silent > half_closed_lifetime;
  });
}

HostState Flows::state(Instant now) {
  expire(now);
  HostState state = HostState::idle;
  for (const auto& [key, flow] : flows_) {
    if (flow.awaited && !flow.given_up) return HostState::reply_outstanding;
    if (key.protocol == protocol_tcp || (flow.from_host && now - flow.last <= datagram_linger)) {
      state = HostState::connected;
    }
  }
  return state;
}

void Flows::give_up_waiting() {
  for (auto& [key, flow] : flows_) {
    if (flow.awaited) flow.given_up = true;
  }
}

}  // namespace avrlan::net
