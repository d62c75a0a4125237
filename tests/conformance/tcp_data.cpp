// TCP, the data: RFC 9293, 1122 4.2, 896, 5681, 6298, 6582, 3465, 7323.

#include <algorithm>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

constexpr std::uint16_t echo = 7, discard = 9, chargen = 19, file = 20, late = 22;
constexpr std::uint16_t late_buffer = 1000;

std::uint8_t pattern(std::uint32_t offset) {
  return static_cast<std::uint8_t>(offset ^ offset >> 8 ^ 0x55);
}
void expect_pattern(const Octets& data, std::uint32_t from) {
  for (const std::uint8_t octet : data) {
    require(octet == pattern(from), "a wrong octet at " + std::to_string(from));
    ++from;
  }
}
// What comes before nothing comes for `pause`.
std::vector<Segment> flight(TcpPeer& peer, Duration first = s(1), Duration pause = ms(40)) {
  std::vector<Segment> all;
  while (auto segment = peer.next(all.empty() ? first : pause))
    if (!segment->data.empty()) all.push_back(*segment);
  return all;
}
std::size_t octets_of(const std::vector<Segment>& segments) {
  std::size_t n = 0;
  for (const Segment& segment : segments) n += segment.data.size();
  return n;
}
// The stack opens a connection to us.
void be_server(Link& link, TcpPeer& peer, std::uint16_t mss = 1460) {
  link.command('o');
  peer.accept(mss);
  require(link.reported("C", s(1)), "is not established");
}
// Takes everything that the character generator sends until `taken`, immediately acknowledged.
void take_until(TcpPeer& peer, std::uint32_t taken) {
  while (peer.taken < taken) {
    const std::uint32_t from = peer.taken;
    const Octets got = peer.transfer({}, 1);
    expect_pattern(got, from - 1);
  }
}

void window(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 100;
  peer.open();
  for (int n = 0; n < 5; ++n) {
    const auto segments = flight(peer);
    require(!segments.empty(), "no data for a small window");
    require(segments.back().end() - peer.taken <= 100, "sends beyond the window");
    peer.taken = segments.back().end();
    peer.send(ACK, 1, peer.taken);
  }
  peer.window = 65'535;
  peer.send(ACK, 1, peer.taken);
  take_until(peer, 8000);
}

void shrinking_window(Link& link) {
  TcpPeer peer(link, chargen);
  peer.open();
  require(!flight(peer).empty(), "no data");
  for (const std::uint16_t n : std::initializer_list<std::uint16_t>{100, 8000, 50, 1, 8000}) {
    peer.window = n;
    peer.send(ACK, 1, peer.taken);
    take_until(peer, peer.taken + 40);
    link.run_for(ms(50));
    link.forget();
  }
  peer.window = 8000;
  peer.send(ACK, 1, peer.taken);
  take_until(peer, peer.taken + 5000);
}

void zero_window(Link& link) {
  TcpPeer peer(link, chargen);
  peer.open();
  const auto first = flight(peer);
  require(!first.empty(), "no data");
  peer.taken = first.back().end();
  peer.window = 0;
  peer.send(ACK, 1, peer.taken);
  const Instant start = link.now();
  Instant last = start;
  Duration gap{};
  int probes = 0;
  while (link.now() - start < s(600)) {
    const auto probe = peer.next(s(125));
    require(probe.has_value(), "no more probes after " + std::to_string(probes));
    require(!probe->has(RST), "gives up");
    require(probe->data.size() <= 1, "a probe of " + std::to_string(probe->data.size()) + " octets");
    require(probes == 0 || probe->at - last + ms(100) >= gap, "probes come faster");
    gap = probe->at - last;
    last = probe->at;
    ++probes;
    peer.send(ACK, 1, peer.taken);
  }
  require(probes < 60, std::to_string(probes) + " probes in 10 minutes");
  peer.window = 8000;
  peer.send(ACK, 1, peer.taken);
  take_until(peer, peer.taken + 4000);
}

// Fills the buffer of the application that reads late.
void fill(TcpPeer& peer) {
  peer.send(ACK | PSH, 1, 1, filler(500));
  peer.expect_ack(501);
  peer.send(ACK | PSH, 501, 1, filler(500));
  peer.expect_ack(1001);
}

void answers_probes(Link& link) {
  TcpPeer peer(link, late);
  peer.open();
  fill(peer);
  for (int n = 0; n < 3; ++n) {
    link.run_for(s(2));
    link.forget();
    peer.send(ACK, 1001, 1, octets("?"));
    const auto answer = peer.expect("ACK 1+0 ack 1001");
    require(answer.window == 0, "a window that is not closed");
  }
}

void window_update(Link& link) {
  TcpPeer peer(link, late);
  peer.open();
  fill(peer);
  link.run_for(ms(500));
  link.forget();
  link.command('R');
  const auto update = peer.expect("ACK 1+0 ack 1001");
  require(update.window == late_buffer, "a window of " + std::to_string(update.window));
}

void receiver_silly_window(Link& link) {
  TcpPeer peer(link, late);
  peer.open();
  fill(peer);
  link.run_for(ms(500));
  link.forget();
  std::uint32_t edge = 1001;
  for (int n = 0; n < 1000; ++n) {
    link.command('r');
    const auto update = peer.next(ms(10));
    if (!update) continue;
    const std::uint32_t now = update->ack + update->window;
    require(now == edge || now - edge >= late_buffer / 2, "the window opens by " + std::to_string(now - edge));
    edge = now;
  }
  require(edge > 1001, "the window never opens");
}

void never_shrinks(Link& link) {
  TcpPeer peer(link, late);
  peer.open();
  std::uint32_t edge = 0, seq = 1;
  for (int n = 0; n < 30; ++n) {
    peer.send(ACK | PSH, seq, 1, filler(97));
    while (const auto answer = peer.next(ms(n % 3 == 0 ? 300 : 20))) {
      const std::uint32_t now = answer->ack + answer->window;
      require(static_cast<std::int32_t>(now - edge) >= 0, "the right edge goes back");
      edge = now;
      seq = answer->ack;
    }
    if (n % 7 == 3) link.command('R');
    if (n % 5 == 0) link.command('r');
  }
}

void nagle(Link& link) {
  TcpPeer peer(link, 0);
  be_server(link, peer);
  int small = 0;
  for (int n = 0; n < 20; ++n) {
    link.command('w');
    while (const auto segment = peer.next(ms(5))) small += !segment->data.empty();
  }
  require(small == 1, std::to_string(small) + " small segments in flight");
  peer.send(ACK, 1, 2);
  const auto rest = peer.next(ms(300));
  require(rest && rest->text() == "ACK 2+19 ack 1", "the rest does not go at once");
}

void delayed_ack(Link& link) {
  TcpPeer peer(link, discard);
  peer.open();
  peer.send(ACK | PSH, 1, 1, filler(100));
  peer.expect_ack(101, ms(500));
  link.run_for(s(1));
  link.forget();
  // Of full size, where two of them fit into the window.
  const Octets data = filler(link.profile == Profile::full ? 1460 : 700);
  const auto n = static_cast<std::uint32_t>(data.size());
  peer.send(ACK, 101, 1, data);
  peer.send(ACK, 101 + n, 1, data);
  peer.expect_ack(101 + 2 * n, ms(100));
}

void out_of_order(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(ACK, 101, 1, filler(100, 100));
  auto answer = peer.next(ms(100));
  require(answer && answer->ack == 1, "no immediate duplicate ACK");
  peer.send(ACK, 201, 1, filler(100, 200));
  answer = peer.next(ms(100));
  require(answer && answer->ack == 1, "no immediate duplicate ACK");
  peer.send(ACK, 1, 1, filler(100));
  if (link.profile == Profile::full) {
    peer.expect_ack(301, ms(100));
    peer.sent = 301;
  } else {
    answer = peer.next(s(1));
    require(answer && answer->ack >= 101, "no ACK");
    peer.sent = answer->ack;
  }
  const Octets wanted = filler(100) + filler(100, 100) + filler(100, 200);
  link.forget();
  const Octets rest(wanted.begin() + static_cast<std::ptrdiff_t>(peer.sent - 1), wanted.end());
  require(peer.transfer(rest, 300, 100) == wanted, "other octets came back");
}

void overlapping(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  peer.send(ACK, 1, 1, octets("hello"));
  peer.expect_ack(6);
  peer.send(ACK, 1, 1, octets("xxxxxWORLD"));
  peer.expect_ack(11);
  peer.sent = 11;
  link.forget();
  require(peer.transfer({}, 10) == octets("helloWORLD"), "other octets came back");
}

void partial_ack(Link& link) {
  TcpPeer peer(link, 0);
  be_server(link, peer);
  link.command('W');
  const auto segments = flight(peer);
  require(octets_of(segments) >= 400, "not much data");
  peer.send(ACK, 1, 151);
  peer.taken = 151;
  const Octets rest = peer.transfer({}, 850);
  expect_pattern(rest, 150);
  require(rest.size() == 850, "duplicate octets");
  peer.silence(s(3));
}

void wrap(Link& link) {
  for (const std::uint32_t isn : {0xfffffff0u, 0x7ffffff0u, 0xffffffffu, 0x7fffffffu}) {
    TcpPeer peer(link, echo);
    peer.isn = isn;
    peer.open();
    const Octets data = filler(isn == 0xfffffff0u ? 100'000 : 3000);
    require(peer.transfer(data, data.size()) == data, "other octets came back");
    peer.drop();
  }
}

void accumulates(Link& link) {
  TcpPeer peer(link, discard);
  peer.open();
  for (std::uint32_t n = 0; n < 8; ++n) peer.send(ACK, 1 + 100 * n, 1, filler(100));
  peer.expect_ack(801);
}

void push(Link& link) {
  TcpPeer peer(link, 0);
  be_server(link, peer);
  link.command('w');
  const auto segment = peer.next();
  require(segment && segment->data.size() == 1 && segment->has(PSH), "no PSH on all that there is");
  peer.send(ACK, 1, 2);
  link.run_for(ms(50));
  link.forget();
  link.command('W');
  const auto segments = flight(peer);
  require(!segments.empty() && segments.back().has(PSH), "no PSH on the last segment");
  // None is needed to hand data on.
  TcpPeer other(link, echo);
  other.open();
  other.send(ACK, 1, 1, octets("x"));
  require(!flight(other).empty(), "data without PSH is kept");
}

// One octet, acknowledged when it is `rtt` old. The number of times that it came.
int round_trip(Link& link, TcpPeer& peer, Duration rtt) {
  link.command('w');
  int times = 0;
  const Instant start = link.now();
  while (link.now() - start < rtt) {
    const auto segment = peer.next(rtt - (link.now() - start));
    if (segment && !segment->data.empty()) ++times;
  }
  peer.send(ACK, 1, ++peer.taken);
  link.run_for(ms(30));
  link.forget();
  return times;
}

void timeout_follows(Link& link) {
  TcpPeer peer(link, 0);
  be_server(link, peer);
  for (int n = 0; n < 5; ++n) require(round_trip(link, peer, ms(20)) == 1, "a retransmission within 20 ms");
  int last = 0;
  for (int n = 0; n < 14; ++n) {
    const int times = round_trip(link, peer, s(2));
    if (n >= 11) last += times;
  }
  require(last == 3, "still retransmits within a round trip of 2 s");
}

std::vector<Instant> retransmissions(TcpPeer& peer, std::size_t n) {
  std::vector<Instant> times;
  while (times.size() < n) {
    const auto segment = peer.next(s(130));
    require(segment && !segment->has(RST), "only " + std::to_string(times.size()) + " transmissions");
    if (!segment->data.empty() || segment->has(SYN)) times.push_back(segment->at);
  }
  return times;
}

void first_timeout(Link& link) {
  link.command('o');
  TcpPeer peer(link, 0);
  const auto first = peer.accept_syn();
  const auto again = retransmissions(peer, 1);
  const Duration gap = again[0] - first.at;
  require(gap >= ms(900) && gap <= ms(1300), "a SYN is sent again after " + std::to_string(gap.milliseconds()) + " ms");
  peer.send(RST | ACK, 0, 1);
  link.run_for(ms(50));
  link.forget();
  TcpPeer second(link, 0);
  link.command('o');
  second.accept();
  link.command('w');
  const auto times = retransmissions(second, 2);
  const Duration data_gap = times[1] - times[0];
  require(data_gap >= ms(900) && data_gap <= ms(1300),
          "data is sent again after " + std::to_string(data_gap.milliseconds()) + " ms");
}

void backoff(Link& link) {
  TcpPeer peer(link, 0);
  be_server(link, peer);
  link.command('w');
  const auto times = retransmissions(peer, 8);
  for (std::size_t n = 2; n < times.size(); ++n) {
    const Duration before = times[n - 1] - times[n - 2], gap = times[n] - times[n - 1];
    require(gap + ms(100) >= std::min(before * 2, s(60)) && gap <= before * 2 + ms(200),
            "gaps of " + std::to_string(before.milliseconds()) + " and " + std::to_string(gap.milliseconds()) + " ms");
  }
}

void timer_restarts(Link& link) {
  TcpPeer peer(link, 0);
  be_server(link, peer);
  link.command('w');
  require(!flight(peer).empty(), "no data");
  peer.send(ACK, 1, 2);
  link.silence(s(5));
  link.command('W');
  const auto segments = flight(peer);
  require(!segments.empty(), "no data");
  link.run_for(ms(700));
  peer.send(ACK, 1, 152);
  const Instant acknowledged = link.now();
  // Whatever is resent of the rest, its timer began anew.
  const auto again = peer.next(s(3));
  require(again && !again->data.empty(), "the rest is not sent again");
  require(
      again->seq > segments.back().seq || again->at - acknowledged >= ms(900) || again->end() > segments.back().end(),
      "the timer was not restarted");
}

void initial_window(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 30'000;
  peer.open(536);
  const std::size_t n = octets_of(flight(peer));
  require(n > 0, "no data");
  const std::size_t most = link.profile == Profile::full ? 4 * 536 : 536;
  require(n <= most, "a first flight of " + std::to_string(n) + " octets");
}

// Acknowledges each flight as a whole after 100 ms; what the flights were.
std::vector<std::size_t> flights(Link& link, TcpPeer& peer, int n) {
  std::vector<std::size_t> sizes;
  while (n-- > 0) {
    const auto segments = flight(peer);
    require(!segments.empty(), "no data");
    sizes.push_back(octets_of(segments));
    // One ACK for each second segment, as receivers do.
    for (std::size_t i = 0; i < segments.size(); ++i)
      if (i % 2 == 1 || i + 1 == segments.size()) peer.send(ACK, 1, segments[i].end());
    peer.taken = segments.back().end();
  }
  (void)link;
  return sizes;
}

void slow_start(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 30'000;
  peer.open(200);
  const auto sizes = flights(link, peer, 4);
  for (std::size_t n = 1; n < sizes.size(); ++n)
    require(sizes[n] <= 2 * sizes[n - 1] + 200,
            "a flight of " + std::to_string(sizes[n]) + " octets after one of " + std::to_string(sizes[n - 1]));
  require(sizes[1] > sizes[0] && sizes[2] > sizes[1], "the window does not grow");
}

// Lets the flight be lost until the timer expires; how much came then before the first ACK.
std::size_t after_timeout(TcpPeer& peer) {
  require(!flight(peer).empty(), "no data");
  const auto again = flight(peer, s(4));
  require(!again.empty() && again.front().seq == peer.taken, "not the first segment again");
  const std::size_t n = octets_of(again);
  peer.taken = again.front().end();
  peer.send(ACK, 1, peer.taken);
  return n;
}

void congestion_avoidance(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 30'000;
  peer.open(200);
  flights(link, peer, 3);
  after_timeout(peer);
  const auto sizes = flights(link, peer, 9);
  // Above half of what was lost it grows by one segment a round trip.
  for (std::size_t n = 6; n < sizes.size(); ++n)
    require(sizes[n] <= sizes[n - 1] + 200 + 200, "grows by " + std::to_string(sizes[n] - sizes[n - 1]));
  require(sizes[8] > sizes[4], "does not grow");
}

void timeout_window(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 30'000;
  peer.open(200);
  flights(link, peer, 3);
  const std::size_t n = after_timeout(peer);
  require(n <= 200, std::to_string(n) + " octets after a timeout");
}

// Whether data from `seq` on comes within d; other segments are left out.
bool comes(TcpPeer& peer, std::uint32_t seq, Duration d) {
  while (const auto segment = peer.next(d))
    if (segment->seq == seq && !segment->data.empty()) return true;
  return false;
}

void fast_retransmit(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 30'000;
  peer.open(200);
  flights(link, peer, 4);
  const auto segments = flight(peer);
  require(segments.size() >= 5, "a flight of " + std::to_string(segments.size()) + " segments");
  // The first two may bring new data (RFC 3042).
  for (int n = 0; n < 2; ++n) peer.send(ACK, 1, peer.taken);
  require(!comes(peer, segments[0].seq, ms(50)), "a retransmission for two duplicate ACKs");
  peer.send(ACK, 1, peer.taken);
  require(comes(peer, segments[0].seq, ms(100)), "no fast retransmission");
  // A partial ACK: the second one is lost, too (RFC 6582).
  peer.taken = segments[1].seq;
  peer.send(ACK, 1, peer.taken);
  require(comes(peer, segments[1].seq, ms(100)), "a partial ACK does not bring the next hole");
  peer.taken = segments.back().end();
  peer.send(ACK, 1, peer.taken);
  take_until(peer, peer.taken + 2000);
}

void no_duplicate(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 20'000;
  peer.open(200);
  flights(link, peer, 3);
  const auto segments = flight(peer);
  require(!segments.empty(), "no data");
  for (int n = 0; n < 6; ++n) {
    peer.window = static_cast<std::uint16_t>(peer.window + 100);
    peer.send(ACK, 1, peer.taken);
  }
  while (const auto segment = peer.next(ms(100)))
    require(segment->data.empty() || segment->seq != segments[0].seq, "retransmits for window updates");
}

void restart_after_idle(Link& link) {
  TcpPeer peer(link, 0);
  peer.window = 30'000;
  be_server(link, peer, 200);
  for (int n = 0; n < 6; ++n) {
    link.command('W');
    link.command('W');
    link.run_for(ms(20));
    peer.transfer({}, 2000);
  }
  link.run_for(s(5));
  link.forget();
  for (int n = 0; n < 5; ++n) link.command('W');
  const auto segments = flight(peer);
  require(!segments.empty() && octets_of(segments) <= 4 * 200, "a burst of " + std::to_string(octets_of(segments)));
}

void ack_division(Link& link) {
  TcpPeer peer(link, chargen);
  peer.window = 30'000;
  peer.open(536);
  auto segments = flight(peer);
  require(!segments.empty(), "no data");
  const std::size_t before = octets_of(segments);
  const std::uint32_t size = static_cast<std::uint32_t>(segments.front().data.size());
  for (std::uint32_t n = 1; n <= 10; ++n) peer.send(ACK, 1, 1 + size * n / 10);
  std::size_t sent = before;
  for (const Segment& segment : flight(peer)) sent += segment.seq > segments.back().seq ? segment.data.size() : 0;
  // In flight now: what was, less what was acknowledged, and the growth.
  require(sent - size <= before + 536, "the window grows by " + std::to_string(sent - size - before));
  peer.send(ACK, 1, 500'000);
  peer.taken = 1 + size;
  take_until(peer, 5000);
}

void delayed_ack_peer(Link& link) {
  TcpPeer peer(link, chargen);
  peer.open(1460);
  const Instant start = link.now();
  while (peer.taken < 10'000) {
    // Every second segment at once, a single one after 200 ms.
    const auto one = peer.next(s(1));
    require(one.has_value(), "no data");
    const auto two = peer.next(ms(200));
    peer.taken = two ? two->end() : one->end();
    peer.send(ACK, 1, peer.taken);
  }
  require(link.now() - start < ms(400), "waits for delayed ACKs");
}

void refuses_extensions(Link& link) {
  TcpPeer peer(link, echo);
  Tcp first = peer.make(SYN, 0, 0);
  first.options = mss_option(1460) + Octets{4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 7};
  peer.send(first);
  const auto answer = peer.expect("SYN ACK 0+0 ack 1");
  require(answer.options.size() == 4 && answer.mss(), "options in the SYN ACK that the stack does not speak");
  peer.send(ACK, 1, 1);
  link.run_for(ms(5));
  const Octets data = filler(100);
  require(peer.transfer(data, 100) == data, "other octets came back");
}

void many_holes(Link& link) {
  TcpPeer peer(link, echo);
  peer.open();
  for (std::uint32_t n = 0; n < 40; ++n) {
    peer.send(ACK, 2 + 14 * n, 1, filler(13, n));
    link.run_for(ms(2));
  }
  TcpPeer other(link, echo);
  other.open();
  const Octets little = filler(20);
  require(other.transfer(little, 20) == little, "another connection suffers");
  link.forget();
  // All of it in order: what was kept does no harm.
  Octets all;
  for (unsigned n = 0; n < 40; ++n) all = all + octets("-") + filler(13, n);
  require(peer.transfer(all, all.size(), 70) == all, "other octets came back");
}

}  // namespace

std::vector<Rule> tcp_data_rules() {
  using enum Level;
  return {
      {"TD-1", must, "9293 3.8.6 MUST-1", true, true, "sends nothing beyond the window, which has 16 bits", window},
      {"TD-2", must, "9293 3.8.6 MUST-34", true, true, "a shrinking window loses no data", shrinking_window},
      {"TD-3", must, "9293 3.8.6.1 MUST-36", true, true, "probes a closed window for ever", zero_window},
      {"TD-4", must, "9293 3.10.7.4", true, true, "answers probes of its closed window", answers_probes},
      {"TD-5", must, "9293 3.8.6.2.2", true, true, "tells when its window opens", window_update},
      {"TD-6", must, "9293 3.8.6.2.2 MUST-39", true, true, "opens its window in large steps", receiver_silly_window},
      {"TD-7", must, "9293 3.8.6 SHLD-14", true, true, "never takes its window back", never_shrinks},
      {"TD-8", must, "9293 3.7.4", false, true, "one small segment in flight (Nagle)", nagle},
      {"TD-9", must, "9293 3.8.6.3", true, true, "acknowledges within 500 ms, and every second segment", delayed_ack},
      {"TD-10", must, "5681 4.2", true, true, "an immediate ACK for what is out of order; the full profile keeps it",
       out_of_order},
      {"TD-11", must, "9293 3.10.7.4", true, true, "takes the new part of a segment", overlapping},
      {"TD-12", must, "9293 3.10.7.4", true, true, "takes a partial ACK", partial_ack},
      {"TD-13", must, "9293 3.4", true, true, "sequence numbers wrap", wrap},
      {"TD-14", must, "9293 3.10.7.4", true, true, "acknowledges a burst", accumulates},
      {"TD-15", must, "9293 3.9.1.2", true, true, "PSH on the last segment; needs none", push},
      {"TD-16", must, "6298 2, 3", true, true, "the timeout follows the round trip, with Karn's rule", timeout_follows},
      {"TD-17", should, "6298 2.1", true, true, "the first timeout is one second", first_timeout},
      {"TD-18", must, "6298 5.5", true, true, "timeouts double", backoff},
      {"TD-19", must, "6298 5.2, 5.3", true, true, "the timer starts anew with each ACK, and stops", timer_restarts},
      {"TD-20", must, "5681 3.1", true, true, "the first flight is not too large", initial_window},
      {"TD-21", must, "5681 3.1", false, true, "slow start", slow_start},
      {"TD-22", must, "5681 3.1", false, true, "congestion avoidance", congestion_avoidance},
      {"TD-23", must, "5681 3.1", false, true, "one segment after a timeout", timeout_window},
      {"TD-24", should, "5681 3.2, 6582", false, true, "fast retransmission, and recovery from two losses",
       fast_retransmit},
      {"TD-25", should, "5681 2", false, true, "a window update is no duplicate ACK", no_duplicate},
      {"TD-26", should, "5681 4.1", false, true, "starts slowly after idling", restart_after_idle},
      {"TD-27", should, "3465 2", false, true, "many small ACKs are worth no more than one", ack_division},
      {"TD-28", may, "1122 4.2.3.2", true, false, "does not wait for delayed ACKs", delayed_ack_peer},
      {"TD-29", may, "7323 1.3", true, true, "refuses extensions that it does not have", refuses_extensions},
      {"TD-30", must, "5681", false, true, "survives many holes, with bounded memory", many_holes},
  };
}

}  // namespace avrlan::test
