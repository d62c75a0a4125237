// Blind and malformed segments against open connections: RFC 5961 and facts of other stacks' failures.
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Notes>;
  static constexpr bool counters = true;
};

struct TcpAttackTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  TcpAttackTest() {
    bench.introduce();
    peer.open();
  }
  Notes& app() { return bench.stack.tcp_application<Notes>(); }
  void expect_alive(uint32_t seq = 1) {
    peer.send("ACK", seq, 1, "alive");
    EXPECT_EQ(app().data, "alive");
    EXPECT_EQ(app().events, "connected ");
  }

  // A segment of this header and data as they are, with the right checksum; `offset` in words goes into the header.
  void raw_segment(uint8_t offset, uint8_t flags, const Octets& behind_header, bool established = true,
                   uint16_t port = 40000) {
    Tins::TCP tcp(80, established ? peer.port : port);
    tcp.flags(flags);
    tcp.seq(peer.isn + (established ? 1 : 0));
    tcp.ack_seq(established ? peer.stack_isn + 1 : 0);
    tcp.window(8000);
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / tcp /
                  Tins::RawPDU(behind_header.data(), static_cast<uint32_t>(behind_header.size()));
    Octets frame = packet.serialize();
    frame[46] = static_cast<uint8_t>(offset << 4);
    frame[50] = frame[51] = 0;
    const auto length = static_cast<uint16_t>(20 + behind_header.size());
    const uint16_t pseudo = reference_sum(frame.data() + 26, 8, 6u + length);
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 34, length, pseudo));
    frame[50] = static_cast<uint8_t>(sum >> 8);
    frame[51] = static_cast<uint8_t>(sum);
    bench.receive(frame);
  }
};

// TC-17, T-10
TEST_F(TcpAttackTest, ResetOutsideTheWindowIsIgnored) {
  for (const uint32_t seq : {0u, 1461u, 100'000u, 0x80000000u}) peer.send("RST", seq, 0);
  EXPECT_EQ(peer.next(), "nothing");
  expect_alive();
}

TEST_F(TcpAttackTest, ResetInTheWindowIsChallenged) {
  peer.send("RST", 2, 0);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  expect_alive();
}

TEST_F(TcpAttackTest, ResetWithTheExactNumberResets) {
  peer.send("RST", 1, 0);
  EXPECT_EQ(peer.next(), "nothing");
  EXPECT_EQ(app().events, "connected aborted ");
}

// TC-20, T-23
TEST_F(TcpAttackTest, ChallengesAreRare) {
  for (int i = 0; i < 1000; ++i) {
    peer.send("RST", 2, 0);
    bench.run_for(10);
  }
  EXPECT_GE(bench.sent().size(), 9u);
  EXPECT_LE(bench.sent().size(), 12u);
}

// The limit of one connection says nothing about another.
TEST_F(TcpAttackTest, ChallengeLimitIsForEachConnection) {
  TcpPeer<Bench<Config>> other(bench, 80, 40001);
  other.open();
  peer.send("RST", 2, 0);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  other.send("RST", 2, 0);
  EXPECT_EQ(other.next(), "ACK 1+0 ack 1 win 1460");
}

// TC-18, T-11
TEST_F(TcpAttackTest, SynInAnOpenConnectionIsChallenged) {
  peer.send("SYN", 5, 0);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  bench.run_for(1000);
  peer.send("SYN", 0xf0000000, 0);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  bench.run_for(1000);
  peer.send("SYN ACK", 1, 1);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  expect_alive();
}

// TC-19, T-12
TEST_F(TcpAttackTest, DataWithAWildAckIsRefused) {
  for (const uint32_t ack : {90'001u, 1u - (1u << 30), 2u, 1u - 8001}) {
    peer.send("ACK", 1, ack, "forged");
    EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460") << ack;
    bench.run_for(1000);
  }
  peer.send("ACK", 1, 1u - 8000, "old but possible");
  EXPECT_EQ(app().data, "old but possible");
}

// TC-2, T-2, T-3
TEST_F(TcpAttackTest, DataOffsetMustFit) {
  const Octets two(2, 'x');
  for (uint8_t offset = 0; offset < 16; ++offset) {
    if (offset == 5) continue;
    raw_segment(offset, Tins::TCP::ACK | Tins::TCP::PSH, two);
    raw_segment(offset, Tins::TCP::ACK | Tins::TCP::FIN, {});
    raw_segment(offset, Tins::TCP::SYN, {}, false, 40002);
  }
  EXPECT_EQ(peer.next(), "nothing");
  EXPECT_EQ(app().data, "");
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::tcp), 45);
  expect_alive();
}

// T-1
TEST_F(TcpAttackTest, ShortSegmentsAreDropped) {
  for (uint8_t n = 0; n < 20; ++n) {
    Octets frame(60, 0);
    Tins::TCP tcp(80, peer.port);
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / tcp;
    frame = bytes(packet);
    frame[17] = static_cast<uint8_t>(20 + n);
    frame[24] = frame[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 14, 20));
    frame[24] = static_cast<uint8_t>(sum >> 8);
    frame[25] = static_cast<uint8_t>(sum);
    bench.receive(frame);
  }
  EXPECT_EQ(peer.next(), "nothing");
  expect_alive();
}

// TC-4, T-4, T-5, T-6, T-8: whatever the options of a SYN, it is answered, and the MSS is sane.
TEST_F(TcpAttackTest, StrangeOptions) {
  const std::vector<Octets> all = {
      {8, 0, 0, 0},                           // length 0
      {8, 1, 0, 0},                           // length 1
      {1, 8, 255, 0},                         // length beyond an 8-bit index
      {1, 1, 2, 4},                           // MSS without its value
      {1, 1, 1, 2},                           // MSS without its length
      {2, 3, 5, 0},                           // MSS of another length
      {2, 4, 0, 0},                           // MSS 0
      {2, 4, 0, 1},                           // MSS 1
      {5, 11, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0},  // SACK of a wrong length
      {3, 3, 255, 0},                         // window scale 255
      {29, 3, 0, 0},                          // authentication of a wrong length
      {3, 255, 7, 1},
      Octets(40, 1),
      Octets(40, 255),
  };
  uint16_t port = 41000;
  for (const Octets& options : all) {
    raw_segment(static_cast<uint8_t>(5 + options.size() / 4), Tins::TCP::SYN, options, false, ++port);
    TcpPeer<Bench<Config>> other(bench, 80, port);
    EXPECT_EQ(other.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
    other.send("RST", 1, 0);
  }
  // In a data segment they are skipped.
  for (const Octets& options : all) raw_segment(static_cast<uint8_t>(5 + options.size() / 4), Tins::TCP::ACK, options);
  EXPECT_EQ(peer.next(), "nothing");
  expect_alive();
}

// T-14: each combination of flags to an open connection, in the window; none kills it but RST, FIN and SYN-less ACK go
// their way.
TEST_F(TcpAttackTest, FlagSoup) {
  const auto flag = [](int all, int bit, const char* name) { return all & bit ? std::string(name) + " " : ""; };
  for (int all = 0; all < 256; ++all) {
    if (all & 1 || all & 4) continue;
    peer.send(flag(all, 2, "SYN") + flag(all, 8, "PSH") + flag(all, 16, "ACK") + flag(all, 32, "URG") +
                  flag(all, 64, "ECE") + flag(all, 128, "CWR"),
              1, 1);
  }
  EXPECT_EQ(app().events, "connected ");
  bench.sent().clear();
  expect_alive();
}

// C-4, C-5, IC-10 to IC-14
TEST_F(TcpAttackTest, IcmpDoesNotTouchConnections) {
  for (const int type : {3, 4, 5, 11, 12})
    for (uint8_t code = 0; code < 16; ++code)
      for (const size_t quoted : {0u, 1u, 20u, 28u}) {
        Tins::TCP inner(peer.port, 80);
        inner.seq(peer.stack_isn + 1);
        auto quote = Tins::IP(tins(peer_ip), tins(our_ip)) / inner;
        Octets quote_bytes = quote.serialize();
        quote_bytes.resize(quoted);
        Tins::ICMP icmp(static_cast<Tins::ICMP::Flags>(type));
        icmp.code(code);
        bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / icmp /
                      Tins::RawPDU(quote_bytes.data(), static_cast<uint32_t>(quote_bytes.size())));
      }
  EXPECT_TRUE(bench.silent());
  expect_alive();
}

// T-18
TEST_F(TcpAttackTest, ManyHolesAndThenTheStream) {
  const std::string text = pattern(2000);
  for (uint32_t i = 0; i < 40; ++i) peer.send("ACK", 3 + i * 40, 1, text.substr(2 + i * 40, 20));
  EXPECT_EQ(app().data, "");
  bench.sent().clear();
  for (uint32_t at = 0; at < 2000; at += 500) peer.send("ACK", 1 + at, 1, text.substr(at, 500));
  EXPECT_EQ(app().data, text);
}

}  // namespace
}  // namespace avrlan::test
