// TCP, opening and closing: RFC 9293, 1122 4.2, 5961, 6528, 6056, 6691, 1337.

#include <algorithm>
#include <set>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

constexpr std::uint16_t echo = 7, discard = 9, chargen = 19, file = 20, early = 21, closed_port = 4242;

Tcp with_options(Tcp segment, const Octets& options) {
  segment.options = options;
  return segment;
}

// It is there, and has all that it was sent.
void expect_alive(TcpPeer& peer) {
  const Octets data = filler(30, 7);
  require(peer.transfer(data, data.size()) == data, "the connection has suffered");
}
// A new client is served.
void expect_service(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  expect_alive(peer);
  peer.drop();
}
// The stack knows the connection no more.
void expect_gone(TcpPeer& peer) {
  peer.send(ACK, peer.sent, peer.taken);
  const auto answer = peer.next();
  require(answer && answer->has(RST), "the connection is still there");
}

void checksum(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  for (std::size_t n = 1; n <= 560; n += n < 12 ? 1 : 61) {
    const Octets data = filler(n, static_cast<unsigned>(n));
    require(peer.transfer(data, n, n) == data, "other octets came back");
  }
  link.run_for(ms(50));
  link.forget();
  for (const unsigned by : {1u, 0x100u, 0x8000u}) {
    Tcp wrong = peer.make(ACK | PSH, peer.sent, peer.taken, filler(9));
    wrong.spoil = static_cast<std::uint16_t>(by);
    peer.send(wrong);
    peer.silence(ms(700));
  }
  expect_alive(peer);
  for (const std::uint16_t mss : std::initializer_list<std::uint16_t>{101, 102, 535}) {
    TcpPeer reader(link, chargen);
    reader.open(mss);
    reader.transfer({}, 1000);  // read_ip() looks at every checksum
    reader.drop();
  }
}

void data_offset(Link& link) {
  for (const std::uint8_t words : Octets{0, 1, 4}) {
    TcpPeer peer(link, echo);
    Tcp first = peer.make(SYN, 0, 0);
    first.offset = words;
    peer.send(first);
    peer.silence(ms(500));
  }
  TcpPeer peer(link, echo);
  peer.open();
  for (const std::uint8_t words : Octets{0, 4, 6, 15}) {
    Tcp wrong = peer.make(ACK, 1, 1, octets("ab"));
    wrong.offset = words;
    peer.send(wrong);
    Tcp last = peer.make(FIN | ACK, 1, 1);
    last.offset = words;
    peer.send(last);
    peer.silence(ms(500));
  }
  expect_alive(peer);
}

void options_anywhere(Link& link) {
  TcpPeer peer(link, echo);
  // Unknown ones before the MSS.
  peer.send(with_options(peer.make(SYN, 0, 0), Octets{1, 253, 6, 1, 2, 3, 4, 1} + mss_option(300)));
  peer.expect("SYN ACK 0+0 ack 1");
  const Octets stamps{1, 1, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0};
  peer.send(with_options(peer.make(ACK, 1, 1), stamps));
  peer.send(with_options(peer.make(ACK | PSH, 1, 1, octets("hello")), stamps));
  peer.expect_ack(6);
}

void illegal_options(Link& link) {
  const std::vector<Octets> all = {{8, 0, 0, 0},   {8, 1, 0, 0},  {1, 8, 255, 0}, {1, 1, 2, 4},    {2, 3, 5, 0},
                                   {2, 255, 0, 0}, {1, 1, 1, 2},  {3, 40, 0, 0},  {253, 0, 2, 4},  {5, 11, 0, 0},
                                   {0, 2, 4, 0},   Octets(40, 2), Octets(40, 1),  Octets(40, 255), {2, 0, 2, 0}};
  for (const Octets& options : all) {
    TcpPeer peer(link, echo);
    peer.send(with_options(peer.make(SYN, 0, 0), options));
    const auto answer = peer.next(ms(500));
    if (answer && answer->has(SYN)) {
      peer.send(with_options(peer.make(ACK | PSH, 1, 1, octets("x")), options));
      link.run_for(ms(100));
      peer.sent = 2;
    }
    peer.drop();
    peer.sent = 1;
    peer.drop();
    expect_service(link);
  }
}

void no_mss(Link& link) {
  TcpPeer peer(link, chargen);
  peer.send(SYN, 0, 0);
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(ACK, 1, 1);
  std::size_t n = 0;
  while (n < 3000) {
    const auto segment = peer.next();
    require(segment && !segment->data.empty(), "no data");
    require(segment->data.size() <= 536, "a segment of " + std::to_string(segment->data.size()));
    n = segment->end() - 1;
    peer.send(ACK, 1, segment->end());
  }
}

void segment_size(Link& link) {
  for (const std::uint16_t mss : std::initializer_list<std::uint16_t>{100, 536, 1460, 65'535}) {
    TcpPeer peer(link, chargen);
    peer.open(mss);
    for (int n = 0; n < 6; ++n) {
      const auto segment = peer.next();
      require(segment && !segment->data.empty(), "no data");
      require(segment->data.size() + segment->options.size() <= std::min<std::size_t>(mss, 1460),
              "a segment too large");
      peer.send(ACK, 1, segment->end());
    }
    peer.drop();
  }
}

void tiny_mss(Link& link) {
  for (const std::uint16_t mss : std::initializer_list<std::uint16_t>{0, 1, 12}) {
    TcpPeer peer(link, chargen);
    peer.send(with_options(peer.make(SYN, 0, 0), mss_option(mss)));
    const auto answer = peer.next();
    if (!answer || answer->has(RST)) continue;
    peer.send(ACK, 1, 1);
    const auto segment = peer.next();
    require(segment.has_value(), "no data");
    require(segment->data.size() >= 48, "segments of " + std::to_string(segment->data.size()) + " octets");
    peer.drop();
  }
}

void sends_mss(Link& link) {
  TcpPeer peer(link, echo);
  peer.send(SYN, 0, 0);
  const auto answer = peer.expect("SYN ACK 0+0 ack 1");
  require(answer.mss() && *answer.mss() >= 536 && *answer.mss() <= 1460, "SYN ACK without a sensible MSS");
  link.command('o');
  TcpPeer server(link, 0);
  const auto first = server.accept_syn();
  require(first.mss() && *first.mss() >= 536 && *first.mss() <= 1460, "SYN without a sensible MSS");
}

void listen(Link& link) {
  for (unsigned flags = 0; flags < 64; ++flags) {
    TcpPeer peer(link, echo);
    peer.stack_isn = 5000;
    Tcp segment = peer.make(static_cast<std::uint8_t>(flags), 0, 77);
    segment.ack = 5077;
    peer.send(segment);
    const auto answer = peer.next(ms(100));
    const std::string got =
        flags_text(static_cast<std::uint8_t>(flags)) + " gets " + (answer ? answer->text() : "nothing");
    if ((flags & RST) != 0) {
      require(!answer, got);
    } else if ((flags & ACK) != 0) {
      require(answer && answer->has(RST) && answer->seq == 77, got);
    } else if ((flags & SYN) != 0) {
      require(!answer || answer->has(SYN | ACK), got);
      require(answer || (flags & FIN) != 0, got);
      peer.drop();
    } else {
      require(!answer, got);
    }
  }
  expect_service(link);
}

void closed(Link& link) {
  TcpPeer peer(link, closed_port);
  peer.send(SYN, 0, 0);
  auto answer = peer.next();
  require(answer && answer->has(RST | ACK) && answer->ack == 1 && answer->seq + peer.stack_isn == 0, "SYN");
  peer.send(SYN, 0, 0, filler(10));
  answer = peer.next();
  require(answer && answer->has(RST | ACK) && answer->ack == 11, "SYN with data");
  peer.send(FIN | PSH, 100, 0, filler(3));
  answer = peer.next();
  require(answer && answer->has(RST | ACK) && answer->ack == 104, "FIN with data");
  peer.send(ACK, 100, 4321);
  answer = peer.next();
  require(answer && answer->has(RST) && answer->seq == 4321, "ACK");
  for (const std::uint8_t flags : Octets{RST, RST | ACK, RST | SYN}) peer.send(flags, 5, 5);
  peer.silence(s(1));
}

void syn_to_many(Link& link) {
  for (const std::uint32_t to : {broadcast_ip, our_broadcast, 0xe0000001u})
    for (const MacAddress& mac : {everybody, our_mac}) {
      const Tcp first{.to = echo, .flags = SYN};
      link.send(Ip{.to = mac, .protocol = 6, .destination = to, .payload = first.payload(peer_ip, to)}.frame());
      link.silence(ms(200));
    }
}

void simultaneous_open(Link& link) {
  link.command('o');
  TcpPeer peer(link, 0);
  peer.accept_syn();
  peer.send(with_options(peer.make(SYN, 0, 0), mss_option(1460)));
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(SYN | ACK, 0, 1);
  require(link.reported("C", s(1)), "is not established");
  link.command('W');
  require(peer.transfer({}, 1000).size() == 1000, "no data");
}

void syn_sent(Link& link) {
  link.command('o');
  TcpPeer peer(link, 0);
  peer.accept_syn();
  peer.send(SYN | ACK, 0, 78);
  auto answer = peer.next(ms(500));
  require(answer && answer->has(RST) && answer->seq == 78, "no RST for a wrong ACK");
  peer.send(ACK, 0, 0);
  answer = peer.next(ms(300));
  require(!answer || (answer->has(RST) && answer->seq == 0), "a wrong answer to an ACK of nothing");
  peer.send(RST, 0, 0);
  peer.send(RST | ACK, 0, 78);
  link.run_for(ms(50));
  require(link.reports().empty(), "a forged RST ends the connection");
  peer.send(RST | ACK, 0, 1);
  require(link.reported("A", s(1)), "RST that acknowledges the SYN is ignored");
}

void syn_received(Link& link) {
  TcpPeer peer(link, echo);
  peer.send(with_options(peer.make(SYN, 0, 0), mss_option(1460)));
  peer.expect("SYN ACK 0+0 ack 1");
  peer.send(ACK, 1, 778);
  auto answer = peer.next(ms(500));
  require(answer && answer->has(RST) && answer->seq == 778, "no RST for a wrong ACK");
  peer.send(ACK | PSH, 1, 1, octets("early"));
  peer.expect_ack(6);
}

void backlog(Link& link) {
  // A reset frees what was half open.
  for (int n = 0; n < 12; ++n) {
    TcpPeer peer(link, echo);
    peer.send(SYN, 0, 0);
    peer.expect("SYN ACK 0+0 ack 1");
    peer.drop();
    link.run_for(ms(5));
  }
  for (int n = 0; n < 60; ++n) {
    TcpPeer peer(link, echo);
    peer.send(SYN, 0, 0);
    link.run_for(ms(3));
  }
  TcpPeer client(link, echo);
  const Instant start = link.now();
  for (Duration wait = s(1);; wait = wait * 2) {
    client.send(SYN, 0, 0);
    const auto answer = client.next(wait);
    if (answer && answer->has(SYN | ACK)) break;
    require(link.now() - start < s(100), "no service after a flood of SYNs");
  }
  client.send(ACK, 1, 1);
  link.run_for(ms(5));
  expect_alive(client);
}

void acceptability(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  expect_alive(peer);
  const std::uint32_t next = peer.sent;
  for (const std::uint32_t seq : {next - 20, next - 1, next + 40'000, next + 0x7fffffff, next - 0x70000000}) {
    link.run_for(ms(1100));  // challenge ACKs may be limited
    link.forget();
    peer.send(ACK, seq, peer.taken, octets("x"));
    const auto answer = peer.next();
    require(answer && answer->has(ACK) && !answer->has(RST) && answer->ack == next && answer->seq == peer.taken,
            "seq " + std::to_string(static_cast<std::int32_t>(seq - next)) + " gets " +
                (answer ? answer->text() : "nothing"));
    peer.silence(ms(20));
  }
  expect_alive(peer);
}

void resets(Link& link) {
  TcpPeer peer(link, discard);
  peer.open();
  require(link.reported("C", s(1)), "not connected");
  for (const std::uint32_t seq : {0u, 0xffffff00u, 40'000u, 0x80000001u}) {
    peer.send(RST, seq, 0);
    peer.send(RST | ACK, seq, 1);
  }
  peer.silence(s(1));
  peer.send(RST, 100, 0);
  peer.expect("ACK 1+0 ack 1");
  require(link.reports() == "C", "a wrong RST ends the connection");
  peer.send(RST, 1, 0);
  peer.silence(ms(500));
  require(link.reports() == "CA", "RST is ignored");
  expect_gone(peer);
}

void syn_in_connection(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  for (const std::uint32_t seq : {1u, 100u, 0u, 50'000u}) {
    link.run_for(ms(1100));
    link.forget();
    peer.send(with_options(peer.make(SYN, seq, 0), mss_option(1460)));
    peer.expect("ACK 1+0 ack 1");
  }
  expect_alive(peer);
}

void wild_acks(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  for (const std::uint32_t number : {90'001u, 2u, 1u - (1u << 30), 0x80000001u}) {
    link.run_for(ms(1100));
    link.forget();
    peer.send(ACK | PSH, 1, number, octets("forged"));
    const auto answer = peer.next();
    require(!answer || (answer->text() == "ACK 1+0 ack 1"), "a wild ACK gets " + (answer ? answer->text() : ""));
    require(answer || number != 90'001, "no challenge ACK");
  }
  expect_alive(peer);
}

void challenge_limit(Link& link) {
  TcpPeer peer(link, echo), other(link, echo);
  peer.open();
  other.open();
  int answers = 0;
  for (int n = 0; n < 1000; ++n) {
    peer.send(RST, 50, 0);
    link.run_for(ms(1));
    while (const auto frame = link.next(Duration{})) ++answers;
  }
  require(answers >= 1 && answers <= 20, std::to_string(answers) + " challenge ACKs in a second");
  // The limit is of each connection (CVE-2016-5696).
  other.send(RST, 50, 0);
  other.expect("ACK 1+0 ack 1");
  expect_alive(peer);
}

void no_ack_bit(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(PSH, 1, 0, octets("forged"));
  peer.send(FIN, 1, 0);
  peer.send(0, 1, 0, octets("forged"));
  peer.silence(s(1));
  expect_alive(peer);
}

void half_close(Link& link) {
  for (const bool at_once : {true, false}) {
    TcpPeer peer(link, file);
    peer.open();
    if (at_once) {
      peer.send(FIN | ACK | PSH, 1, 1, octets("get"));
      peer.sent = 5;
    } else {
      peer.send(FIN | ACK, 1, 1);
      peer.sent = 2;
    }
    require(peer.transfer({}, 3000).size() == 3000, "not the whole file");
    // Its FIN, which may have come with the last octets.
    peer.send(ACK, peer.sent, peer.taken);
    peer.send(ACK, peer.sent, peer.taken + 1);
    link.run_for(ms(200));
    peer.send(ACK, peer.sent, peer.taken + 1);
    const auto end = link.reports();
    require(end.ends_with("E"), "does not close after the file: " + end);
  }
}

// Until the stack's FIN: of a connection to `early`, which has nothing to send.
void expect_fin(TcpPeer& peer) {
  peer.expect("FIN ACK 1+0 ack 1");
}

void simultaneous_close(Link& link) {
  TcpPeer peer(link, early);
  peer.open();
  expect_fin(peer);
  peer.send(FIN | ACK, 1, 1);
  peer.expect_ack(2);
  peer.send(ACK, 2, 2);
  require(link.reported("CPE", s(1)), "reports " + link.reports());
  peer.silence(s(2));
  peer.send(FIN | ACK, 1, 2);  // TIME-WAIT
  peer.expect("ACK 2+0 ack 2");
}

void time_wait(Link& link) {
  TcpPeer peer(link, early);
  peer.open();
  expect_fin(peer);
  peer.send(FIN | ACK, 1, 2);
  peer.expect("ACK 2+0 ack 2");
  for (const std::int64_t wait : {1, 29, 29}) {
    link.run_for(s(wait));
    link.forget();
    peer.send(FIN | ACK, 1, 2);
    peer.expect("ACK 2+0 ack 2");
  }
  peer.send(RST, 2, 0);  // RFC 1337
  link.run_for(ms(1100));
  peer.send(FIN | ACK, 1, 2);
  peer.expect("ACK 2+0 ack 2");
  // A new connection with higher numbers.
  peer.isn += 1000;
  peer.send(with_options(peer.make(SYN, 0, 0), mss_option(1460)));
  peer.expect("SYN ACK 0+0 ack 1");
}

void fin_wait_2(Link& link) {
  TcpPeer peer(link, early);
  peer.open();
  expect_fin(peer);
  peer.send(ACK, 1, 2);
  link.run_for(s(600));
  link.forget();
  peer.taken = 2;
  expect_gone(peer);
}

void data_after_close(Link& link) {
  TcpPeer peer(link, early);
  peer.open();
  expect_fin(peer);
  peer.send(ACK, 1, 2);
  peer.send(ACK | PSH, 1, 2, octets("too late"));
  const auto answer = peer.next();
  require(answer && answer->has(RST), "no RST");
}

void initial_sequence_numbers(Link& link) {
  TcpPeer peer(link, echo);
  std::uint32_t last = 0;
  for (int n = 0; n < 20; ++n) {
    peer.send(SYN, 0, 0);
    peer.expect("SYN ACK 0+0 ack 1");
    peer.drop();
    const std::uint32_t step = peer.stack_isn - last;
    require(n == 0 || (step > 0 && step < 1u << 24), "the same sockets do not get numbers of a clock");
    last = peer.stack_isn;
    link.run_for(ms(100));
  }
  const std::vector<std::uint32_t> numbers = numbers_of_200_connections(link, echo);
  int near = 0;
  std::set<std::uint32_t> steps;
  for (std::size_t n = 1; n < numbers.size(); ++n) {
    const auto step = static_cast<std::int32_t>(numbers[n] - numbers[n - 1]);
    near += step > -(1 << 24) && step < 1 << 24;
    steps.insert(static_cast<std::uint32_t>(step) >> 16);
  }
  require(near < 10, std::to_string(near) + " of 199 numbers are near the one before");
  require(steps.size() > 150, "steps between numbers repeat");
}

void ephemeral_ports(Link& link) {
  std::vector<std::uint16_t> ports;
  for (int n = 0; n < 50; ++n) {
    link.command('o');
    TcpPeer peer(link, 0);
    peer.accept_syn();
    ports.push_back(peer.stack_port);
    peer.send(RST | ACK, 0, 1);
    link.run_for(ms(20));
  }
  int near = 0;
  for (std::size_t n = 1; n < ports.size(); ++n) near += std::abs(ports[n] - ports[n - 1]) < 16;
  const auto [least, most] = std::minmax_element(ports.begin(), ports.end());
  require(near < 5 && *most - *least > 4096, "ports can be guessed");
  require(*least >= 1024, "a port below 1024");
}

void gives_up(Link& link) {
  link.command('o');
  TcpPeer peer(link, 0);
  peer.accept_syn();
  link.run_for(s(179));
  require(link.reports().empty(), "gives up a SYN within 3 minutes");
  require(link.reported("T", s(600)), "never gives up a SYN");
  link.forget();
  link.command('o');
  TcpPeer second(link, 0);
  second.accept();
  link.command('w');
  link.run_for(s(99));
  require(link.reports() == "TC", "gives up data within 100 s");
  require(link.reported("TCT", s(1000)), "never gives up data");
}

void no_keep_alive(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  expect_alive(peer);
  link.run_for(ms(600));
  link.forget();
  link.silence(s(600));
  expect_alive(peer);
}

void urgent(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  std::uint32_t seq = 1;
  Octets all;
  for (const unsigned pointer : {0u, 1u, 5u, 6u, 0xffffu}) {
    Tcp segment = peer.make(ACK | PSH | URG, seq, seq, octets("abcde"));
    segment.urgent = static_cast<std::uint16_t>(pointer);
    peer.send(segment);
    seq += 5;
    while (all.size() < seq - 1) {
      const auto answer = peer.next();
      require(answer.has_value(), "urgent data is lost");
      all.insert(all.end(), answer->data.begin(), answer->data.end());
    }
    peer.send(ACK, seq, seq);
    link.run_for(ms(20));
    link.forget();
  }
  require(all == octets("abcdeabcdeabcdeabcdeabcde"), "urgent data is out of order");
  Tcp first = TcpPeer(link, echo).make(SYN | URG, 0, 0);
  first.urgent = 0xffff;
  peer.send(first);
  link.run_for(ms(100));
  peer.sent = peer.taken = seq;
  expect_alive(peer);
}

void unusual_syn(Link& link) {
  TcpPeer with_data(link, echo);
  with_data.send(SYN, 0, 0, octets("early"));
  const auto answer = with_data.next();
  require(answer && answer->has(SYN | ACK) && (answer->ack == 1 || answer->ack == 6), "SYN with data");
  with_data.send(ACK | PSH, 1, 1, octets("early"));
  with_data.expect_ack(6);
  with_data.send(ACK, 6, 6);
  link.run_for(ms(20));
  link.forget();

  TcpPeer ecn(link, echo);
  ecn.send(SYN | ECE | CWR, 0, 0);
  const auto plain = ecn.next();
  require(plain && plain->has(SYN | ACK), "SYN with ECN");
  require((plain->flags & (ECE | CWR)) == 0, "ECE in the SYN ACK");
  ecn.send(ACK, 1, 1);
  link.run_for(ms(5));
  expect_alive(ecn);

  TcpPeer both(link, echo);
  both.send(SYN | FIN, 0, 0);
  const auto last = both.next(ms(500));
  require(!last || !last->has(RST), "SYN with FIN");
  both.drop();
  expect_service(link);
}

}  // namespace

std::vector<Rule> tcp_connection_rules() {
  using enum Level;
  return {
      {"TC-1", must, "9293 3.1", true, true, "makes and verifies checksums of every length", checksum},
      {"TC-2", must, "9293 3.1", true, true, "drops impossible data offsets", data_offset},
      {"TC-3", must, "9293 3.1 MUST-5", true, true, "options in any segment, unknown ones skipped", options_anywhere},
      {"TC-4", must, "9293 3.1 MUST-7", true, true, "survives illegal option lengths", illegal_options},
      {"TC-5", must, "9293 3.7.1 MUST-15", true, true, "no MSS option means 536", no_mss},
      {"TC-6", must, "9293 3.7.1 MUST-16", true, true, "no segment exceeds the peer's MSS", segment_size},
      {"TC-7", should, "9293 3.7.1", true, true, "a tiny MSS makes no tiny segments", tiny_mss},
      {"TC-8", must, "9293 3.7.1 MUST-14", true, true, "sends its MSS in SYN and SYN ACK", sends_mss},
      {"TC-9", must, "9293 3.10.7.2", true, true, "LISTEN answers each of 64 flags as it should", listen},
      {"TC-10", must, "9293 3.10.7.1", true, true, "CLOSED resets with the right numbers", closed},
      {"TC-11", must, "9293 3.9.2.3 MUST-57", true, true, "drops a SYN to many", syn_to_many},
      {"TC-12", must, "9293 3.5 MUST-10", true, true, "simultaneous open", simultaneous_open},
      {"TC-13", must, "9293 3.10.7.3", true, true, "SYN-SENT checks ACK and RST", syn_sent},
      {"TC-14", must, "9293 3.10.7.4", true, true, "SYN-RECEIVED resets a wrong ACK, takes data with the right one",
       syn_received},
      {"TC-15", should, "4987", true, true, "half-open connections are freed; survives a flood of SYNs", backlog},
      {"TC-16", must, "9293 3.10.7.4", true, true, "answers what is outside of the window with an ACK", acceptability},
      {"TC-17", must, "5961 3.2", true, true, "resets only on the exact number", resets},
      {"TC-18", must, "5961 4.2", true, true, "a SYN in a connection gets a challenge ACK", syn_in_connection},
      {"TC-19", must, "5961 5.2", true, true, "data with a wild ACK is not taken", wild_acks},
      {"TC-20", should, "5961 7", true, true, "challenge ACKs are limited for each connection", challenge_limit},
      {"TC-21", must, "9293 3.10.7.4", true, true, "drops segments without ACK", no_ack_bit},
      {"TC-22", must, "9293 3.6", true, true, "sends on after the peer's FIN", half_close},
      {"TC-23", must, "9293 3.6", true, true, "simultaneous close", simultaneous_close},
      {"TC-24", must, "9293 3.6.1", true, true, "TIME-WAIT acknowledges again, ignores RST, gives way to a new SYN",
       time_wait},
      {"TC-25", must, "9293 3.6", true, true, "FIN-WAIT-2 ends when the peer never closes", fin_wait_2},
      {"TC-26", must, "1122 4.2.2.13", true, true, "data for a closed application gets RST", data_after_close},
      {"TC-27", must, "6528 3", true, true, "initial sequence numbers cannot be guessed", initial_sequence_numbers},
      {"TC-28", should, "6056 3", true, true, "ports of its own connections cannot be guessed", ephemeral_ports},
      {"TC-29", must, "9293 3.8.3", true, true, "gives up a SYN after 3 minutes, data after 100 s, and says so",
       gives_up},
      {"TC-30", must, "9293 3.8.4", true, true, "no keep-alives unless asked for", no_keep_alive},
      {"TC-31", must, "9293 3.8.5", true, true, "urgent data stays in its place whatever the pointer", urgent},
      {"TC-32", may, "9293 3.10.7.2", true, true, "SYN with data, FIN or ECN bits", unusual_syn},
  };
}

}  // namespace avrlan::test
