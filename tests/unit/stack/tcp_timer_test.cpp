#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Notes>;
  static constexpr bool split_segments = false;
};

struct TcpTimerTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};
  uint32_t start = 0;

  TcpTimerTest() { bench.introduce(); }
  Notes& app() { return bench.stack.tcp_application<Notes>(); }

  // How long until the stack sends something; the peer stays known to it.
  uint32_t wait(uint32_t at_most = 200'000) {
    const uint32_t from = bench.now;
    while (bench.now - from < at_most) {
      bench.run_for(8);
      if (bench.silent()) continue;
      if (describe_arp(bench.sent().front()) == "no ARP") break;
      bench.next_frame();
      bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(peer_ip), tins(our_mac), tins(peer_mac)));
    }
    return bench.now - from;
  }
  // Sends one segment and acknowledges it after `ms`.
  void round_trip(uint32_t ms) {
    app().stream += "x";
    app().connection->wake();
    bench.run_for(8);
    ASSERT_EQ(peer.next().substr(0, 7), "PSH ACK");
    bench.run_for(ms);
    peer.send("ACK", 1, 1 + static_cast<uint32_t>(app().stream.size()));
  }
};

constexpr uint32_t tick = 16;

// TD-17, TD-18: one second, then twice as long each time, up to a minute. TC-29: and then no more.
TEST_F(TcpTimerTest, BacksOffAndGivesUp) {
  app().stream = "lost";
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+4 ack 1 win 1460");
  const uint32_t sent = bench.now;
  for (const int expected : {1000, 2000, 4000, 8000, 16'000, 32'000, 60'000}) {
    EXPECT_NEAR(wait(), expected, expected / 50.0 + 2 * tick);
    EXPECT_EQ(peer.next(), "PSH ACK 1+4 ack 1 win 1460");
    EXPECT_EQ(peer.data, "lost");
  }
  EXPECT_EQ(app().events, "connected ");
  bench.run_for(61'000);
  EXPECT_EQ(app().events, "connected timed_out ");
  EXPECT_GE(bench.now - sent, 100'000u);
  bench.sent().clear();
  bench.run_for(100'000);
  EXPECT_TRUE(bench.silent());
}

// TD-16: after a few round trips of 3 s the timeout is not shorter than they are.
TEST_F(TcpTimerTest, TimeoutFollowsTheRoundTripTime) {
  peer.open();
  for (int i = 0; i < 10; ++i) round_trip(20);
  app().stream += "y";
  app().connection->wake();
  bench.run_for(8);
  peer.next();
  EXPECT_NEAR(wait(), 1000, 3 * tick) << "no less than a second";
  peer.next();
  peer.send("ACK", 1, 1 + static_cast<uint32_t>(app().stream.size()));

  // The round trip takes 900 ms now, then 2.5 s.
  for (int i = 0; i < 8; ++i) round_trip(900);
  app().stream += "z";
  app().connection->wake();
  bench.run_for(8);
  peer.next();
  const uint32_t timeout = wait();
  EXPECT_GT(timeout, 1000u);
  EXPECT_LT(timeout, 2500u);
}

// RFC 6298 (2.2): srtt + 4 * (R / 2) after the first sample.
TEST_F(TcpTimerTest, FirstSample) {
  peer.send("SYN", 0, 0);
  peer.next();
  bench.run_for(800);
  app().stream = "x";
  peer.send("ACK", 1, 1);
  EXPECT_EQ(peer.next(), "PSH ACK 1+1 ack 1 win 1460");
  EXPECT_NEAR(wait(), 800 * 3, 5 * tick);
}

// Karn: an acknowledgement of what was sent twice says nothing, and the timeout stays long until one does.
TEST_F(TcpTimerTest, NoSampleFromRetransmissions) {
  peer.open();
  for (int i = 0; i < 3; ++i) round_trip(16);
  app().stream += "a";
  app().connection->wake();
  bench.run_for(8);
  peer.next();
  EXPECT_NEAR(wait(), 1000, 3 * tick);
  peer.next();
  EXPECT_NEAR(wait(), 2000, 3 * tick);
  peer.next();
  app().stream += "b";
  peer.send("ACK", 1, static_cast<uint32_t>(app().stream.size()));  // of a
  EXPECT_EQ(peer.data, "a");
  EXPECT_EQ(peer.next().substr(0, 9), "PSH ACK 5");
  EXPECT_NEAR(wait(), 4000, 3 * tick);
  peer.next();
  peer.send("ACK", 1, 1 + static_cast<uint32_t>(app().stream.size()));
  round_trip(16);
  app().stream += "c";
  app().connection->wake();
  bench.run_for(8);
  peer.next();
  EXPECT_NEAR(wait(), 1000, 3 * tick);
}

// RFC 6298 (5.7)
TEST_F(TcpTimerTest, ThreeSecondsAfterALostSyn) {
  app().stream = "x";
  peer.send("SYN", 0, 0);
  peer.next();
  EXPECT_NEAR(wait(), 1000, 2 * tick);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  peer.send("ACK", 1, 1);
  EXPECT_EQ(peer.next(), "PSH ACK 1+1 ack 1 win 1460");
  EXPECT_GE(wait(), 3000u);
}

// TD-19: an acknowledgement of a part starts the timer anew.
TEST_F(TcpTimerTest, NewAckRestartsTheTimer) {
  app().stream = pattern(1000);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1000 ack 1 win 1460");
  bench.run_for(800);
  peer.send("ACK", 1, 501);
  bench.run_for(800);
  EXPECT_EQ(peer.next(), "nothing");
  EXPECT_LE(wait(), 2000u);
  EXPECT_EQ(peer.next(), "PSH ACK 501+500 ack 1 win 1460");
}

TEST_F(TcpTimerTest, DuplicateAckDoesNotRestartTheTimer) {
  app().stream = "x";
  peer.open();
  peer.next();
  bench.run_for(600);
  peer.send("ACK", 1, 1);
  EXPECT_NEAR(wait(), 400, 2 * tick);
}

// TD-3: probes of one octet, further and further apart, for ever while they are answered; then the stream goes on.
TEST_F(TcpTimerTest, ZeroWindow) {
  app().stream = pattern(3000);
  peer.window = 0;
  peer.open();
  EXPECT_EQ(peer.next(), "nothing");
  for (const int expected :
       {1000, 2000, 4000, 8000, 16'000, 32'000, 60'000, 60'000, 60'000, 60'000, 60'000, 60'000, 60'000, 60'000}) {
    EXPECT_NEAR(wait(), expected, expected / 50.0 + 3 * tick);
    EXPECT_EQ(peer.next(), "PSH ACK 1+1 ack 1 win 1460");
    EXPECT_EQ(peer.data, app().stream.substr(0, 1));
    peer.send("ACK", 1, 1);
    EXPECT_EQ(peer.next(), "nothing");
  }
  EXPECT_EQ(app().events, "connected ");
  peer.window = 8000;
  peer.send("ACK", 1, 1);
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "PSH ACK 1461+1460 ack 1 win 1460");
}

// The peer takes the probe.
TEST_F(TcpTimerTest, ZeroWindowProbeIsTaken) {
  app().stream = "abc";
  peer.window = 0;
  peer.open();
  wait();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1 ack 1 win 1460");
  peer.send("ACK", 1, 2);
  EXPECT_EQ(peer.next(), "nothing");
  wait();
  EXPECT_EQ(peer.next(), "PSH ACK 2+1 ack 1 win 1460");
  EXPECT_EQ(peer.data, "b");
}

TEST_F(TcpTimerTest, UnansweredProbesEndTheConnection) {
  app().stream = "abc";
  peer.window = 0;
  peer.open();
  for (int i = 0; i < 400 && app().events == "connected "; ++i) {
    bench.run_for(1000);
    bench.introduce();
  }
  EXPECT_EQ(app().events, "connected timed_out ");
  EXPECT_GE(bench.now, 100'000u);
}

TEST_F(TcpTimerTest, ZeroWindowAndNothingToSend) {
  peer.window = 0;
  peer.open();
  bench.run_for(200'000);
  EXPECT_TRUE(bench.silent());
}

TEST_F(TcpTimerTest, ZeroWindowAndOnlyAFin) {
  peer.window = 0;
  peer.open();
  bench.run_for(1000);
  app().connection->close();
  wait();
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 1 win 1460");
}

TEST_F(TcpTimerTest, IdleConnectionIsSilent) {
  peer.open();
  bench.run_for(600'000);
  EXPECT_TRUE(bench.silent());
  peer.send("ACK", 1, 1, "still here");
  EXPECT_EQ(app().data, "still here");
}

// Segments, acknowledgements and FINs get lost; every octet arrives once and in order.
TEST_F(TcpTimerTest, LossyLink) {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    uint32_t x = seed;
    const auto lose = [&] { return ((x = x * 1664525 + 1013904223) >> 24) < 64; };
    app() = Notes();
    app().stream = pattern(20'000);
    app().close_at_end = true;
    peer.port = static_cast<uint16_t>(50'000 + seed);
    peer.open();
    std::string got;
    bool fin = false;
    uint32_t sent = 0;
    const std::string ours = pattern(3000);
    for (int i = 0; i < 4000 && app().events.find("closed") == std::string::npos; ++i) {
      for (std::string text = peer.next(); text != "nothing"; text = peer.next()) {
        if (text == "no TCP") bench.introduce();
        if (text == "no TCP" || lose()) continue;
        const uint32_t at = static_cast<uint32_t>(std::stoul(text.substr(text.find_first_of("0123456789")))) - 1;
        if (at <= got.size()) got += peer.data.substr(std::min(got.size() - at, peer.data.size()));
        if (text.find("FIN") != std::string::npos && at + peer.data.size() == got.size()) fin = true;
        sent = std::max(sent, static_cast<uint32_t>(std::stoul(text.substr(text.find("ack") + 4))) - 1);
      }
      const auto ack = static_cast<uint32_t>(1 + got.size() + (fin ? 1 : 0));
      if (sent < ours.size()) {
        if (!lose()) peer.send("ACK", 1 + sent, ack, ours.substr(sent, 500));
      } else if (!lose()) {
        peer.send(fin ? "FIN ACK" : "ACK", 1 + sent, ack);
      }
      bench.run_for(200);
    }
    ASSERT_EQ(got, app().stream) << seed;
    EXPECT_EQ(app().data, ours) << seed;
    EXPECT_TRUE(fin);
    EXPECT_NE(app().events.find("closed"), std::string::npos) << seed;
    bench.run_for(62'000);
    bench.sent().clear();
    bench.introduce();
  }
}

}  // namespace
}  // namespace avrlan::test
