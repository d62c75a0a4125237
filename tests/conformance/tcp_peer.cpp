#include "tests/conformance/tcp_peer.hpp"

#include <algorithm>

namespace avrlan::test {

using net::protocol_tcp;
using net::read16;

std::optional<std::uint16_t> Segment::mss() const {
  for (std::size_t i = 0; i + 1 < options.size() && options[i] != 0;) {
    if (options[i] == 1) {
      ++i;
      continue;
    }
    if (options[i] == 2 && i + 3 < options.size()) return read16(options, i + 2);
    i += std::max<std::size_t>(options[i + 1], 2);
  }
  return std::nullopt;
}

std::uint32_t Segment::end() const {
  return seq + static_cast<std::uint32_t>(data.size()) + (has(SYN) ? 1 : 0) + (has(FIN) ? 1 : 0);
}

std::string Segment::text() const {
  std::string text = flags_text(static_cast<std::uint8_t>(flags & ~PSH));
  text += " " + std::to_string(seq) + "+" + std::to_string(data.size());
  if (has(ACK)) text += " ack " + std::to_string(ack);
  return text;
}

TcpPeer::TcpPeer(Link& link, std::uint16_t to_port) : stack_port(to_port), link_(link) {
  port = link.fresh_port();
}

Tcp TcpPeer::make(std::uint8_t flags, std::uint32_t seq, std::uint32_t ack, const Octets& data) const {
  return {.from = port,
          .to = stack_port,
          .seq = isn + seq,
          .ack = (flags & ACK) != 0 ? stack_isn + ack : 0,
          .flags = flags,
          .window = window,
          .data = data};
}

void TcpPeer::send(const Tcp& segment) {
  link_.send(Ip{.from = mac, .protocol = protocol_tcp, .source = ip, .payload = segment.payload(ip, our_ip)}.frame());
}

std::optional<Segment> TcpPeer::next(Duration within) {
  const auto frame = link_.find(within, [this](const Link::Frame& f) {
    const auto packet = read_ip(f.octets);
    return packet && packet->protocol == protocol_tcp && packet->destination == ip &&
           packet->destination_port == port && packet->source_port == stack_port;
  });
  if (!frame) return std::nullopt;
  const auto packet = read_ip(frame->octets);
  require(destination_of(frame->octets) == mac, "a segment to another MAC address");
  Segment segment;
  segment.at = frame->at;
  segment.flags = packet->tcp_flags;
  if (segment.has(SYN)) stack_isn = packet->tcp_sequence;
  segment.seq = packet->tcp_sequence - stack_isn;
  segment.ack = packet->tcp_acknowledgment - isn;
  segment.window = packet->tcp_window;
  segment.data.assign(packet->data.begin(), packet->data.end());
  const auto options = packet->payload.subspan(20, packet->payload.size() - packet->data.size() - 20);
  segment.options.assign(options.begin(), options.end());
  segment.frame = frame->octets;
  return segment;
}

Segment TcpPeer::expect(const std::string& text, Duration within) {
  const auto segment = next(within);
  require(segment.has_value(), "expected " + text + ", got nothing");
  require(segment->text() == text, "expected " + text + ", got " + segment->text());
  return *segment;
}

void TcpPeer::silence(Duration d) {
  const auto segment = next(d);
  require(!segment, "expected silence, got " + (segment ? segment->text() : ""));
}

void TcpPeer::expect_ack(std::uint32_t seq, Duration within) {
  const Instant end = link_.now() + within;
  while (const auto segment = next(std::max(end - link_.now(), Duration{}))) {
    require(!segment->has(RST), "expected ack " + std::to_string(seq) + ", got " + segment->text());
    if (segment->has(ACK) && segment->ack == seq) return;
  }
  throw Broken("expected ack " + std::to_string(seq));
}

void TcpPeer::open(std::uint16_t mss) {
  Tcp first = make(SYN, 0, 0);
  first.options = mss_option(mss);
  send(first);
  expect("SYN ACK 0+0 ack 1");
  send(ACK, 1, 1);
  link_.run_for(ms(5));
}

Segment TcpPeer::accept_syn() {
  const auto frame = link_.find(s(2), [this](const Link::Frame& f) {
    const auto packet = read_ip(f.octets);
    return packet && packet->is_tcp(SYN, ACK) && packet->destination == ip;
  });
  require(frame.has_value(), "the stack does not connect");
  const auto packet = read_ip(frame->octets);
  Segment segment;
  segment.at = frame->at;
  segment.flags = packet->tcp_flags;
  segment.window = packet->tcp_window;
  segment.options.assign(packet->payload.begin() + 20, packet->payload.end());
  segment.frame = frame->octets;
  stack_port = packet->source_port;
  port = packet->destination_port;
  stack_isn = packet->tcp_sequence;
  return segment;
}

void TcpPeer::accept(std::uint16_t mss) {
  accept_syn();
  Tcp answer = make(SYN | ACK, 0, 1);
  answer.options = mss_option(mss);
  send(answer);
  expect("ACK 1+0 ack 1");
}

Octets TcpPeer::transfer(const Octets& data, std::size_t n, std::size_t size) {
  Octets got;
  std::uint32_t acknowledged = sent;  // by the stack
  std::size_t at = 0;                 // of the data, acknowledged
  Instant sent_at = Instant::at(Duration{});
  std::size_t flying = 0;
  int retries = 0;
  while (at < data.size() || got.size() < n) {
    if (at < data.size() && (flying == 0 || link_.now() - sent_at > ms(600))) {
      if (flying != 0) require(++retries < 20, "data is not acknowledged");
      flying = std::min(size, data.size() - at);
      const auto from = data.begin() + static_cast<std::ptrdiff_t>(at);
      send(ACK | PSH, acknowledged, taken, Octets(from, from + static_cast<std::ptrdiff_t>(flying)));
      sent_at = link_.now();
    }
    const auto segment = next(at < data.size() ? ms(700) : s(70));
    if (!segment) {
      require(at < data.size() && flying != 0,
              "expected " + std::to_string(n) + " octets, got " + std::to_string(got.size()) + " and then nothing");
      continue;
    }
    require(!segment->has(RST), "a reset");
    const std::uint32_t more = segment->ack - acknowledged;
    if (more != 0 && more < 0x10000) {  // more than is flying when the stack has kept what came before
      acknowledged += more;
      at = std::min(at + more, data.size());
      flying = 0;
      retries = 0;
    }
    if (segment->data.empty()) continue;
    const std::uint32_t old = taken - segment->seq;
    if (old < segment->data.size()) {
      got.insert(got.end(), segment->data.begin() + old, segment->data.end());
      taken += static_cast<std::uint32_t>(segment->data.size()) - old;
    }
    send(ACK, acknowledged, taken);
  }
  sent = acknowledged;
  return got;
}

std::vector<std::uint32_t> numbers_of_200_connections(Link& link, std::uint16_t port) {
  std::vector<std::uint32_t> numbers;
  for (int n = 0; n < 200; ++n) {
    TcpPeer peer(link, port);
    peer.send(SYN, 0, 0);
    peer.expect("SYN ACK 0+0 ack 1");
    peer.drop();
    numbers.push_back(peer.stack_isn);
    link.run_for(ms(2));
  }
  return numbers;
}

}  // namespace avrlan::test
