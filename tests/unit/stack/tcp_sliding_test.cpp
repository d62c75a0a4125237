// The full profile's TCP: several segments in flight, congestion control, delayed acknowledgements, data out of order.
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Options : Notes {
  bool no_delay = false, keep_alive = false;
  tcpip::WindowedConnection* windowed = nullptr;
  uint32_t made = 0;  // octets, those of repetitions too

  template <class State>
  void event(tcpip::WindowedConnection& c, State& state, tcpip::TcpEvent event) {
    windowed = &c;
    if (event == tcpip::TcpEvent::connected) {
      c.no_delay(no_delay);
      c.keep_alive(keep_alive);
    }
    Notes::event(c, state, event);
  }
  template <class State, class Writer>
  void produce(tcpip::Connection& c, State& state, uint32_t offset, Writer& writer) {
    Notes::produce(c, state, offset, writer);
    made += writer.written();
  }
};

struct Config : tcpip::Full {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Options>;
  static constexpr uint8_t reassemblies = 1;
  static constexpr uint16_t reorder_size = 1460;
};

struct TcpSlidingTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  TcpSlidingTest() {
    bench.introduce();
    peer.window = 0x7fff;
  }
  Options& app() { return bench.stack.tcp_application<Options>(); }

  // What the stack has sent, "1461+1460" each; what they bring is checked against the stream.
  std::string flight() {
    std::string all;
    for (std::string text = peer.next(); text != "nothing"; text = peer.next()) {
      if (text == "no TCP") {
        bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(peer_ip), tins(our_mac), tins(peer_mac)));
        continue;
      }
      const size_t at = text.find_first_of("0123456789");
      const std::string place = text.substr(at, text.find(' ', at) - at);
      all += (all.empty() ? "" : " ") + (text.starts_with("FIN") ? "FIN " + place : place);
      const uint32_t seq = static_cast<uint32_t>(std::stoul(place));
      if (!peer.data.empty()) {
        EXPECT_EQ(peer.data, app().stream.substr(seq - 1, peer.data.size())) << place;
      }
    }
    return all;
  }
  void ack(uint32_t place) { peer.send("ACK", 1, place); }
  void wake() {
    app().connection->wake();
    bench.stack.poll(bench.now);
  }
  // Opens and sends so much that `segments` may be in flight.
  void grow_to(uint32_t segments) {
    app().stream = pattern(200'000);
    peer.open();
    flight();
    for (uint32_t n = 3; n < segments; ++n) {
      acknowledged += 1460;
      ack(acknowledged);
    }
    flight();
  }
  uint32_t acknowledged = 1;
};

// TD-20: RFC 3390.
TEST_F(TcpSlidingTest, TheFirstFlight) {
  app().stream = pattern(20'000);
  peer.open();
  EXPECT_EQ(flight(), "1+1460 1461+1460 2921+1460");
}
TEST_F(TcpSlidingTest, TheFirstFlightOfSmallSegments) {
  app().stream = pattern(20'000);
  peer.open(500);
  EXPECT_EQ(flight(), "1+500 501+500 1001+500 1501+500");
}

// RFC 5681 3.1: one segment when the SYN was lost.
TEST_F(TcpSlidingTest, TheFirstFlightAfterALostSyn) {
  app().stream = pattern(20'000);
  peer.send("SYN", 0, 0, "", {1460});
  bench.run_for(1100);
  EXPECT_EQ(flight(), "0+0 0+0");
  ack(1);
  EXPECT_EQ(flight(), "1+1460");
}

// TD-21: one segment more for each that is acknowledged.
TEST_F(TcpSlidingTest, SlowStart) {
  app().stream = pattern(40'000);
  peer.open();
  flight();
  ack(1461);
  EXPECT_EQ(flight(), "4381+1460 5841+1460");
  ack(4381);
  EXPECT_EQ(flight(), "7301+1460 8761+1460 10221+1460") << "no more than a segment, however much is acknowledged";
}

// TD-27: dividing an acknowledgement gains nothing.
TEST_F(TcpSlidingTest, BytesAreCounted) {
  app().stream = pattern(40'000);
  peer.open();
  flight();
  for (uint32_t at = 147; at <= 1461; at += 146) ack(at);
  EXPECT_EQ(flight(), "4381+1460 5841+1460");
  ack(90'000);
  EXPECT_EQ(flight(), "7301+0") << "of what was never sent";
}

// TD-1
TEST_F(TcpSlidingTest, StaysInsideThePeersWindow) {
  app().stream = pattern(40'000);
  peer.window = 3500;
  peer.open();
  EXPECT_EQ(flight(), "1+1460 1461+1460") << "and the rest of the window is less than a segment";
  ack(1461);
  EXPECT_EQ(flight(), "2921+1460");
}

TEST_F(TcpSlidingTest, FinDoesNotOvertakeWhatIsHeldBack) {
  app().stream = pattern(5000);
  app().close_at_end = false;
  peer.window = 3500;
  peer.open();
  app().connection->close();
  EXPECT_EQ(flight(), "1+1460 1461+1460");
  wake();
  EXPECT_EQ(flight(), "");
  ack(2921);
  EXPECT_EQ(flight(), "2921+1460 FIN 4381+620");
}

// Data is made for segments that go, and for no others.
TEST_F(TcpSlidingTest, NothingIsMadeInVain) {
  app().stream = pattern(100'000);
  peer.window = 5000;
  peer.open();
  for (uint32_t at = 1461; at < 60'000; at += 1460) ack(at);
  flight();
  EXPECT_EQ(app().made % 1460, 0u);
  EXPECT_LT(app().made, 60'000u + 5000u);
}

// TD-23, TD-18: only what is lost is sent again, as the window of one segment grows.
TEST_F(TcpSlidingTest, ATimeoutStartsSlowly) {
  app().stream = pattern(40'000);
  peer.open();
  EXPECT_EQ(flight(), "1+1460 1461+1460 2921+1460");
  bench.run_for(1100);
  EXPECT_EQ(flight(), "1+1460");
  bench.run_for(2100);
  EXPECT_EQ(flight(), "1+1460");
  ack(1461);
  EXPECT_EQ(flight(), "1461+1460 2921+1460");
  // The threshold is two segments: from here on one segment more a round trip (TD-22).
  ack(4381);
  EXPECT_EQ(flight(), "4381+1460 5841+1460 7301+1460");
  ack(5841);
  EXPECT_EQ(flight(), "8761+1460");
  ack(7301);
  EXPECT_EQ(flight(), "10221+1460");
  ack(8761);
  EXPECT_EQ(flight(), "11681+1460 13141+1460");
}

// What the peer has kept is not sent again.
TEST_F(TcpSlidingTest, ATimeoutSendsOnlyWhatIsMissing) {
  app().stream = pattern(5000);
  peer.open();
  flight();
  bench.run_for(1100);
  EXPECT_EQ(flight(), "1+1460");
  ack(4381);
  EXPECT_EQ(flight(), "4381+620");
}

// TD-24, RFC 5681 3.2 and RFC 3042.
TEST_F(TcpSlidingTest, FastRetransmit) {
  grow_to(6);
  EXPECT_EQ(acknowledged, 4381u);
  ack(4381);
  EXPECT_EQ(flight(), "13141+1460") << "limited transmit";
  ack(4381);
  EXPECT_EQ(flight(), "14601+1460");
  ack(4381);
  EXPECT_EQ(flight(), "4381+1460");
  ack(4381);
  EXPECT_EQ(flight(), "") << "threshold 3, window 7 of 8 in flight";
  ack(4381);
  ack(4381);
  EXPECT_EQ(flight(), "16061+1460");
  ack(16061);
  EXPECT_EQ(flight(), "17521+1460")
      << "recovered, the window is the least of the threshold and one more than in flight";
}

// TD-24, RFC 6582: two segments of a flight are lost.
TEST_F(TcpSlidingTest, PartialAcknowledgement) {
  grow_to(6);
  for (int i = 0; i < 3; ++i) ack(4381);
  EXPECT_EQ(flight(), "13141+1460 14601+1460 4381+1460");
  ack(7301);
  EXPECT_EQ(flight(), "7301+1460") << "at once, and nothing else";
  ack(16061);
  EXPECT_EQ(flight(), "16061+1460 17521+1460");
}

// RFC 6582 3.2 step 1: duplicates of what a timeout has sent again begin no fast retransmit.
TEST_F(TcpSlidingTest, NoFastRetransmitAfterATimeout) {
  grow_to(6);
  bench.run_for(1100);
  EXPECT_EQ(flight(), "4381+1460");
  for (int i = 0; i < 6; ++i) ack(4381);
  EXPECT_EQ(flight(), "");
}

// TD-25
TEST_F(TcpSlidingTest, WindowUpdatesAndDataAreNoDuplicates) {
  grow_to(6);
  for (uint16_t i = 0; i < 6; ++i) {
    peer.window = static_cast<uint16_t>(20'000 + i);
    ack(4381);
  }
  uint32_t seq = 1;
  for (int i = 0; i < 6; ++i, ++seq) peer.send("ACK", seq, 4381, "x");
  EXPECT_EQ(flight().find("4381+1460"), std::string::npos);
}

// TD-26
TEST_F(TcpSlidingTest, IdlenessEndsTheWindow) {
  app().stream = pattern(30'000);
  peer.open();
  for (uint32_t at = 1461; at <= 29'201; at += 1460) ack(at);
  ack(30'001);
  flight();
  bench.run_for(5000);
  bench.introduce();
  app().stream += pattern(30'000);
  wake();
  EXPECT_EQ(flight(), "30001+1460 31461+1460 32921+1460");
}

// TD-8: at most one small segment in flight.
TEST_F(TcpSlidingTest, Nagle) {
  app().stream = "a";
  peer.open();
  EXPECT_EQ(flight(), "1+1");
  for (const char* more : {"b", "c", "d"}) {
    app().stream += more;
    wake();
  }
  EXPECT_EQ(flight(), "");
  ack(2);
  EXPECT_EQ(flight(), "2+3");
  app().stream += pattern(2000);
  wake();
  EXPECT_EQ(flight(), "5+1460") << "a full segment goes";
  ack(5);
  EXPECT_EQ(flight(), "");
  ack(1465);
  EXPECT_EQ(flight(), "1465+540");
}
TEST_F(TcpSlidingTest, NoDelay) {
  app().no_delay = true;
  app().stream = "a";
  peer.open();
  for (const char* more : {"b", "c"}) {
    app().stream += more;
    wake();
  }
  EXPECT_EQ(flight(), "1+1 2+1 3+1");
  bench.run_for(1100);
  EXPECT_EQ(flight(), "1+3") << "again in one";
}
TEST_F(TcpSlidingTest, TheLastSegmentIsNotHeldBack) {
  app().stream = pattern(2000);
  app().close_at_end = true;
  peer.open();
  EXPECT_EQ(flight(), "1+1460 FIN 1461+540");
  bench.run_for(1100);
  EXPECT_EQ(flight(), "1+1460");
  ack(1461);
  EXPECT_EQ(flight(), "FIN 1461+540");
  ack(2002);
  peer.send("FIN ACK", 1, 2002);
  EXPECT_EQ(app().events, "connected closed ");
}

// TD-9
TEST_F(TcpSlidingTest, AnAcknowledgementWaitsForASecondSegment) {
  peer.open();
  peer.send("ACK", 1, 1, pattern(1000));
  EXPECT_EQ(peer.next(), "nothing");
  peer.send("ACK", 1001, 1, pattern(1000));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2001 win 2920");
  peer.send("ACK", 2001, 1, "x");
  bench.run_for(170);
  EXPECT_EQ(peer.next(), "nothing");
  bench.run_for(60);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2002 win 2919");
  bench.run_for(1000);
  EXPECT_EQ(peer.next(), "nothing");
}
TEST_F(TcpSlidingTest, AnAcknowledgementGoesWithData) {
  peer.open();
  peer.send("ACK", 1, 1, "x");
  bench.run_for(100);
  app().stream = "answer";
  wake();
  EXPECT_EQ(peer.next(), "PSH ACK 1+6 ack 2 win 2919");
  bench.run_for(500);
  EXPECT_EQ(peer.next(), "nothing");
}
TEST_F(TcpSlidingTest, FinIsAcknowledgedAtOnce) {
  app().answer_close = false;
  peer.open();
  peer.send("FIN ACK", 1, 1, "x");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 3 win 2919");
}

// TD-10: kept, and acknowledged at once.
TEST_F(TcpSlidingTest, DataOutOfOrderIsKept) {
  peer.open();
  peer.send("ACK", 6, 1, "world");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 2920");
  peer.send("ACK", 11, 1, "!");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 2920");
  EXPECT_EQ(app().data, "");
  peer.send("ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 12 win 2909");
  EXPECT_EQ(app().data, "helloworld!");
}
TEST_F(TcpSlidingTest, FinBehindAHole) {
  peer.open();
  peer.send("FIN ACK", 6, 1, "world");
  EXPECT_EQ(app().events, "connected ");
  peer.next();
  peer.send("ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 12 win 2910");
  EXPECT_EQ(app().data, "helloworld");
  EXPECT_EQ(app().events, "connected peer_closed ");
}

// bad-inputs, T: of octets that come twice with different values the first are delivered, in every order.
TEST_F(TcpSlidingTest, TheFirstOctetsWin) {
  peer.open();
  peer.send("ACK", 4, 1, "DDD");         // 4 5 6
  peer.send("ACK", 8, 1, "HH");          // 8 9
  peer.send("ACK", 2, 1, "bcdefghijk");  // of it 2 3 are new, and kept
  peer.send("ACK", 1, 1, "aXXXXX");      // of it 1 is new
  EXPECT_EQ(app().data, "abcDDD");
  peer.send("ACK", 7, 1, "ghijk");
  EXPECT_EQ(app().data, "abcDDDgHH") << "and what is behind comes again";
  peer.send("ACK", 7, 1, "ghijk");
  EXPECT_EQ(app().data, "abcDDDgHHjk");
}

// TD-30: bounded memory, and nothing is delivered wrongly.
TEST_F(TcpSlidingTest, ManyHoles) {
  const std::string text = pattern(2900);
  peer.open();
  for (uint32_t place = 2; place < 2900; place += 70) peer.send("ACK", 1 + place, 1, text.substr(place, 35));
  bench.sent().clear();
  peer.send("ACK", 1, 1, text.substr(0, 1460));
  peer.send("ACK", 1 + static_cast<uint32_t>(app().data.size()), 1, text.substr(app().data.size(), 1440));
  while (app().data.size() < 2900) {
    const size_t before = app().data.size();
    peer.send("ACK", 1 + static_cast<uint32_t>(before), 1, text.substr(before, 100));
    ASSERT_GT(app().data.size(), before);
  }
  EXPECT_EQ(app().data, text);
}

// A connection that ends gives its part of the store back, and the next with the same peer begins without it.
TEST_F(TcpSlidingTest, WhatIsKeptEndsWithItsConnection) {
  for (int i = 0; i < 8; ++i) {
    app() = Options();
    peer.open();
    peer.send("ACK", 1461, 1, pattern(1460));
    peer.next();
    peer.send("ACK", 1, 1, std::string(1460, '-'));
    EXPECT_EQ(app().data, std::string(1460, '-') + pattern(1460)) << i;
    peer.send("ACK", 4381, 1, pattern(1460));
    peer.send("RST", 2921, 0);
    bench.sent().clear();
  }
}

// Nothing beyond the window is kept.
TEST_F(TcpSlidingTest, OutOfOrderStaysInsideTheWindow) {
  peer.open();
  peer.send("ACK", 2901, 1, pattern(100));
  peer.send("ACK", 1, 1, pattern(1460));
  peer.send("ACK", 1461, 1, pattern(1440));
  EXPECT_EQ(app().data.size(), 2920u);
}

// TC-26
TEST_F(TcpSlidingTest, DataAfterTheEndIsRefused) {
  peer.open();
  app().windowed->finish();
  bench.run_for(8);
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 1 win 2920");
  peer.send("ACK", 1, 2);
  EXPECT_EQ(peer.next(), "nothing");
  peer.send("ACK", 1, 2, "more");
  EXPECT_EQ(peer.next(), "RST ACK 2+0 ack 1");
  EXPECT_EQ(app().data, "");
  EXPECT_EQ(app().events, "connected aborted ");
}
TEST_F(TcpSlidingTest, TheEndIsAnOrdinaryOneWithoutData) {
  peer.open();
  app().windowed->finish();
  bench.run_for(8);
  peer.next();
  peer.send("FIN ACK", 1, 2);
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 2 win 2920");
  EXPECT_EQ(app().events, "connected closed ");
}

// TC-30
TEST_F(TcpSlidingTest, NoKeepAliveUnlessAsked) {
  peer.open();
  bench.run_for(3 * 7'200'000u);
  EXPECT_TRUE(bench.silent());
}
TEST_F(TcpSlidingTest, KeepAlive) {
  app().keep_alive = true;
  peer.open();
  bench.run_for(7'190'000);
  EXPECT_TRUE(bench.silent());
  bench.run_for(20'000);
  bench.introduce();
  bench.sent().clear();
  bench.run_for(76'000);
  EXPECT_EQ(flight(), "0+0") << "a number that the peer answers";
  ack(1);
  bench.run_for(7'190'000);
  EXPECT_EQ(flight(), "");
  int probes = 0;
  for (int i = 0; i < 1000 && app().events == "connected "; ++i) {
    bench.run_for(1000);
    const std::string sent = flight();
    probes += sent == "0+0";
  }
  EXPECT_EQ(probes, 9);
  EXPECT_EQ(app().events, "connected timed_out ");
}

// TD-5, TD-6 with delayed acknowledgements: the window is announced when a sender would stall.
struct Slow : Notes {
  static constexpr uint16_t buffer = 4000;
  uint16_t free = 4000;
  template <class AnyState>
  uint16_t space(const AnyState&) {
    return free;
  }
  template <class State, class Reader>
  void received(tcpip::Connection& c, State& state, Reader& reader) {
    free = static_cast<uint16_t>(free - reader.left());
    Notes::received(c, state, reader);
  }
};
struct SlowConfig : tcpip::Full {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Slow>;
};
TEST(TcpSlidingWindowTest, OpensByWholeSegments) {
  Bench<SlowConfig> bench;
  TcpPeer<Bench<SlowConfig>> peer{bench};
  Slow& app = bench.stack.tcp_application<Slow>();
  bench.introduce();
  peer.open();
  peer.send("ACK", 1, 1, pattern(1460));
  peer.send("ACK", 1461, 1, pattern(1460));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2921 win 1080");
  peer.send("ACK", 2921, 1, pattern(1080));
  bench.run_for(250);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 4001 win 0");
  peer.send("ACK", 4001, 1, "?");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 4001 win 0") << "a probe is answered at once (TD-4)";
  for (; app.free < 1459; ++app.free) {
    app.connection->wake();
    bench.stack.poll(bench.now);
    ASSERT_TRUE(bench.silent()) << app.free;
  }
  ++app.free;
  app.connection->wake();
  bench.stack.poll(bench.now);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 4001 win 1460");
  app.free = 2800;
  app.connection->wake();
  bench.stack.poll(bench.now);
  EXPECT_EQ(peer.next(), "nothing") << "a sender that has a segment's room does not wait";
}

}  // namespace
}  // namespace avrlan::test
