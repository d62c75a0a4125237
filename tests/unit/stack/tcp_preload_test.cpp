// Config::preload: the next segment is written while one is in flight.
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Counting : Notes {
  uint32_t asked = 0;
  template <class State, class Writer>
  void produce(tcpip::Connection& c, State& state, uint32_t offset, Writer& writer) {
    ++asked;
    Notes::produce(c, state, offset, writer);
  }
};

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Counting>;
  static constexpr bool preload = true;
};

struct TcpPreloadTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  TcpPreloadTest() {
    bench.introduce();
    app().stream = pattern(20'000);
    peer.open();
  }
  Counting& app() { return bench.stack.tcp_application<Counting>(); }
  uint32_t held() { return bench.stack.device().holds; }

  // Where the next segment is, "1+730", which is checked against the stream.
  std::string next(TcpPeer<Bench<Config>>& to) {
    const std::string text = to.next();
    const size_t at = text.find_first_of("0123456789");
    if (at == std::string::npos) return text;
    const std::string place = text.substr(at, text.find(' ', at) - at);
    EXPECT_EQ(to.data, app().stream.substr(std::stoul(place) - 1, to.data.size())) << place;
    return place;
  }
  std::string next() { return next(peer); }
  void ack(uint32_t place) { peer.send("ACK", 1, place); }
  // The peer shows that it acknowledges each segment; 1461+1460 is in flight then, and 2921+1460 held.
  void learn() {
    EXPECT_EQ(next(), "1+730");
    EXPECT_EQ(next(), "731+730");
    ack(731);
    ack(1461);
    EXPECT_EQ(next(), "1461+1460");
    EXPECT_EQ(next(), "nothing");
    EXPECT_EQ(held(), 1u);
  }
};

TEST_F(TcpPreloadTest, AnAcknowledgementStartsWhatIsHeld) {
  learn();
  const uint32_t asked = app().asked;
  ack(2921);
  EXPECT_EQ(next(), "2921+1460");
  EXPECT_EQ(app().asked, asked + 1) << "for the segment after it";
  ack(4381);
  EXPECT_EQ(next(), "4381+1460");
  EXPECT_EQ(held(), 3u);
}

TEST_F(TcpPreloadTest, GoesToTheEndOfTheStream) {
  app().stream = pattern(5000);
  app().close_at_end = true;
  learn();
  ack(2921);
  EXPECT_EQ(next(), "2921+1460");
  ack(4381);
  EXPECT_EQ(peer.next(), "FIN PSH ACK 4381+620 ack 1 win 1460");
  EXPECT_EQ(peer.data, app().stream.substr(4380));
  ack(5002);
  EXPECT_EQ(held(), 1u) << "what fills no segment is not held";
}

// RFC 1122 4.2.3.2.
TEST_F(TcpPreloadTest, APeerThatDelaysIsSentTwoHalves) {
  EXPECT_EQ(next(), "1+730");
  EXPECT_EQ(next(), "731+730");
  ack(1461);
  EXPECT_EQ(next(), "1461+730");
  EXPECT_EQ(next(), "2191+730");
  EXPECT_EQ(held(), 0u);
}
TEST_F(TcpPreloadTest, APeerThatBeginsToDelayIsSentTwoHalvesForEver) {
  learn();
  bench.run_for(40);
  ack(2921);
  EXPECT_EQ(next(), "2921+730");
  EXPECT_EQ(next(), "3651+730");
  ack(3651);
  ack(4381);
  EXPECT_EQ(next(), "4381+730");
}

TEST_F(TcpPreloadTest, OtherFramesGoMeanwhile) {
  learn();
  bench.receive(Tins::ARP::make_arp_request(tins(our_ip), tins(peer_ip), tins(peer_mac)));
  EXPECT_EQ(describe_arp(bench.next_frame()), "02:00:00:00:00:99: 10.0.0.1 is-at 02:00:00:00:00:01");
  TcpPeer<Bench<Config>> other(bench, 80, 40001);
  other.open();
  EXPECT_EQ(next(other), "1+730");
  EXPECT_EQ(next(other), "731+730");
  other.send("ACK", 1, 731);
  other.send("ACK", 1, 1461);
  EXPECT_EQ(next(other), "1461+1460");
  EXPECT_EQ(held(), 1u) << "one at a time";
  ack(2921);
  EXPECT_EQ(next(), "2921+1460");
}

TEST_F(TcpPreloadTest, WhatIsLostIsSentAgainAndTheHeldSegmentGivenUp) {
  learn();
  bench.run_for(1100);
  EXPECT_EQ(next(), "1461+1460");
  ack(2921);
  EXPECT_EQ(next(), "2921+1460");
}

TEST_F(TcpPreloadTest, ASmallerWindowTakesLess) {
  learn();
  peer.window = 1000;
  ack(2921);
  EXPECT_EQ(next(), "nothing") << "silly window avoidance: less than half of the greatest window";
  peer.window = 5000;
  ack(2921);
  EXPECT_EQ(next(), "2921+1460");
}

// What was held for one connection must not be sent by another one in its place.
TEST_F(TcpPreloadTest, AConnectionTakesItsSegmentWithIt) {
  learn();
  peer.send("RST", 1, 0);
  for (uint16_t port = 40010; port < 40014; ++port) {
    TcpPeer<Bench<Config>> other(bench, 80, port);
    app().stream = pattern(20'000 + port).substr(port - 40'000u);
    other.open();
    EXPECT_EQ(next(other), "1+730");
    EXPECT_EQ(next(other), "731+730");
    other.send("ACK", 1, 731);
    other.send("ACK", 1, 1461);
    EXPECT_EQ(next(other), "1461+1460");
    other.send("ACK", 1, 2921);
    EXPECT_EQ(next(other), "2921+1460");
    other.send("RST", 1, 0);
  }
}

}  // namespace
}  // namespace avrlan::test
