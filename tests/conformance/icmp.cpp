// ICMP: RFC 792, 1122 3.2.2, 5927, 6633.

#include <algorithm>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

void dropped(Link& link, const std::vector<Octets>& messages) {
  for (const Octets& message : messages) {
    link.send(Ip{.payload = message}.frame());
    link.silence(ms(200));
  }
  ping(link, octets("alive"));
}

// What an ICMP error quotes of a segment from the stack to the peer, whose sequence number is `seq`.
Octets quote(const TcpPeer& peer, std::uint32_t seq) {
  Tcp segment{.from = peer.stack_port, .to = peer.port, .seq = peer.stack_isn + seq, .ack = peer.isn + 1, .flags = ACK};
  const Octets frame = Ip{.protocol = net::protocol_tcp,
                          .source = our_ip,
                          .destination = peer.ip,
                          .payload = segment.payload(our_ip, peer.ip)}
                           .frame();
  return Octets(frame.begin() + 14, frame.begin() + 14 + 28);
}
void send_error(Link& link, std::uint8_t type, std::uint8_t code, std::uint32_t rest, const Octets& quoted) {
  link.send(Ip{.source = gateway_ip, .payload = icmp(type, code, rest, quoted)}.frame());
  link.run_for(ms(20));
}

void echo(Link& link) {
  for (std::size_t n = 0; n <= 1472; n += n < 66 ? 1 : 152) ping(link, filler(n, static_cast<unsigned>(n)));
  ping(link, filler(1472));
  ping(link, Octets(200, 0));
  ping(link, Octets(201, 0xff));
}

void checksum(Link& link) {
  dropped(link, {icmp(8, 0, 1, octets("abc"), 1), icmp(8, 0, 1, filler(300), 0x100)});
}

void short_message(Link& link) {
  std::vector<Octets> all;
  for (const std::size_t n : {0u, 1u, 4u, 7u}) {
    Octets message{8, 0, 0xf7, 0xff, 0, 0, 0, 0};
    message.resize(n);
    all.push_back(message);
  }
  dropped(link, all);
}

void smurf(Link& link) {
  for (const std::uint32_t to : {our_broadcast, broadcast_ip, 0xe0000001u}) {
    link.send(Ip{.to = everybody, .destination = to, .payload = echo_request(octets("x"))}.frame());
    link.silence(ms(200));
    link.send(Ip{.destination = to, .payload = echo_request(octets("x"))}.frame());
    link.silence(ms(200));
  }
  ping(link, octets("alive"));
}

void unknown_types(Link& link) {
  dropped(link, {icmp(42, 0, 0, filler(20)), icmp(1, 0, 0, {}), icmp(255, 255, 0, {}), icmp(8, 1, 0, {}),
                 icmp(0, 0, 0, filler(20))});
}

Octets unknown_protocol(std::uint32_t destination) {
  return Ip{.protocol = 253, .destination = destination, .payload = filler(20)}.frame();
}
Octets closed_port(std::uint32_t destination = our_ip, std::uint32_t source = peer_ip) {
  return Ip{.protocol = net::protocol_udp,
            .source = source,
            .destination = destination,
            .payload = Udp{.to = 999, .data = filler(20)}.payload(source, destination)}
      .frame();
}

void no_error_about(Link& link) {
  link.send(closed_port(our_broadcast));
  link.send(closed_port(broadcast_ip));
  link.send(closed_port(our_ip, broadcast_ip));
  link.send(closed_port(our_ip, 0));
  link.send(unknown_protocol(our_broadcast));
  Ip later{.fragment = 3, .protocol = 253, .payload = filler(24)};
  link.send(later.frame());
  later.protocol = net::protocol_udp;
  link.send(later.frame());
  Octets to_all = closed_port();
  std::fill_n(to_all.begin(), 6, std::uint8_t{0xff});
  link.send(to_all);
  // An error about an error: the quotation is of no connection.
  link.send(Ip{.payload = icmp(3, 3, 0, filler(28))}.frame());
  link.silence(s(2));
}

void expect_error(Link& link, std::uint8_t code, const Octets& about) {
  link.send(about);
  const auto frame = link.next(s(1));
  require(frame && is_icmp(*frame, 3, code), "no ICMP error 3/" + std::to_string(code));
  const auto packet = read_ip(frame->octets);
  require(packet->source == our_ip && packet->destination == peer_ip, "an error with wrong addresses");
  require(packet->header[8] >= 32, "an error with a small TTL");
  require(packet->data.size() >= 28, "quotes less than the header and 8 octets");
  require(packet->data.size() <= about.size() - 14, "quotes more than there was");
  require(std::equal(packet->data.begin(), packet->data.end(), about.begin() + 14), "quotes other octets");
}

void protocol_unreachable(Link& link) {
  expect_error(link, 2, unknown_protocol(our_ip));
}
void port_unreachable(Link& link) {
  expect_error(link, 3, closed_port());
}

void errors_are_limited(Link& link) {
  expect_error(link, 3, closed_port());
  // With options the quotation starts the same way.
  link.run_for(s(2));
  expect_error(
      link, 3,
      Ip{.protocol = net::protocol_udp, .options = filler(12, 0x82), .payload = Udp{.to = 999}.payload()}.frame());
  int replies = 0;
  for (int n = 0; n < 1000; ++n) {
    link.send(closed_port());
    link.run_for(ms(1));
    while (link.next(Duration{})) ++replies;
  }
  require(replies <= 100, std::to_string(replies) + " errors in a second");
}

// Data goes both ways as before.
void expect_unchanged(TcpPeer& peer) {
  const Octets data = filler(300);
  require(peer.transfer(data, data.size()) == data, "the connection has suffered");
}

void soft_errors(Link& link) {
  TcpPeer peer(link, 7);
  peer.open();
  for (const std::uint8_t code : Octets{0, 1, 5, 11, 12}) send_error(link, 3, code, 0, quote(peer, 1));
  expect_unchanged(peer);
}

void hard_errors(Link& link) {
  TcpPeer peer(link, 7);
  peer.open();
  for (const std::uint8_t code : Octets{2, 3, 4})
    for (const std::uint32_t seq : {0u, 1u, 5000u, 0x80000000u}) send_error(link, 3, code, 576, quote(peer, seq));
  expect_unchanged(peer);
  // Not even while it connects, when the quotation is not of its SYN.
  link.command('o');
  TcpPeer server(link, 0);
  server.accept_syn();
  send_error(link, 3, 3, 0, quote(server, 77));
  require(link.reports() == "", "a wrong quotation ends a connection");
  Tcp answer = server.make(SYN | ACK, 0, 1);
  answer.options = mss_option(1460);
  server.send(answer);
  server.expect("ACK 1+0 ack 1");
}

void fragmentation_needed(Link& link) {
  TcpPeer peer(link, 19);
  peer.window = 2000;
  peer.open();
  const auto first = peer.next();
  require(first && first->data.size() >= 64, "no data");
  for (const std::uint32_t mtu : {0u, 1u, 67u}) send_error(link, 3, 4, mtu, quote(peer, 1));
  send_error(link, 3, 4, 68, quote(peer, 50'000));
  std::uint32_t taken = 1;
  for (int n = 0; n < 8; ++n) {
    peer.send(ACK, 1, taken);
    const auto segment = peer.next(s(2));
    require(segment.has_value(), "no data after ICMP errors");
    require(segment->data.size() >= 28, "segments of " + std::to_string(segment->data.size()) + " octets");
    taken = std::max(taken, segment->end());
  }
}

void redirect(Link& link) {
  const Octets about = Ip{.source = our_ip, .destination = far_ip, .payload = echo_request({})}.frame();
  const Octets quoted(about.begin() + 14, about.begin() + 42);
  for (const std::uint32_t by : {gateway_ip, peer_ip})
    for (const std::uint32_t to : {peer_ip, far_ip})
      link.send(Ip{.source = by, .payload = icmp(5, 1, to, quoted)}.frame());
  link.silence(ms(200));
  link.send(Arp{.from = gateway_mac, .sender_mac = gateway_mac, .sender_ip = gateway_ip}.frame());
  link.run_for(ms(20));
  link.forget();
  link.send(Ip{.from = gateway_mac, .source = far_ip, .payload = echo_request(octets("x"))}.frame());
  const auto frame = link.next(s(1));
  require(frame && destination_of(frame->octets) == gateway_mac, "the gateway has changed");
}

void source_quench(Link& link) {
  TcpPeer peer(link, 7);
  peer.open();
  for (int n = 0; n < 5; ++n) send_error(link, 4, 0, 0, quote(peer, 1));
  expect_unchanged(peer);
}

void queries(Link& link) {
  dropped(link, {icmp(13, 0, 0x10001, Octets(12)), icmp(15, 0, 0x10001, {}), icmp(17, 0, 0x10001, Octets(4)),
                 icmp(10, 0, 0, {}), icmp(9, 0, 0x01020000, Octets(8)), icmp(18, 0, 0, Octets(4, 0xff))});
}

void oversized_echo(Link& link) {
  Ip whole{.payload = echo_request(filler(3000))};
  for (const Octets& frame : whole.fragments(1480)) link.send(frame);
  link.run_for(s(1));
  link.forget();
  ping(link, octets("alive"));
}

}  // namespace

std::vector<Rule> icmp_rules() {
  using enum Level;
  return {
      {"IC-1", must, "1122 3.2.2.6", true, true, "echoes 0 to 1472 octets unchanged", echo},
      {"IC-2", must, "1122 3.2.2.6", true, true, "does not answer a wrong checksum", checksum},
      {"IC-3", must, "792", true, true, "drops messages of less than 8 octets", short_message},
      {"IC-4", may, "1122 3.2.2.6", true, true, "does not answer an echo to many", smurf},
      {"IC-5", must, "1122 3.2.2", true, true, "drops unknown types", unknown_types},
      {"IC-6", must, "1122 3.2.2", true, true, "sends no error about what it may not", no_error_about},
      {"IC-7", should, "1122 3.2.2.1", false, true, "protocol unreachable", protocol_unreachable},
      {"IC-8", should, "1122 4.1.3.1", false, true, "port unreachable", port_unreachable},
      {"IC-9", must, "1122 3.2.2", false, true, "errors quote what they are about, and are limited",
       errors_are_limited},
      {"IC-10", must, "1122 4.2.3.9", true, true, "connections survive 3/0, 3/1 and 3/5", soft_errors},
      {"IC-11", should, "5927 5.2", true, true, "connections survive forged 3/2, 3/3 and 3/4", hard_errors},
      {"IC-12", may, "5927 7.2", true, true, "segments stay sane after forged 3/4", fragmentation_needed},
      {"IC-13", must, "1122 3.2.2.2", true, true, "the gateway survives redirects", redirect},
      {"IC-14", must, "6633 3", true, true, "ignores source quench", source_quench},
      {"IC-15", may, "1122 3.2.2", true, true, "ignores timestamp, mask, information and router messages", queries},
      {"IC-16", may, "792", true, true, "answers or drops an echo of 3000 octets", oversized_echo},
  };
}

}  // namespace avrlan::test
