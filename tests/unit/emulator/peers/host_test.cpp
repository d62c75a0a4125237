// A peer against a peer, over a link.
#include "emulator/net/packet.hpp"
#include "emulator/peers/simple_services.hpp"
#include "tests/unit/emulator/peers/cable.hpp"

namespace avrlan::test {
namespace {

using peers::Datagram;
using peers::Host;
using peers::HostOptions;
using peers::TcpEnd;

Transcript exchange(Cable& cable, std::uint16_t port, const std::vector<std::uint8_t>& request, std::size_t expected) {
  Transcript transcript;
  cable.a.connect(address_of(2), port, std::make_unique<Requester>(transcript, request, expected));
  cable.run_until([&] { return transcript.end.has_value(); });
  return transcript;
}

TEST(Host, EchoesByTcp) {
  Cable cable;
  const peers::EchoService echo(cable.b);
  const auto sent = pattern(100'000);
  const Transcript transcript = exchange(cable, peers::echo_port, sent, sent.size());
  EXPECT_EQ(transcript.received, sent);
  EXPECT_EQ(transcript.end, TcpEnd::closed);
}

TEST(Host, EchoesByTcpOverALinkThatLosesDelaysAndReorders) {
  Cable cable("delay=20ms,jitter=2ms,loss=2%,reorder=2%,dup=1%,corrupt=1%,seed=3");
  const peers::EchoService echo(cable.b);
  const auto sent = pattern(100'000);
  EXPECT_EQ(exchange(cable, peers::echo_port, sent, sent.size()).received, sent);
  EXPECT_GT(cable.a.drops().of(DropReason::bad_fcs), 0u);
}

TEST(Host, GivesEqualFramesForEqualInputs) {
  const auto run = [](std::uint64_t seed) {
    HostOptions first = host_options(1);
    first.seed = seed;
    Cable cable("delay=5ms,loss=3%,seed=9", first);
    const peers::EchoService echo(cable.b);
    exchange(cable, peers::echo_port, pattern(20'000), 20'000);
    return cable.passed;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Host, TakesMoreConnectionsThanItHasWhenOneComesAfterTheOther) {
  Cable cable;
  const peers::EchoService echo(cable.b);
  for (int i = 0; i != 100; ++i) {
    const Transcript transcript = exchange(cable, peers::echo_port, octets_of("hello"), 5);
    ASSERT_EQ(transcript.end, TcpEnd::closed) << i;
  }
}

TEST(Host, ServesManyConnectionsAtOnce) {
  Cable cable;
  const peers::EchoService echo(cable.b);
  std::array<Transcript, 50> all;
  for (auto& transcript : all)
    cable.a.connect(address_of(2), peers::echo_port, std::make_unique<Requester>(transcript, pattern(3000), 3000));
  cable.run_until([&] { return std::ranges::all_of(all, [](const auto& t) { return t.end.has_value(); }); });
  for (const auto& transcript : all) EXPECT_EQ(transcript.received, pattern(3000));
}

TEST(Host, IsRefusedWhereNobodyListens) {
  Cable cable;
  const Transcript transcript = exchange(cable, 4711, {}, 0);
  EXPECT_FALSE(transcript.connected);
  EXPECT_EQ(transcript.end, TcpEnd::reset);
}

TEST(Host, DiscardsWithoutAnswer) {
  Cable cable;
  peers::DiscardService discard(cable.b);
  Transcript transcript;
  cable.a.connect(address_of(2), peers::discard_port, std::make_unique<Requester>(transcript, pattern(5000), 0));
  cable.run_until([&] { return transcript.line && transcript.line->unacknowledged() == 0; });
  transcript.line->close();
  cable.run_until([&] { return transcript.end.has_value(); });
  EXPECT_TRUE(transcript.received.empty());
  EXPECT_EQ(transcript.end, TcpEnd::closed);
}

TEST(Host, GeneratesCharactersUntilTheOtherEndHasEnough) {
  Cable cable;
  const peers::ChargenService chargen(cable.b);
  const Transcript transcript = exchange(cable, peers::chargen_port, {}, 100'000);
  ASSERT_GE(transcript.received.size(), 100'000u);
  const std::string_view lines(reinterpret_cast<const char*>(transcript.received.data()), 148);
  EXPECT_EQ(lines.substr(0, 74), " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefg\r\n");
  EXPECT_EQ(lines[74], '!');
}

TEST(Host, EchoesDatagramsButNoneThatWouldBeEchoedForEver) {
  Cable cable;
  const peers::EchoService echo(cable.b);
  std::vector<std::string> came;
  const auto note = [&](const Datagram& datagram) { came.emplace_back(datagram.data.begin(), datagram.data.end()); };
  cable.a.receive_datagrams(50'000, note);
  cable.a.receive_datagrams(peers::chargen_port, note);
  cable.a.send_datagram(address_of(2), peers::echo_port, 50'000, octets_of("one"));
  cable.a.send_datagram(address_of(2), peers::echo_port, peers::chargen_port, octets_of("two"));
  cable.a.send_datagram(0xffffffff, peers::echo_port, 50'000, octets_of("three"));
  cable.run_for(Duration::seconds(2));
  EXPECT_EQ(came, std::vector<std::string>{"one"});
}

TEST(Host, FindsTheMacAddressOfANeighbourOrSaysThatThereIsNone) {
  Cable cable;
  std::optional<MacAddress> there, nobody = MacAddress{};
  int answers = 0;
  cable.a.find(address_of(2), Instant::at(Duration::seconds(1)), [&](auto mac) { there = mac, ++answers; });
  cable.a.find(address_of(3), Instant::at(Duration::seconds(1)), [&](auto mac) { nobody = mac, ++answers; });
  cable.run_for(Duration::milliseconds(999));
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(there, cable.b.options().mac);
  cable.run_for(Duration::milliseconds(200));
  EXPECT_EQ(answers, 2);
  EXPECT_EQ(nobody, std::nullopt);
}

// The payload lengths of the TCP segments that a host has sent.
std::vector<std::size_t> segments(const Cable& cable, int from) {
  std::vector<std::size_t> lengths;
  for (const auto& passed : cable.passed) {
    if (passed.from != from || net::read16(passed.frame.octets, 12) != net::ethertype_ipv4) continue;
    const auto packet = net::Packet::parse(std::span(passed.frame.octets).subspan(net::ethernet_header));
    if (packet && packet->protocol == net::protocol_tcp) lengths.push_back(packet->data.size());
  }
  return lengths;
}

TEST(Host, KeepsToItsMssBothWays) {
  HostOptions small = host_options(2);
  small.mss = 536;
  Cable cable("delay=1ms", host_options(1), small);
  const peers::EchoService echo(cable.b);
  EXPECT_EQ(exchange(cable, peers::echo_port, pattern(10'000), 10'000).received, pattern(10'000));
  EXPECT_EQ(std::ranges::max(segments(cable, 1)), 536u);
  EXPECT_EQ(std::ranges::max(segments(cable, 2)), 536u);
}

TEST(Host, OffersNoMoreThanItsWindow) {
  HostOptions narrow = host_options(2);
  narrow.window = 300;
  Cable cable("delay=1ms", host_options(1), narrow);
  const peers::EchoService echo(cable.b);
  EXPECT_EQ(exchange(cable, peers::echo_port, pattern(5000), 5000).received, pattern(5000));
  for (const auto& passed : cable.passed) {
    const auto packet = net::Packet::parse(std::span(passed.frame.octets).subspan(net::ethernet_header));
    if (packet && passed.from == 2 && packet->protocol == net::protocol_tcp) {
      EXPECT_LE(packet->tcp_window, 300);
    }
  }
}

// When the only segment of a connection's data was acknowledged.
Duration acknowledged_after(bool delayed) {
  HostOptions slow = host_options(2);
  slow.delayed_acks = delayed;
  Cable cable("delay=1ms", host_options(1), slow);
  const peers::DiscardService discard(cable.b);
  Transcript transcript;
  cable.a.connect(address_of(2), peers::discard_port, std::make_unique<Requester>(transcript, pattern(100), 0));
  cable.run_until([&] { return transcript.connected; });
  const Instant sent = cable.scheduler.now();
  cable.run_until([&] { return transcript.line->unacknowledged() == 0; });
  return cable.scheduler.now() - sent;
}

TEST(Host, AcknowledgesAtOnceOrAfter200Milliseconds) {
  EXPECT_LE(acknowledged_after(false), Duration::milliseconds(4));
  EXPECT_GE(acknowledged_after(true), Duration::milliseconds(176));
  EXPECT_LE(acknowledged_after(true), Duration::milliseconds(210));
}

TEST(Host, SaysThatTheOtherEndIsGone) {
  Cable cable;
  Transcript transcript;
  cable.a.connect(address_of(77), 80, std::make_unique<Requester>(transcript, octets_of("x"), 0));
  cable.run_until([&] { return transcript.end.has_value(); }, Duration::seconds(400));
  EXPECT_EQ(transcript.end, TcpEnd::timed_out);
}

TEST(Host, IdlesForADayWithFewEvents) {
  Cable cable;
  const peers::EchoService echo(cable.b);
  cable.run_for(Duration::seconds(24 * 3600));
  EXPECT_EQ(exchange(cable, peers::echo_port, octets_of("still there"), 11).received, octets_of("still there"));
}

}  // namespace
}  // namespace avrlan::test
