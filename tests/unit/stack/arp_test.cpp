#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

struct Plain : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool counters = true;
};

struct ArpTest : testing::Test {
  Bench<Plain> bench;

  std::string next() { return describe_arp(bench.next_frame()); }

  Octets request(Ipv4Address from, const MacAddress& mac, Ipv4Address target = our_ip) {
    auto packet = Tins::ARP::make_arp_request(tins(target), tins(from), tins(mac));
    return bytes(packet);
  }

  void ping(Ipv4Address from, const MacAddress& mac) {
    Tins::ICMP echo(Tins::ICMP::ECHO_REQUEST);
    bench.receive(Tins::EthernetII(tins(our_mac), tins(mac)) / Tins::IP(tins(our_ip), tins(from)) / echo);
  }
  // Where the next frame goes.
  std::string destination() {
    const Octets frame = bench.next_frame();
    return frame.empty() ? "nothing" : parse(frame).dst_addr().to_string();
  }
};

constexpr MacAddress other_mac = {{0x02, 0, 0, 0, 0, 0x77}};

// AR-1
TEST_F(ArpTest, AnswersARequestForOurAddress) {
  bench.receive(request(peer_ip, peer_mac));
  ASSERT_EQ(bench.sent().size(), 1u);
  EXPECT_EQ(bench.sent().front().size(), 60u);
  EXPECT_EQ(next(), "02:00:00:00:00:99: 10.0.0.1 is-at 02:00:00:00:00:01");
}

TEST_F(ArpTest, IgnoresARequestForSomebodyElse) {
  bench.receive(request(peer_ip, peer_mac, {{10, 0, 0, 2}}));
  EXPECT_TRUE(bench.silent());
}

TEST_F(ArpTest, AnswersAProbeAndDoesNotRememberIt) {
  bench.receive(request({{0, 0, 0, 0}}, peer_mac));
  EXPECT_EQ(next(), "02:00:00:00:00:99: 10.0.0.1 is-at 02:00:00:00:00:01");
}

// AR-2
TEST_F(ArpTest, ChecksTypesAndLengthsFirst) {
  for (const size_t field : {14u, 15u, 16u, 17u, 18u, 19u}) {
    Octets frame = request(peer_ip, peer_mac);
    frame[field] ^= 0xff;
    bench.receive(frame);
    EXPECT_TRUE(bench.silent()) << field;
  }
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::arp), 6);
  bench.receive(request(peer_ip, peer_mac));
  EXPECT_FALSE(bench.silent());
}

// AR-3: a known peer's new address is taken, from whatever ARP packet; an unknown host's is not.
TEST_F(ArpTest, MergesOnlyWhatItKnows) {
  bench.introduce();
  bench.receive(request(peer_ip, other_mac, {{10, 0, 0, 2}}));
  EXPECT_TRUE(bench.silent());
  ping(peer_ip, other_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:77");
}

// The reply goes where the cache says, not where the frame came from.
TEST_F(ArpTest, KnownEntryIsUsedForReplies) {
  bench.introduce();
  ping(peer_ip, other_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:99");
}

// AR-4
TEST_F(ArpTest, ForgetsAfterFourMinutes) {
  bench.introduce();
  bench.run_for(239'000);
  ping(peer_ip, other_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:99");
  bench.run_for(3'000);
  ping(peer_ip, other_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:77");
}

// AR-6: without an entry an answer goes back the way the question came.
TEST_F(ArpTest, FirstEchoReplyNeedsNoRequest) {
  ping(peer_ip, peer_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:99");
  EXPECT_TRUE(bench.silent());
}

// AR-7
TEST_F(ArpTest, NeverRemembersAGroupAddressOrOurOwn) {
  bench.receive(request(peer_ip, {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}));
  bench.receive(request(our_ip, peer_mac));
  EXPECT_TRUE(bench.silent());
  ping(peer_ip, peer_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:99");
}

// AR-8: an answer to nothing makes no entry.
TEST_F(ArpTest, UnsolicitedReplyMakesNoEntry) {
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(peer_ip), tins(our_mac), tins(other_mac)));
  ping(peer_ip, peer_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:99");
}

// IP-22
TEST_F(ArpTest, OffLinkAnswersGoToTheGateway) {
  ping({{192, 0, 2, 1}}, peer_mac);
  EXPECT_EQ(next(), "all: who-has 10.0.0.254 tell 10.0.0.1");
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(gateway_ip), tins(our_mac), tins(other_mac)));
  ping({{192, 0, 2, 1}}, peer_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:77");
}

// AR-5
TEST_F(ArpTest, AsksForADeadHostAtMostOnceASecond) {
  for (int i = 0; i < 100; ++i) {
    ping({{192, 0, 2, 1}}, peer_mac);
    bench.run_for(100);
  }
  EXPECT_GE(bench.sent().size(), 9u);
  EXPECT_LE(bench.sent().size(), 12u);
}

// L-4
TEST_F(ArpTest, GatewaySurvivesAFlood) {
  bench.introduce(gateway_ip, other_mac);
  for (uint8_t i = 10; i < 67; ++i) bench.receive(request({{10, 0, 0, i}}, {{2, 0, 0, 0, 1, i}}));
  bench.sent().clear();
  ping({{192, 0, 2, 1}}, peer_mac);
  EXPECT_EQ(destination(), "02:00:00:00:00:77");
}

// AR-11, AR-12, L-1, L-2
TEST_F(ArpTest, IgnoresOtherFrames) {
  for (const int type : {0x86dd, 0x0026, 0x8100}) {
    Octets frame = request(peer_ip, peer_mac);
    frame[12] = static_cast<uint8_t>(type >> 8);
    frame[13] = static_cast<uint8_t>(type);
    bench.receive(frame);
  }
  Octets truncated = request(peer_ip, peer_mac);
  for (size_t n = 41; n >= 1; --n) {
    truncated.resize(n);
    bench.receive(truncated);
  }
  bench.receive(Octets(1600, 0x55));
  EXPECT_TRUE(bench.silent());
  bench.receive(request(peer_ip, peer_mac));
  EXPECT_FALSE(bench.silent());
}

TEST_F(ArpTest, FramesForOtherStationsAreIgnored) {
  Octets frame = request(peer_ip, peer_mac);
  std::copy_n(other_mac.octet, 6, frame.begin());
  bench.receive(frame);
  EXPECT_TRUE(bench.silent());
}

}  // namespace
}  // namespace avrlan::test
