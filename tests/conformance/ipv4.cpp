// IPv4: RFC 791, 1122 3.2.1 and 3.3.

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

Ip echo(std::size_t n = 20) {
  return Ip{.payload = echo_request(filler(n))};
}
// A SYN to the echo service.
Ip syn_from(std::uint32_t source, std::uint32_t destination = our_ip) {
  return Ip{.protocol = net::protocol_tcp,
            .source = source,
            .destination = destination,
            .payload = Tcp{.flags = SYN}.payload(source, destination)};
}

void expect_reply(Link& link, const std::string& otherwise) {
  require(link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); }).has_value(), otherwise);
}
// The stack drops these and lives.
void dropped(Link& link, const std::vector<Octets>& frames) {
  for (const Octets& frame : frames) {
    link.send(frame);
    link.silence(s(1));
  }
  ping(link, octets("alive"));
}

void version(Link& link) {
  Ip five = echo(), six = echo();
  five.version_ihl = 0x55;
  six.version_ihl = 0x65;
  dropped(link, {five.frame(), six.frame()});
}

void header_checksum(Link& link) {
  Ip wrong = echo(), options = echo();
  wrong.spoil = 1;
  options.options = {1, 1, 1, 0};
  options.spoil = 0x100;
  dropped(link, {wrong.frame(), options.frame()});
}

void total_length(Link& link) {
  std::vector<Octets> frames;
  for (const unsigned n : {0u, 10u, 19u, 1500u, 65535u}) {
    Ip wrong = echo(0);
    wrong.total_length = static_cast<std::uint16_t>(n);
    frames.push_back(wrong.frame());
  }
  Ip short_header = echo(0), long_header = echo(0);
  short_header.version_ihl = 0x44;
  long_header.version_ihl = 0x4f;
  frames.push_back(short_header.frame());
  frames.push_back(long_header.frame());
  dropped(link, frames);
}

void options(Link& link) {
  const std::vector<Octets> all = {
      {1, 1, 1, 0},                               // NOP, END
      {7, 7, 4, 0, 0, 0, 0, 0},                   // record route
      {68, 8, 5, 0, 0, 0, 0, 0},                  // timestamp
      {0x94, 4, 0, 0},                            // router alert
      {0x9e, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},  // unknown
      filler(40, 0x82),                           // the longest header
  };
  for (const Octets& some : all) {
    Ip ip = echo();
    ip.options = some;
    link.send(ip.frame());
    expect_reply(link, "no reply to an echo request with options");
  }
  TcpPeer peer(link, 7);
  Ip ip{.protocol = net::protocol_tcp, .options = all[1], .payload = peer.make(SYN, 0, 0).payload()};
  link.send(ip.frame());
  peer.expect("SYN ACK 0+0 ack 1");
}

void never_forwards(Link& link) {
  Ip routed = echo();
  routed.options = {0x83, 7, 4, 0xc0, 0, 2, 1, 0};  // loose source route by way of us to 192.0.2.1
  link.send(routed.frame());
  routed.options[0] = 0x89;
  link.send(routed.frame());
  Ip through = echo();
  through.destination = far_ip;
  link.send(through.frame());
  while (const auto frame = link.next(s(1))) {
    const auto packet = read_ip(frame->octets);
    require(!packet || packet->destination != far_ip, "a datagram was forwarded");
  }
}

void ttl(Link& link) {
  for (const unsigned n : {1u, 0u}) {
    Ip ip = echo();
    ip.ttl = static_cast<std::uint8_t>(n);
    link.send(ip.frame());
    const auto frame = link.next(s(1));
    require(frame && is_icmp(*frame, 0, 0), "no reply to a datagram with TTL " + std::to_string(n));
    require(read_ip(frame->octets)->header[8] >= 32, "a TTL less than 32");
  }
}

void destination(Link& link) {
  std::vector<Octets> frames;
  for (const std::uint32_t to : {peer_ip, far_ip, 0u, 0x7f000001u, 0xe0000001u, 0x0a000002u}) {
    Ip ip = echo();
    ip.destination = to;
    frames.push_back(ip.frame());
    frames.push_back(syn_from(peer_ip, to).frame());
  }
  dropped(link, frames);
}

void source(Link& link) {
  std::vector<Octets> frames;
  for (const std::uint32_t from : {broadcast_ip, our_broadcast, 0xe0000001u, 0xf0000001u, 0u, our_ip}) {
    frames.push_back(syn_from(from).frame());
    Ip ip = echo();
    ip.source = from;
    frames.push_back(ip.frame());
  }
  dropped(link, frames);
  require(link.asked.size() <= 1, "asks for the address of a source that no host has");
}

void loopback(Link& link) {
  Ip ip = echo();
  ip.source = 0x7f000001;
  dropped(link, {syn_from(0x7f000001).frame(), syn_from(0x7fffffff).frame(), ip.frame()});
}

void link_broadcast(Link& link) {
  Ip first = syn_from(peer_ip), second = echo();
  first.to = second.to = everybody;
  dropped(link, {first.frame(), second.frame()});
}

void identification(Link& link) {
  std::set<std::uint16_t> ids;
  for (int n = 0; n < 100; ++n) {
    link.send(echo().frame());
    const auto frame = link.next(s(1));
    require(frame && is_icmp(*frame, 0, 0), "no echo reply");
    const auto header = read_ip(frame->octets)->header;
    if ((net::read16(header, 6) & dont_fragment) != 0) return;
    ids.insert(net::read16(header, 4));
  }
  require(ids.size() == 100, "identifications repeat");
}

// `sent` fragments of `whole`, an echo request, in this order: one whole reply.
void reassembled(Link& link, const Ip& whole, const std::vector<Octets>& fragments) {
  for (const Octets& frame : fragments) {
    link.send(frame);
    if (fragments.size() > 10) link.run_for(ms(1));  // more than the chip has room for
  }
  Octets data;
  std::size_t total = 0;
  // The reply may be fragmented, too.
  const Instant end = link.now() + s(1);
  while (total == 0 || data.size() < total) {
    const auto frame = link.next(end - link.now());
    require(frame.has_value(), "no reply to a fragmented echo request");
    const auto packet = read_ip(frame->octets);
    if (!packet || packet->protocol != net::protocol_icmp) continue;
    const std::uint16_t field = net::read16(packet->header, 6);
    const std::size_t at = (field & 0x1fffu) * 8;
    if (data.size() < at + packet->payload.size()) data.resize(at + packet->payload.size());
    std::copy(packet->payload.begin(), packet->payload.end(), data.begin() + static_cast<std::ptrdiff_t>(at));
    if ((field & more_fragments) == 0) total = at + packet->payload.size();
  }
  require(net::internet_checksum(data) == 0 && data[0] == 0, "a wrong echo reply");
  require(std::equal(data.begin() + 4, data.end(), whole.payload.begin() + 4, whole.payload.end()),
          "an echo reply with other octets");
}

void smallest_maximum(Link& link) {
  Ip whole = echo(576 - 28);
  reassembled(link, whole, whole.fragments(280));
  reassembled(link, whole, whole.fragments(8));
  // A datagram of a transport with a checksum of its own (uIP lost the last 20 octets).
  Ip datagram{.protocol = net::protocol_udp, .payload = Udp{.data = filler(500)}.payload()};
  for (const Octets& frame : datagram.fragments(256)) link.send(frame);
  const auto frame = link.find(s(1), [](const Link::Frame& f) {
    const auto packet = read_ip(f.octets);
    return packet && packet->protocol == net::protocol_udp && packet->source_port == 7;
  });
  require(frame.has_value(), "no reply to a fragmented UDP datagram");
  require(read_ip(frame->octets)->data.size() == 500, "a UDP reply of another length");
  // Less than 64 octets in all (an underflow on machines of 16 bits).
  Ip little = echo(28);
  reassembled(link, little, little.fragments(24));
}

void any_order(Link& link) {
  std::vector<std::size_t> order(4);
  std::iota(order.begin(), order.end(), 0u);
  std::uint16_t id = 100;
  do {
    Ip whole = echo(200);
    whole.id = id++;
    const auto parts = whole.fragments(56);
    std::vector<Octets> frames;
    for (const std::size_t n : order) frames.push_back(parts.at(n));
    frames.insert(frames.begin() + 1, frames.front());  // a duplicate
    reassembled(link, whole, frames);
    link.silence(ms(20));
  } while (std::next_permutation(order.begin(), order.end()));
}

void reassembly_timer(Link& link) {
  Ip whole = echo(100);
  const auto parts = whole.fragments(56);
  link.send(parts[0]);
  link.run_for(s(50));
  reassembled(link, whole, {parts[1]});

  whole.id = 2;
  const auto late = whole.fragments(56);
  link.send(late[0]);
  link.run_for(s(130));
  link.forget();
  link.send(late[1]);
  link.silence(s(1));

  whole.id = 3;
  const auto refreshed = whole.fragments(40);
  link.send(refreshed[0]);
  link.run_for(s(55));
  link.send(refreshed[1]);
  link.run_for(s(70));
  link.forget();
  link.send(refreshed[2]);
  link.silence(s(1));
  ping(link, octets("alive"));
}

void time_exceeded(Link& link) {
  Ip whole = echo(100);
  const auto parts = whole.fragments(56);
  link.send(parts[0]);
  const auto frame = link.next(s(130));
  require(frame && is_icmp(*frame, 11, 1), "no ICMP time exceeded");
  const auto quote = read_ip(frame->octets)->data;
  require(quote.size() >= 28 && std::equal(quote.begin(), quote.begin() + 28, parts[0].begin() + 14),
          "does not quote the first fragment");
  // Not without the first fragment.
  whole.id = 2;
  link.send(whole.fragments(56)[1]);
  link.silence(s(130));
}

void separate_datagrams(Link& link) {
  Ip ping_parts = echo(100);
  Ip udp{.protocol = net::protocol_udp, .payload = Udp{.data = filler(100, 50)}.payload()};
  const auto a = ping_parts.fragments(56), b = udp.fragments(56);
  link.send(a[0]);
  link.send(b[0]);
  link.send(b[1]);
  link.send(a[1]);
  int replies = 0;
  while (const auto frame = link.next(s(1))) {
    const auto packet = read_ip(frame->octets);
    if (!packet) continue;
    const Octets& sent = packet->protocol == net::protocol_udp ? udp.payload : ping_parts.payload;
    require(std::equal(packet->data.begin(), packet->data.end(), sent.begin() + 8, sent.end()), "mixed datagrams");
    ++replies;
  }
  // A profile that has one datagram at a time may lose one of them.
  require(replies >= (link.profile == Profile::full ? 2 : 1), "no datagram of two at once is reassembled");
}

// A fragment of an echo request with `n` octets at `at`.
Octets part(std::uint16_t id, std::size_t at, std::size_t n, bool more, unsigned first = 0) {
  Ip ip;
  ip.id = id;
  ip.payload = at == 0 ? echo_request(filler(n < 8 ? 0 : n - 8, first)) : filler(n, first);
  ip.payload.resize(n);
  ip.fragment = static_cast<std::uint16_t>(at / 8 | (more ? more_fragments : 0));
  return ip.frame();
}

void overlap(Link& link) {
  Ip whole = echo(72);
  const auto parts = whole.fragments(40);
  link.send(parts[0]);
  link.send(part(whole.id, 24, 8, true, 99));  // other octets where there are some
  link.send(parts[1]);
  link.silence(s(1));
  link.send(part(7, 0, 40, true));  // teardrop
  link.send(part(7, 24, 4, false));
  link.silence(s(1));
  ping(link, octets("alive"));
}

void impossible_fragments(Link& link) {
  for (const auto& frames : {
           std::vector{part(1, 0, 400, true), part(1, 65'480, 400, false)},                // beyond 65535
           std::vector{part(2, 0, 13, true), part(2, 8, 8, false)},                        // not a multiple of 8
           std::vector{part(3, 0, 8, true), part(3, 16, 8, false), part(3, 8, 8, false)},  // two ends
           std::vector{part(4, 0, 8, true), part(4, 8, 16, false), part(4, 40, 8, true)},  // behind the end
           std::vector{part(5, 0, 0, true), part(5, 0, 0, false)},
       }) {
    for (const Octets& frame : frames) link.send(frame);
    while (const auto frame = link.next(ms(200)))
      require(!is_icmp(*frame, 0, 0), "a reply to fragments that do not fit together");
    ping(link, octets("alive"));
  }
}

void fragment_flood(Link& link) {
  for (std::uint16_t id = 1; id <= 40; ++id) {
    link.send(part(id, 0, 64, true));
    link.run_for(ms(2));
  }
  link.run_for(s(1));
  link.forget();
  Ip whole = echo(100);
  whole.id = 1000;
  reassembled(link, whole, whole.fragments(56));
}

void never_exceeds(Link& link) {
  TcpPeer peer(link, 19);
  peer.window = 20'000;
  peer.open(9000);
  std::uint32_t taken = 1;
  for (int n = 0; n < 10; ++n) {
    const auto segment = peer.next();
    require(segment.has_value(), "no data");
    require(segment->data.size() <= 1460, "a segment that does not fit");
    taken = segment->end();
    peer.send(ACK, 1, taken);
  }
}

void far_peers(Link& link) {
  TcpPeer peer(link, 19);
  peer.ip = far_ip;
  peer.mac = gateway_mac;
  peer.send(SYN, 0, 0);
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(ACK, 1, 1);
  const auto segment = peer.next();
  require(segment && !segment->data.empty(), "no data");
  require(segment->data.size() <= 536, "more than 536 octets to a far peer that has not said so");
}

void next_hop(Link& link) {
  Ip ip = syn_from(far_ip);
  ip.from = gateway_mac;
  link.send(ip.frame());
  const auto frame = link.next(s(1));
  require(frame && destination_of(frame->octets) == gateway_mac, "not to the gateway");
  require(std::none_of(link.asked.begin(), link.asked.end(), [](const auto& a) { return a.address == far_ip; }),
          "asks for an address that is not on the link");
  ping(link, octets("on the link"));
}

void broadcasts(Link& link) {
  for (const std::uint32_t to : {broadcast_ip, our_broadcast}) {
    Ip datagram{.to = everybody, .protocol = net::protocol_udp, .destination = to};
    datagram.payload = Udp{.to = 10, .data = octets("hello")}.payload(peer_ip, to);
    link.send(datagram.frame());
    const auto frame = link.next(s(1));
    require(frame.has_value(), "a broadcast UDP datagram is not received");
    require(read_ip(frame->octets)->source == our_ip, "an answer from a broadcast address");
    Ip first = syn_from(peer_ip, to);
    first.to = everybody;
    link.send(first.frame());
    link.silence(s(1));
    first.to = our_mac;
    link.send(first.frame());
    link.silence(s(1));
  }
}

}  // namespace

std::vector<Rule> ipv4_rules() {
  using enum Level;
  return {
      {"IP-1", must, "1122 3.2.1.1", true, true, "drops other versions", version},
      {"IP-2", must, "1122 3.2.1.2", true, true, "verifies the header checksum", header_checksum},
      {"IP-3", must, "791 3.1", true, true, "drops impossible header and total lengths", total_length},
      {"IP-4", must, "1122 3.2.1.8", true, true, "takes datagrams with options", options},
      {"IP-5", must, "1122 3.2.1.8", true, true, "never forwards, nor by source route", never_forwards},
      {"IP-6", must, "1122 3.2.1.7", true, true, "takes TTL 0 and 1, sends no small TTL", ttl},
      {"IP-7", must, "1122 3.2.1.3", true, true, "drops what is for others", destination},
      {"IP-8", must, "1122 3.2.1.3", true, true, "drops sources that no single other host has", source},
      {"IP-9", must, "1122 3.2.1.3", true, true, "drops 127/8", loopback},
      {"IP-10", should, "1122 3.3.6", true, true, "drops TCP and echo in link broadcasts", link_broadcast},
      {"IP-11", must, "6864 4", true, true, "identifications do not repeat soon", identification},
      {"IP-12", must, "1122 3.3.2", true, true, "reassembles 576 octets", smallest_maximum},
      {"IP-13", must, "791 3.2", true, true, "reassembles in any order, with duplicates", any_order},
      {"IP-14", must, "1122 3.3.2", true, true, "reassembly ends 60 to 120 s after its first fragment",
       reassembly_timer},
      {"IP-15", should, "1122 3.3.2", false, true, "sends time exceeded with the first fragment", time_exceeded},
      {"IP-16", must, "791 3.2", true, true, "does not mix datagrams", separate_datagrams},
      {"IP-17", should, "5722", true, true, "drops datagrams with overlapping fragments", overlap},
      {"IP-18", must, "791 3.2", true, true, "drops fragments that do not fit together", impossible_fragments},
      {"IP-19", may, "1122 3.3.2", true, true, "survives a flood of first fragments", fragment_flood},
      {"IP-20", must, "1122 3.3.3", true, true, "sends no more than the MTU", never_exceeds},
      {"IP-21", should, "1122 3.3.3", true, true, "sends 576 octets at most to far hosts", far_peers},
      {"IP-22", must, "1122 3.3.1.1", true, true, "on the link by mask, else by the gateway", next_hop},
      {"IP-24", must, "1122 3.3.6", true, true, "takes broadcasts for UDP, never for TCP", broadcasts},
  };
}

}  // namespace avrlan::test
