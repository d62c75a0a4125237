// Malformed frames and attacks on Ethernet, ARP, IPv4, ICMP and UDP, by the classes of public vulnerabilities. After each the
// liveness probe has to succeed, see Rule::hostile.

#include <algorithm>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {

void expect_alive(Link& link) {
  link.run_for(ms(50));
  link.forget();
  ping(link, octets("alive"));
  TcpPeer peer(link, 7);
  peer.isn = 0x20000000;
  const Instant start = link.now();
  while (true) {
    Tcp first = peer.make(SYN, 0, 0);
    first.options = mss_option(1460);
    peer.send(first);
    const auto answer = peer.next(s(3));
    if (answer && answer->has(SYN | ACK)) break;
    require(link.now() - start < s(100), "no new connection");
  }
  peer.send(ACK, 1, 1);
  const Octets data = filler(40, 3);
  require(peer.transfer(data, data.size()) == data, "a new connection echoes other octets");
  peer.drop();
  link.run_for(ms(50));
  link.forget();
  TcpPeer browser(link, 80);
  browser.open();
  browser.send(ACK | PSH, 1, 1, octets("GET / HTTP/1.0\r\n\r\n"));
  browser.sent = 19;
  const Octets page = browser.transfer({}, 20);
  require(std::string(page.begin(), page.end()).find("200 OK") != std::string::npos, "no page");
  browser.drop();
}

namespace {

// No answer to any of these.
void silently(Link& link, const std::vector<Octets>& frames) {
  for (const Octets& frame : frames) {
    link.send(frame);
    link.run_for(ms(3));
  }
  link.silence(s(1));
}
// Whatever it answers, if the answer is well-formed, see expect_no_leak(); no echo reply or connection comes of it.
void unanswered(Link& link, const std::vector<Octets>& frames) {
  for (const Octets& frame : frames) {
    link.send(frame);
    link.run_for(ms(2));
  }
  while (const auto frame = link.next(ms(300))) {
    const auto packet = read_ip(frame->octets);
    require(!packet || packet->fragment ||
                (!is_icmp(*frame, 0, 0) && !packet->is_tcp(SYN, 0) && packet->protocol != net::protocol_udp),
            "an answer: " + describe(frame->octets));
  }
}

Octets cut(Octets frame, std::size_t n) {
  frame.resize(n);
  return frame;
}
Ip tcp_syn(std::uint32_t source = peer_ip, std::uint32_t destination = our_ip, std::uint16_t from = 40'000) {
  return Ip{.protocol = net::protocol_tcp,
            .source = source,
            .destination = destination,
            .payload = Tcp{.from = from, .flags = SYN}.payload(source, destination)};
}
Octets udp(const Udp& datagram) {
  return Ip{.protocol = net::protocol_udp, .payload = datagram.payload()}.frame();
}
Octets message(const Octets& payload) {
  return Ip{.payload = payload}.frame();
}

void runts(Link& link) {
  const Octets frame = message(echo_request(octets("x")));
  std::vector<Octets> all;
  for (const std::size_t n : {14u, 15u, 20u, 33u, 34u, 41u}) all.push_back(cut(frame, n));
  all.push_back(cut(Arp{}.frame(), 14));
  silently(link, all);
}
void truncated_arp(Link& link) {
  Arp wrong[3];
  wrong[0].hardware_length = 255;
  wrong[1].hardware_type = 6;
  wrong[2].protocol_length = 255;
  std::vector<Octets> all{cut(Arp{}.frame(), 22), cut(Arp{}.frame(), 41)};
  for (const Arp& arp : wrong) all.push_back(arp.frame());
  silently(link, all);
}
void padding_leak(Link& link) {
  // Long frames before, so that there is something to leak.
  ping(link, filler(1400));
  ping(link, octets("1"));
  TcpPeer peer(link, 9);
  peer.open();
  peer.send(ACK | PSH, 1, 1, octets("1"));
  peer.expect_ack(2);
  peer.drop();
  link.send(udp({.data = octets("1")}));
  link.run_for(ms(20));
}
void poisoned_arp(Link& link) {
  link.send(Arp{.from = gateway_mac, .sender_mac = gateway_mac, .sender_ip = gateway_ip}.frame());
  link.run_for(ms(20));
  for (std::uint8_t n = 1; n <= 57; ++n) {
    const MacAddress mac{2, 0, 0, 0, 1, n};
    link.send(Arp{.from = mac, .sender_mac = mac, .sender_ip = 0x0a000064u + n}.frame());
    link.run_for(ms(2));
  }
  link.send(Arp{.operation = 2, .sender_ip = 0x0a0000c8}.frame());
  link.run_for(ms(20));
  link.forget();
  link.asked.clear();
  ping(link, octets("far"), Ip{.from = gateway_mac, .source = far_ip});
  require(std::none_of(link.asked.begin(), link.asked.end(), [](const auto& a) { return a.address == gateway_ip; }),
          "a flood of ARP evicts the gateway");
}
void arp_of_ourselves(Link& link) {
  for (const std::uint16_t operation : std::initializer_list<std::uint16_t>{1, 2})
    for (const MacAddress& mac : {peer_mac, everybody, MacAddress{1, 0, 0x5e, 0, 0, 1}})
      for (const std::uint32_t from : {our_ip, peer_ip}) {
        link.send(Arp{.operation = operation, .sender_mac = mac, .sender_ip = from}.frame());
        link.run_for(ms(5));
      }
  link.run_for(ms(50));
  link.forget();
  link.send(message(echo_request(octets("where"))));
  const auto frame = link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); });
  require(frame && (destination_of(frame->octets)[0] & 1) == 0, "a group address is in the cache");
}

void long_total(Link& link) {
  Ip ip{.payload = echo_request(octets("x"))};
  ip.total_length = std::uint16_t{1500};
  silently(link, {ip.frame()});
}
void short_total(Link& link) {
  std::vector<Octets> all;
  for (const std::uint16_t n : std::initializer_list<std::uint16_t>{0, 1, 10, 19}) {
    Ip ip{.payload = echo_request(octets("x"))};
    ip.total_length = n;
    all.push_back(ip.frame());
  }
  silently(link, all);
}
void header_length(Link& link) {
  std::vector<Octets> all;
  for (const std::uint8_t first : Octets{0x40, 0x44, 0x4f, 0x48}) {
    Ip ip{.payload = echo_request({})};
    ip.version_ihl = first;
    all.push_back(ip.frame());
  }
  silently(link, all);
}
void ip_options(Link& link) {
  for (const Octets& options :
       {Octets{7, 0, 4, 0}, Octets{7, 1, 4, 0}, Octets{0x83, 7, 4, 10, 0, 0, 9, 0}, Octets{7, 255, 4, 0},
        Octets{0x89, 7, 4, 10, 0, 0, 9, 0x89, 7, 4, 10, 0, 0, 8, 0, 0}, Octets{1, 1, 1, 7}, Octets(40, 0x44)}) {
    Ip ip{.options = options, .payload = echo_request(octets("x"))};
    link.send(ip.frame());
    ip.protocol = 253;  // provokes an error
    link.send(ip.frame());
    ip.protocol = net::protocol_udp;
    ip.payload = Udp{.to = 999, .data = filler(8)}.payload();
    link.send(ip.frame());
    link.run_for(ms(20));
  }
}
void bad_header(Link& link) {
  Ip five{.payload = echo_request(octets("x"))}, wrong{.payload = echo_request(octets("x"))};
  five.version_ihl = 0x55;
  wrong.spoil = 1;
  silently(link, {five.frame(), wrong.frame()});
}
void land(Link& link) {
  Ip ip = tcp_syn(our_ip, our_ip, 7);
  Ip ping_us{.source = our_ip, .payload = echo_request(octets("x"))};
  silently(link, {ip.frame(), ping_us.frame()});
  require(link.asked.empty(), "asks for its own address");
}
void martians(Link& link) {
  std::vector<Octets> all;
  for (const std::uint32_t from : {broadcast_ip, our_broadcast, 0xe0000001u, 0x7f000001u, 0u})
    all.push_back(tcp_syn(from).frame());
  silently(link, all);
  require(link.asked.empty(), "asks for the address of a martian");
}
void nested(Link& link) {
  std::vector<Octets> all;
  Octets inner = echo_request(octets("deep"));
  std::uint8_t protocol = net::protocol_icmp;
  for (int level = 1; level <= 20; ++level) {
    Ip ip{.protocol = protocol, .payload = inner};
    const Octets frame = ip.frame();
    inner.assign(frame.begin() + 14, frame.begin() + 14 + 20 + static_cast<std::ptrdiff_t>(inner.size()));
    protocol = 4;
    Ip outer{.protocol = 4, .payload = inner};
    all.push_back(outer.frame());
    for (const Octets& part : outer.fragments(24)) all.push_back(part);
  }
  unanswered(link, all);
}
void protocol_storm(Link& link) {
  const Octets frame = Ip{.protocol = 253, .payload = filler(20)}.frame();
  int answers = 0;
  for (int n = 0; n < 1000; ++n) {
    link.send(frame);
    link.run_for(ms(1));
    while (link.next(Duration{})) ++answers;
  }
  require(answers <= 100, std::to_string(answers) + " answers");
}

Octets part(std::uint16_t id, std::size_t at, std::size_t n, bool more, std::uint8_t protocol = net::protocol_icmp) {
  Ip ip{.id = id, .protocol = protocol};
  ip.payload = at == 0 ? echo_request(filler(n < 8 ? 0 : n - 8)) : filler(n, static_cast<unsigned>(at));
  ip.payload.resize(n);
  ip.fragment = static_cast<std::uint16_t>(at / 8 | (more ? more_fragments : 0));
  return ip.frame();
}

void ping_of_death(Link& link) {
  unanswered(link,
             {part(1, 0, 400, true), part(1, 65'480, 400, false), part(2, 65'528, 8, false), part(2, 0, 8, true)});
}
// As many octets as `size` says, in two fragments: at the end of every buffer that a stack may have.
void ends(Link& link, std::size_t beyond) {
  std::uint16_t id = 1;
  for (const std::size_t size : {384u, 400u, 520u, 536u, 552u, 560u, 568u, 576u, 1024u, 1280u, 1480u, 1496u, 2048u}) {
    link.send(part(id, 0, size > 1000 ? 1000 : size - 16, true));
    if (size > 1000) link.send(part(id, 1000, size - 1016, true));
    link.send(part(id++, size - 16, 16 + beyond, false));
    link.run_for(ms(20));
  }
  link.forget();
}
void tail_beyond(Link& link) {
  for (const std::size_t beyond : {1u, 4u, 22u, 400u}) ends(link, beyond);
}
void exact_end(Link& link) {
  ends(link, 0);
}
void teardrop(Link& link) {
  Ip other{.id = 2, .fragment = more_fragments, .payload = Octets(40, 0xee)};
  unanswered(link,
             {part(1, 0, 40, true), part(1, 24, 4, false), part(2, 0, 40, true), other.frame(), part(2, 32, 8, false)});
}
void ragged(Link& link) {
  unanswered(link, {part(1, 0, 13, true), part(1, 8, 8, false), part(2, 0, 63, true), part(2, 56, 8, false)});
}
void empty_fragments(Link& link) {
  unanswered(link, {part(1, 0, 0, true), part(1, 8, 0, false), part(2, 0, 8, true), part(2, 8, 0, false)});
}
void two_ends(Link& link) {
  for (const Octets& frame : {part(1, 0, 8, true), part(1, 16, 8, false), part(1, 32, 8, false), part(1, 8, 8, true)})
    link.send(frame);
  link.run_for(ms(50));
}
void fragment_flood(Link& link) {
  int answers = 0;
  for (std::uint16_t id = 0; id < 40; ++id) {
    link.send(part(id, 0, 64, true));
    link.run_for(ms(2));
  }
  while (link.next(s(130))) ++answers;
  require(answers <= 4, std::to_string(answers) + " answers to 40 fragments");
}
void tiny_fragments(Link& link) {
  Ip whole = tcp_syn();
  for (const Octets& frame : whole.fragments(8)) link.send(frame);
  const auto answer = link.next(s(1));
  if (!answer) return;
  const auto packet = read_ip(answer->octets);
  require(packet && packet->is_tcp(SYN | ACK, RST), "a split SYN gets " + describe(answer->octets));
  link.send(Ip{.protocol = 6, .payload = Tcp{.seq = 1, .flags = RST}.payload()}.frame());
}
void header_mismatch(Link& link) {
  Ip whole{.payload = echo_request(filler(100))};
  auto parts = whole.fragments(56);
  Ip first = whole;
  first.options = Octets(40, 1);
  first.fragment = more_fragments;
  first.payload.resize(56);
  link.send(first.frame());
  link.send(parts[1]);
  link.run_for(ms(50));
  parts = whole.fragments(56);
  Ip second{.fragment = 7, .options = Octets(40, 1)};
  second.payload.assign(whole.payload.begin() + 56, whole.payload.end());
  link.send(parts[0]);
  link.send(second.frame());
  while (const auto frame = link.next(ms(200)))
    if (is_icmp(*frame, 0, 0)) {
      const auto data = read_ip(frame->octets)->data;
      require(std::equal(data.begin(), data.end(), whole.payload.begin() + 8, whole.payload.end()),
              "other octets came back");
    }
}
void trailing_data(Link& link) {
  Ip whole{.payload = echo_request(filler(100))};
  for (const Octets& frame : whole.fragments(56)) link.send(frame + filler(40, 77));
  const auto frame = link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); });
  require(frame.has_value(), "no echo reply");
  const auto data = read_ip(frame->octets)->data;
  require(std::equal(data.begin(), data.end(), whole.payload.begin() + 8, whole.payload.end()),
          "other octets came back");
}
void short_result(Link& link) {
  for (const std::uint8_t protocol : {net::protocol_udp, net::protocol_tcp, net::protocol_icmp}) {
    Ip first{.id = protocol, .fragment = more_fragments, .protocol = protocol, .payload = {}};
    link.send(first.frame());
    Ip last{.id = protocol, .protocol = protocol, .payload = octets("abcd")};
    link.send(last.frame());
    first.payload = octets("12345678");
    first.id = static_cast<std::uint16_t>(protocol + 100);
    last.id = first.id;
    last.fragment = 1;
    link.send(first.frame());
    link.send(last.frame());
    unanswered(link, {});
  }
}

void short_icmp(Link& link) {
  std::vector<Octets> all;
  for (const std::size_t n : {0u, 1u, 4u, 7u}) all.push_back(message(cut({8, 0, 0xf7, 0xff, 0, 0, 0, 0}, n)));
  silently(link, all);
}
void wrong_icmp_checksum(Link& link) {
  silently(link, {message(icmp(8, 0, 1, octets("abc"), 1)), message(icmp(8, 0, 1, filler(600), 0x8000))});
}
void large_echo(Link& link) {
  link.send(message(echo_request(filler(1472))));
  for (const Octets& frame : Ip{.id = 9, .payload = echo_request(filler(3000))}.fragments(1480)) {
    link.send(frame);
    link.run_for(ms(5));
  }
  link.run_for(ms(200));
  link.forget();
}
// The header of a segment of ours, as an error quotes it.
Octets quote_of(std::uint16_t our_port, std::uint16_t peer_port, std::uint32_t seq, std::uint8_t ihl = 5) {
  const Tcp segment{.from = our_port, .to = peer_port, .seq = seq, .flags = ACK};
  Ip ip{.protocol = 6, .source = our_ip, .destination = peer_ip, .payload = segment.payload(our_ip, peer_ip)};
  ip.version_ihl = static_cast<std::uint8_t>(0x40 | ihl);
  const Octets frame = ip.frame();
  return Octets(frame.begin() + 14, frame.begin() + 42);
}
void truncated_quote(Link& link) {
  std::vector<Octets> all;
  for (const std::uint8_t code : Octets{3, 4})
    for (const std::size_t n : {0u, 1u, 19u, 20u, 21u, 27u})
      all.push_back(message(icmp(3, code, 0, cut(quote_of(7, 40'001, 0), n))));
  all.push_back(message(icmp(3, 4, 1400, quote_of(7, 40'001, 0, 15))));
  all.push_back(message(icmp(3, 3, 0, quote_of(7, 40'001, 0, 0))));
  all.push_back(message(icmp(11, 0, 0, {})));
  silently(link, all);
}
void blind_icmp(Link& link) {
  TcpPeer peer(link, 7);
  peer.open();
  for (const std::uint32_t seq : {0u, 1u, 77u, 0x80000000u})
    for (const Octets& error : {icmp(3, 2, 0, quote_of(7, peer.port, peer.stack_isn + seq)),
                                icmp(3, 3, 0, quote_of(7, peer.port, peer.stack_isn + seq)),
                                icmp(3, 4, 0, quote_of(7, peer.port, peer.stack_isn + seq)),
                                icmp(4, 0, 0, quote_of(7, peer.port, peer.stack_isn + seq))}) {
      link.send(message(error));
      link.run_for(ms(5));
    }
  const Octets data = filler(400);
  require(peer.transfer(data, 400) == data, "the connection has suffered");
  peer.drop();
}
void injected_icmp(Link& link) {
  silently(link, {message(icmp(5, 1, peer_ip, quote_of(7, 40'001, 0))), message(icmp(18, 0, 0, Octets(4, 0xff))),
                  message(icmp(9, 0, 0x01020064, Octets{10, 0, 0, 9, 0x7f, 0xff, 0xff, 0xff}))});
  link.send(Arp{.from = gateway_mac, .sender_mac = gateway_mac, .sender_ip = gateway_ip}.frame());
  link.run_for(ms(20));
  link.forget();
  link.send(Ip{.from = gateway_mac, .source = far_ip, .payload = echo_request(octets("x"))}.frame());
  const auto frame = link.next(s(1));
  require(frame && destination_of(frame->octets) == gateway_mac, "the gateway has changed");
}
void smurf(Link& link) {
  std::vector<Octets> all;
  for (const std::uint32_t to : {our_broadcast, broadcast_ip}) {
    all.push_back(Ip{.to = everybody, .destination = to, .payload = echo_request(octets("x"))}.frame());
    Ip ip{.to = everybody, .protocol = net::protocol_udp, .destination = to};
    ip.payload = Udp{.data = octets("x")}.payload(peer_ip, to);
    all.push_back(ip.frame());
  }
  for (const std::uint16_t from : std::initializer_list<std::uint16_t>{7, 19})
    all.push_back(udp({.from = from, .data = octets("loop")}));
  silently(link, all);
}
void truncated_timestamp(Link& link) {
  silently(link,
           {message(cut(icmp(13, 0, 0, {}), 4)), message(icmp(13, 0, 1, {})), message(icmp(13, 0, 1, Octets(12)))});
}

void udp_lengths(Link& link) {
  std::vector<Octets> all;
  for (const std::uint16_t n : std::initializer_list<std::uint16_t>{0, 7, 60, 0xffff})
    for (const bool sum : {true, false}) all.push_back(udp({.length = n, .checksum = sum, .data = filler(28)}));
  all.push_back(Ip{.protocol = net::protocol_udp, .payload = octets("abcd")}.frame());
  all.push_back(Ip{.protocol = net::protocol_udp, .payload = {}}.frame());
  unanswered(link, all);
}
void closed_port_storm(Link& link) {
  int answers = 0;
  for (int n = 0; n < 1000; ++n) {
    link.send(udp({.to = 999, .data = filler(8)}));
    link.run_for(ms(1));
    while (link.next(Duration{})) ++answers;
  }
  require(answers <= 100, std::to_string(answers) + " answers");
}

}  // namespace

std::vector<Rule> bad_inputs() {
  return {
      attack("L-1", "CVE-2020-11906", "runts", runts),
      attack("L-2", "CVE-2020-11914", "truncated ARP, wrong lengths", truncated_arp),
      attack("L-3", "CVE-2003-0001", "padding is zero", padding_leak),
      attack("L-4", "CVE-2019-12262", "poisoned and flooded ARP", poisoned_arp),
      attack("L-5", "RFC 1122 2.3.2", "ARP with our own or a group address", arp_of_ourselves),
      attack("I-1", "CVE-2020-11896", "total length beyond the frame", long_total),
      attack("I-2", "INFRA:HALT", "total length below the header", short_total),
      attack("I-3", "CVE-2018-16601", "impossible IHL", header_length),
      attack("I-4", "CVE-2019-12256", "malformed options", ip_options),
      attack("I-5", "RFC 1122 3.2.1", "wrong version and checksum", bad_header),
      attack("I-6", "CVE-1999-0016", "land", land),
      attack("I-7", "RFC 1122 3.2.1.3", "martian sources", martians),
      attack("I-8", "CVE-2020-11898", "nested IP", nested),
      attack("I-9", "RFC 1122 3.2.2.1", "a storm of an unknown protocol", protocol_storm),
      attack("F-1", "CVE-1999-0128", "ping of death", ping_of_death),
      attack("F-2", "CVE-2020-17438", "a tail beyond the buffer", tail_beyond),
      attack("F-3", "uIP 1.0", "the exact end of the buffer", exact_end),
      attack("F-4", "CVE-1999-0015", "teardrop", teardrop),
      attack("F-5", "uIP 1.0", "fragments that are no multiple of 8", ragged),
      attack("F-6", "RFC 791", "empty fragments", empty_fragments),
      attack("F-7", "RFC 791", "two ends", two_ends),
      attack("F-8", "CVE-2018-5391", "a flood of fragments", fragment_flood),
      attack("F-9", "RFC 1858", "a TCP header in tiny fragments", tiny_fragments),
      attack("F-10", "CVE-2020-17469", "headers of different length", header_mismatch),
      attack("F-11", "RFC 894", "trailing octets behind fragments", trailing_data),
      attack("F-12", "RFC 791", "less than a transport header in all", short_result),
      attack("C-1", "CVE-2018-16527", "short ICMP", short_icmp),
      attack("C-2", "uIP 1.0", "wrong ICMP checksum", wrong_icmp_checksum),
      attack("C-3", "RFC 1122 3.2.2.6", "a large echo", large_echo),
      attack("C-4", "CVE-2020-11910", "truncated quotations", truncated_quote),
      attack("C-5", "CVE-2004-0790", "blind ICMP against TCP", blind_icmp),
      attack("C-6", "CVE-2020-11911", "redirect, mask and router injected", injected_icmp),
      attack("C-7", "CVE-1999-0513", "smurf and echo loops", smurf),
      attack("C-8", "CVE-1999-0524", "truncated timestamp", truncated_timestamp),
      attack("U-1", "CVE-2020-11896", "lying UDP lengths", udp_lengths),
      attack("U-2", "RFC 1122 3.2.2", "a storm at a closed port", closed_port_storm),
  };
}

}  // namespace avrlan::test
