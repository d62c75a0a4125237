// Malformed segments and attacks on TCP, as in bad_inputs.cpp.

#include <algorithm>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

constexpr std::uint16_t echo = 7, discard = 9, chargen = 19;

void send_tcp(Link& link, const Tcp& segment, std::uint32_t source = peer_ip) {
  link.send(Ip{.protocol = net::protocol_tcp, .source = source, .payload = segment.payload(source)}.frame());
}
void silently(Link& link, Duration d = s(1)) {
  link.run_for(ms(20));
  link.silence(d);
}
// Data still goes both ways.
void expect_unchanged(TcpPeer& peer) {
  const Octets data = filler(60, 9);
  require(peer.transfer(data, data.size()) == data, "the connection has suffered");
}
Tcp with_options(Tcp segment, const Octets& options) {
  segment.options = options;
  return segment;
}

void short_segment(Link& link) {
  for (const std::size_t n : {0u, 1u, 10u, 19u}) {
    Octets segment = Tcp{.flags = SYN}.payload();
    segment.resize(n);
    link.send(Ip{.protocol = net::protocol_tcp, .payload = segment}.frame());
  }
  // With a right checksum.
  for (const std::size_t n : {2u, 10u, 18u}) {
    Octets segment(n);
    if (n == 18) {
      const std::uint32_t start = net::pseudo_header_sum(peer_ip, our_ip, net::protocol_tcp, n);
      net::write16(segment, 16, net::internet_checksum(segment, start));
    }
    link.send(Ip{.protocol = net::protocol_tcp, .payload = segment}.frame());
  }
  silently(link);
}
void small_offset(Link& link) {
  for (const std::uint8_t words : Octets{0, 1, 2, 3, 4}) send_tcp(link, {.flags = SYN, .offset = words});
  silently(link);
  TcpPeer peer(link, echo);
  peer.open();
  for (const std::uint8_t words : Octets{0, 4}) {
    Tcp segment = peer.make(ACK | PSH, 1, 1, filler(40));
    segment.offset = words;
    peer.send(segment);
  }
  peer.silence(s(1));
  expect_unchanged(peer);
}
void large_offset(Link& link) {
  send_tcp(link, {.flags = SYN, .offset = std::uint8_t{15}});
  silently(link);
  TcpPeer peer(link, echo);
  peer.open();
  for (const std::size_t n : {0u, 2u, 39u}) {
    Tcp segment = peer.make(ACK | PSH, 1, 1, filler(n));
    segment.offset = std::uint8_t{15};
    peer.send(segment);
  }
  Tcp last = peer.make(FIN | ACK, 1, 1);
  last.offset = std::uint8_t{8};
  peer.send(last);
  peer.silence(s(1));
  expect_unchanged(peer);
}
// A SYN with these options, whatever comes of it, and the same in a connection.
void survives_options(Link& link, const std::vector<Octets>& all) {
  TcpPeer peer(link, echo);
  peer.open();
  for (const Octets& options : all) {
    TcpPeer attacker(link, echo);
    attacker.send(with_options(attacker.make(SYN, 0, 0), options));
    link.run_for(ms(30));
    attacker.send(RST, 1, 0);
    peer.send(with_options(peer.make(ACK, peer.sent, peer.taken), options));
    link.run_for(ms(10));
    link.forget();
    expect_unchanged(peer);
  }
  peer.drop();
}
void option_length_0(Link& link) {
  survives_options(link, {{8, 0, 0, 0}, {8, 1, 0, 0}, {253, 0, 1, 1}, {2, 0, 5, 0xb4}, {2, 1, 5, 0xb4}});
}
void option_length_wraps(Link& link) {
  survives_options(link, {{1, 8, 255, 0}, {1, 253, 255, 1}, {8, 254, 0, 0}, Octets(40, 255), {1, 1, 1, 128}});
}
void truncated_mss(Link& link) {
  survives_options(link, {{1, 1, 2, 4}, {1, 1, 1, 2}, {1, 2, 4, 5}, {2, 3, 1, 0}, {2, 40, 5, 0xb4}});
  // It is as if there were none.
  TcpPeer peer(link, chargen);
  peer.send(with_options(peer.make(SYN, 0, 0), {1, 1, 2, 4}));
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(ACK, 1, 1);
  std::size_t largest = 0;
  for (int n = 0; n < 3; ++n) {
    const auto segment = peer.next();
    require(segment && !segment->data.empty(), "no data");
    largest = std::max(largest, segment->data.size());
    peer.send(ACK, 1, segment->end());
  }
  require(largest <= 536 && largest >= 268, "segments of " + std::to_string(largest));
  peer.drop();
}
void tiny_mss(Link& link) {
  for (const std::uint16_t mss : std::initializer_list<std::uint16_t>{0, 1}) {
    TcpPeer peer(link, chargen);
    peer.send(with_options(peer.make(SYN, 0, 0), mss_option(mss)));
    const auto answer = peer.next();
    if (!answer || answer->has(RST)) continue;
    peer.send(ACK, 1, 1);
    const auto segment = peer.next();
    require(segment && segment->data.size() >= 48, "tiny segments, or none");
    peer.drop();
  }
}
void extension_options(Link& link) {
  survives_options(link, {{5, 11, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1},
                          {4, 2, 3, 3},
                          {3, 3, 255, 1},
                          {29, 3, 0, 1},
                          {29, 2, 1, 1},
                          {5, 2, 1, 1},
                          {5, 10, 0, 0, 0, 9, 0, 0, 0, 1, 1, 1},
                          {8, 10, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1}});
}
void urgent_pointers(Link& link) {
  TcpPeer peer(link, echo);
  Tcp first = with_options(peer.make(SYN | URG, 0, 0), mss_option(1460));
  first.urgent = 0xffff;
  peer.send(first);
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(ACK, 1, 1);
  link.run_for(ms(10));
  for (const std::uint16_t pointer : std::initializer_list<std::uint16_t>{0, 1, 4, 5, 1000, 0xffff}) {
    Tcp segment = peer.make(ACK | PSH | URG, peer.sent, peer.taken, octets("abcd"));
    segment.urgent = pointer;
    peer.send(segment);
    peer.sent += 4;
    require(peer.transfer({}, 4) == octets("abcd"), "other octets came back");
    Tcp empty = peer.make(ACK | URG, peer.sent, peer.taken);
    empty.urgent = pointer;
    peer.send(empty);
    expect_unchanged(peer);
  }
}
void blind_rst(Link& link) {
  TcpPeer half(link, echo);
  half.send(SYN, 0, 0);
  half.expect("SYN ACK 0+0 ack 1");
  half.send(RST, 50'000, 0);
  half.silence(ms(500));
  half.send(ACK, 1, 1);
  link.run_for(ms(10));
  expect_unchanged(half);
  for (const std::uint32_t seq : {half.sent + 40'000, half.sent - 1, half.sent + 0x80000000u}) half.send(RST, seq, 0);
  half.silence(ms(500));
  half.send(RST, half.sent + 10, 0);
  const auto challenge = half.next();
  require(challenge && challenge->has(ACK) && !challenge->has(RST), "no challenge ACK");
  expect_unchanged(half);
  half.send(RST, half.sent, 0);
  half.silence(ms(500));
  half.send(ACK, half.sent, half.taken);
  const auto gone = half.next();
  require(gone && gone->has(RST), "the exact RST is ignored");
}
void blind_syn(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(SYN, 50, 0);
  const auto challenge = peer.next();
  require(challenge && challenge->text() == "ACK 1+0 ack 1", "no challenge ACK");
  expect_unchanged(peer);
}
void blind_data(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  for (const std::uint32_t number : {90'001u, 1u - (1u << 30)}) {
    link.run_for(ms(1100));
    link.forget();
    peer.send(ACK | PSH, 1, number, octets("forged"));
    const auto answer = peer.next(ms(500));
    require(!answer || answer->text() == "ACK 1+0 ack 1", "forged data is taken");
  }
  expect_unchanged(peer);
}
void predictable_isn(Link& link) {
  const std::vector<std::uint32_t> numbers = numbers_of_200_connections(link, echo);
  int near = 0, same = 0;
  for (std::size_t n = 2; n < numbers.size(); ++n) {
    const std::uint32_t step = numbers[n] - numbers[n - 1];
    near += static_cast<std::int32_t>(step) > -(1 << 24) && static_cast<std::int32_t>(step) < 1 << 24;
    same += step - (numbers[n - 1] - numbers[n - 2]) < 1u << 16;
  }
  require(near < 10 && same < 4, "sequence numbers can be guessed");
}
void flag_soup(Link& link) {
  for (const std::uint16_t port : {echo, std::uint16_t{4242}}) {
    for (const std::uint8_t flags :
         Octets{0, FIN, SYN | FIN, SYN | RST, FIN | PSH | URG, 0xff, RST, RST | ACK, SYN | ACK}) {
      TcpPeer peer(link, port);
      peer.send(flags, 0, 0);
      const auto answer = peer.next(ms(100));
      if ((flags & RST) != 0) require(!answer, "RST is answered");
      if (port == echo && (flags & (SYN | ACK | RST)) == 0) require(!answer, "LISTEN answers neither SYN nor ACK");
      peer.drop();
      peer.send(RST, 2, 0);
    }
  }
}
void no_ack(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(PSH, 1, 0, octets("forged"));
  peer.send(PSH | URG | FIN, 1, 0, octets("forged"));
  peer.silence(s(1));
  expect_unchanged(peer);
}
void syn_flood(Link& link) {
  for (int n = 0; n < 60; ++n) {
    TcpPeer peer(link, echo);
    peer.send(SYN, 0, 0);
    link.run_for(ms(2));
  }
}
void sockstress(Link& link) {
  // Peers with a closed window, for ever.
  for (int n = 0; n < 8; ++n) {
    TcpPeer peer(link, chargen);
    peer.window = 0;
    peer.send(SYN, 0, 0);
    peer.next(ms(200));
    peer.send(ACK, 1, 1);
    link.run_for(ms(20));
  }
  link.run_for(s(30));
}
void holes(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  for (std::uint32_t n = 0; n < 40; ++n) {
    peer.send(ACK, 2 + n * 51, 1, filler(50, n));
    link.run_for(ms(2));
  }
  link.forget();
  Octets all;
  for (unsigned n = 0; n < 40; ++n) all = all + octets("-") + filler(50, n);
  require(peer.transfer(all, all.size(), 51) == all, "other octets came back");
}
void overlap(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(ACK, 1, 1, octets("hello"));
  peer.expect_ack(6);
  peer.send(ACK, 1, 1, octets("HELLOworld"));
  peer.expect_ack(11);
  peer.sent = 11;
  require(peer.transfer({}, 10) == octets("helloworld"), "what came later wins");
  // In a queue of what is out of order.
  peer.send(ACK, 16, 11, octets("55555"));
  peer.send(ACK, 13, 11, octets("3344466666"));
  link.run_for(ms(50));
  link.forget();
  const Octets rest = peer.transfer(octets("aabb3334445"), 11, 11);
  require(rest.size() >= 11 && rest[0] == 'a' && rest[1] == 'a', "other octets came back");
}
void fin_order(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(FIN | ACK, 11, 1);  // before the hole
  peer.send(FIN | ACK, 11, 1);
  link.run_for(ms(50));
  link.forget();
  require(link.reports().find('P') == std::string::npos, "a FIN behind a hole is taken");
  peer.send(ACK | PSH, 1, 1, octets("0123456789"));
  peer.sent = 11;
  require(peer.transfer({}, 10) == octets("0123456789"), "other octets came back");
  peer.send(FIN | ACK, 11, 11);
  peer.send(FIN | ACK, 11, 11);
  peer.send(ACK | PSH, 12, 11, octets("behind"));
  while (const auto segment = peer.next(ms(500))) {
    require(segment->ack <= 12, "data behind FIN is taken");
    if (segment->has(FIN)) peer.send(ACK, 12, segment->end());
  }
}
void sequence_traps(Link& link) {
  for (const std::uint32_t isn : {0xffffffffu, 0x7fffffffu, 0xfffffffeu, 0x80000000u}) {
    TcpPeer peer(link, echo);
    peer.isn = isn;
    peer.open();
    expect_unchanged(peer);
    peer.drop();
    link.run_for(ms(10));
    link.forget();
  }
}
void optimistic_acks(Link& link) {
  TcpPeer peer(link, chargen);
  peer.open(536);
  auto segment = peer.next();
  require(segment && !segment->data.empty(), "no data");
  peer.send(ACK, 1, segment->end() + 100'000);
  peer.send(ACK, 1, segment->end() + 3000);
  for (std::uint32_t n = 1; n <= 10; ++n)
    peer.send(ACK, 1, 1 + static_cast<std::uint32_t>(segment->data.size()) * n / 10);
  std::size_t n = 0;
  while (const auto more = peer.next(ms(30))) n += more->data.size();
  require(n <= 10 * 536, std::to_string(n) + " octets for a few ACKs");
  peer.drop();
}
void challenge_channel(Link& link) {
  TcpPeer a(link, echo), b(link, echo);
  a.open();
  b.open();
  int answers = 0;
  for (int n = 0; n < 200; ++n) {
    a.send(RST, 50, 0);
    link.run_for(ms(1));
  }
  while (a.next(ms(50))) ++answers;
  b.send(RST, 50, 0);
  require(b.next(ms(500)).has_value(), "one connection's challenge ACKs are counted against another's");
  require(answers <= 20, std::to_string(answers) + " challenge ACKs");
  a.drop();
  b.drop();
}
void syn_data(Link& link) {
  TcpPeer peer(link, echo);
  peer.send(with_options(peer.make(SYN, 0, 0, octets("first")), mss_option(1460)));
  const auto answer = peer.next();
  require(answer && answer->has(SYN | ACK), "no SYN ACK");
  peer.send(ACK | PSH, 1, 1, octets("other"));
  peer.expect_ack(6);
  peer.sent = 6;
  const Octets got = peer.transfer({}, 5);
  require(got == octets("first") || got == octets("other"), "data is delivered twice");
  expect_unchanged(peer);
}
void no_mss(Link& link) {
  TcpPeer peer(link, chargen);
  peer.send(SYN, 0, 0);
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(ACK, 1, 1);
  const auto segment = peer.next();
  require(segment && !segment->data.empty() && segment->data.size() <= 536, "no data, or too much");
}
void shrinking_window(Link& link) {
  TcpPeer peer(link, chargen);
  peer.open();
  int little = 0;
  for (int n = 0; n < 20; ++n) {
    peer.window = n % 2 == 0 ? 1 : 4000;
    peer.send(ACK, 1, peer.taken);
    while (const auto segment = peer.next(ms(20))) {
      little += segment->data.size() == 1;
      if (segment->seq == peer.taken) peer.taken = segment->end();
    }
  }
  require(little <= 10, std::to_string(little) + " segments of one octet");
  peer.window = 8000;
  peer.send(ACK, 1, peer.taken);
  require(!peer.transfer({}, 3000).empty(), "a stall");
  peer.drop();
}

}  // namespace

std::vector<Rule> bad_tcp_inputs() {
  return {
      attack("T-1", "CVE-2020-13987", "segments shorter than a header", short_segment),
      attack("T-2", "uIP 1.0", "data offset below 5", small_offset),
      attack("T-3", "CVE-2021-21281", "data offset beyond the segment", large_offset),
      attack("T-4", "CVE-2020-24337", "option length 0 and 1", option_length_0),
      attack("T-5", "CVE-2020-13988", "option length that wraps", option_length_wraps),
      attack("T-6", "CVE-2019-12258", "truncated MSS", truncated_mss),
      attack("T-7", "CVE-2018-16523", "MSS 0 and 1", tiny_mss),
      attack("T-8", "CVE-2019-11477", "malformed SACK, scale and AO options", extension_options),
      attack("T-9", "CVE-2020-17437", "urgent pointers", urgent_pointers),
      attack("T-10", "CVE-2004-0230", "blind RST", blind_rst),
      attack("T-11", "RFC 5961 4", "blind SYN", blind_syn),
      attack("T-12", "RFC 5961 5", "blind data", blind_data),
      attack("T-13", "CVE-2020-27634", "sequence numbers to be guessed", predictable_isn),
      attack("T-14", "RFC 9293 3.10.7", "flag soup", flag_soup),
      attack("T-15", "RFC 9293 3.10.7.4", "segments without ACK", no_ack),
      attack("T-16", "RFC 4987", "a flood of SYNs", syn_flood),
      attack("T-17", "CVE-2008-4609", "sockstress", sockstress),
      attack("T-18", "CVE-2018-5390", "many holes", holes),
      attack("T-19", "RFC 9293 3.10.7.4", "overlap with other octets", overlap),
      attack("T-20", "RFC 9293 3.10.7.4", "FIN before a hole, twice, data behind it", fin_order),
      attack("T-21", "RFC 9293 3.4", "traps in sequence numbers", sequence_traps),
      attack("T-22", "RFC 3465", "optimistic and divided ACKs", optimistic_acks),
      attack("T-23", "CVE-2016-5696", "a side channel of challenge ACKs", challenge_channel),
      attack("T-24", "RFC 9293 3.10.7.2", "SYN with data, then other data", syn_data),
      attack("T-25", "uIP 1.0", "no MSS option", no_mss),
      attack("T-26", "RFC 9293 3.8.6", "windows of 1 and back", shrinking_window),
  };
}

}  // namespace avrlan::test
