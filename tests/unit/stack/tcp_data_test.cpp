#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Notes>;
  static constexpr bool split_segments = false;
  static constexpr bool counters = true;
};

// Has a buffer of its own, of which the test says how much is free.
struct Buffered : Notes {
  static constexpr uint16_t buffer = 2000;
  uint16_t free = 2000;
  template <class AnyState>
  uint16_t space(const AnyState&) {
    return free;
  }
};

struct BufferedConfig : Config {
  using TcpApplications = tcpip::List<Buffered>;
};

struct SplitConfig : Config {
  static constexpr bool split_segments = true;
};

template <class C, class App>
struct Data : testing::Test {
  Bench<C> bench;
  TcpPeer<Bench<C>> peer{bench};

  Data() { bench.introduce(); }
  App& app() { return bench.stack.template tcp_application<App>(); }
};

using TcpDataTest = Data<Config, Notes>;
using TcpWindowTest = Data<BufferedConfig, Buffered>;
using TcpSplitTest = Data<SplitConfig, Notes>;

// --- receiving

// TC-1
TEST_F(TcpDataTest, EveryLengthArrives) {
  peer.open();
  uint32_t seq = 1;
  std::string all;
  for (size_t n = 1; n <= 1460; n += n < 20 ? 1 : 97) {
    const std::string text = pattern(n);
    peer.send("ACK", seq, 1, text);
    seq += static_cast<uint32_t>(n);
    all += text;
    const std::string answer = peer.next();
    EXPECT_EQ(answer.substr(0, answer.find(" win")), "ACK 1+0 ack " + std::to_string(seq));
  }
  EXPECT_EQ(app().data, all);
}

TEST_F(TcpDataTest, WrongChecksumIsDropped) {
  peer.open();
  Tins::TCP tcp(80, peer.port);
  tcp.flags(Tins::TCP::ACK);
  tcp.seq(peer.isn + 1);
  tcp.ack_seq(peer.stack_isn + 1);
  auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / tcp /
                Tins::RawPDU("some data");
  const Octets good = bytes(packet);
  for (size_t bit = 0; bit < 8 * 29; ++bit) {
    Octets bad = good;
    bad[34 + bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    bench.receive(bad);
    ASSERT_TRUE(bench.silent()) << bit;
  }
  bench.receive(good);
  EXPECT_EQ(app().data, "some data");
}

// AR-10
TEST_F(TcpDataTest, PaddingIsNoData) {
  peer.open();
  for (uint32_t n = 1; n <= 5; ++n) peer.send("ACK", n, 1, "x");  // padded to 60 octets
  EXPECT_EQ(app().data, "xxxxx");
}

// TC-3
TEST_F(TcpDataTest, OptionsInDataSegmentsAreSkipped) {
  peer.open();
  peer.send("PSH ACK", 1, 1, "hello", {{}, [](Tins::TCP& tcp) { tcp.timestamp(7, 8); }});
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  EXPECT_EQ(app().data, "hello");
}

// TD-10
TEST_F(TcpDataTest, OutOfOrderGetsADuplicateAck) {
  peer.open();
  peer.send("ACK", 6, 1, "world");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  peer.send("ACK", 11, 1, "!");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  EXPECT_EQ(app().data, "");
  peer.send("ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
}

// TD-11, T-19: only what is new is taken, and what came first stays.
TEST_F(TcpDataTest, OverlapDeliversOnlyTheNewPart) {
  peer.open();
  peer.send("ACK", 1, 1, "hello");
  peer.send("ACK", 1, 1, "HELLOworld");
  EXPECT_EQ(app().data, "helloworld");
  peer.send("ACK", 1, 1, "hello");
  EXPECT_EQ(app().data, "helloworld");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 11 win 1450");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 11 win 1450");
}

// TC-16
TEST_F(TcpDataTest, OldAndFutureSegmentsAreAnswered) {
  peer.open();
  peer.send("ACK", 1, 1, "hello");
  peer.next();
  peer.send("ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  peer.send("ACK", 6 + 1455, 1, "beyond");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  peer.send("ACK", 0, 1);  // a keep-alive
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  EXPECT_EQ(app().data, "hello");
}

// What does not fit in the window is not taken.
TEST_F(TcpDataTest, WindowIsTheLimit) {
  peer.open();
  peer.send("ACK", 1, 1, pattern(1400));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1401 win 1460");
  peer.send("ACK", 1401, 1, pattern(300));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1701 win 1160");
  peer.send("ACK", 1701, 1, pattern(1460));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2861 win 1460");
  EXPECT_EQ(app().data.size(), 2860u);
}

TEST_F(TcpDataTest, FinBehindTheWindowIsNotTaken) {
  peer.open();
  peer.send("ACK", 1, 1, pattern(700));
  peer.next();
  peer.send("FIN ACK", 701, 1, pattern(1400));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1461 win 1460");
  EXPECT_EQ(app().events, "connected ");
}

// What the application does not read is not acknowledged.
TEST_F(TcpDataTest, UnreadDataComesAgain) {
  peer.open();
  app().take = 3;
  peer.send("FIN ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 4 win 1457");
  EXPECT_EQ(app().events, "connected ");
  app().take = 100;
  peer.send("FIN ACK", 1, 1, "hello");
  EXPECT_EQ(app().data, "hello");
  EXPECT_EQ(app().events, "connected peer_closed ");
}

// TC-31, T-9
TEST_F(TcpDataTest, UrgentDataStaysInTheStream) {
  peer.open();
  uint32_t seq = 1;
  for (const int pointer : {0, 1, 5, 6, 0xffff}) {
    app().urgent = 0;
    peer.send("URG ACK", seq, 1, "hello", {{}, [=](Tins::TCP& tcp) { tcp.urg_ptr(static_cast<uint16_t>(pointer)); }});
    EXPECT_EQ(app().urgent, pointer);
    seq += 5;
  }
  EXPECT_EQ(app().data, "hellohellohellohellohello");
  app().urgent = 0;
  peer.send("ACK", seq, 1, "x", {{}, [](Tins::TCP& tcp) { tcp.urg_ptr(1); }});
  EXPECT_EQ(app().urgent, 0) << "without the flag";
}

// TC-21, T-15
TEST_F(TcpDataTest, SegmentWithoutAckIsDropped) {
  peer.open();
  peer.send("PSH", 1, 0, "data");
  EXPECT_EQ(peer.next(), "nothing");
  EXPECT_EQ(app().data, "");
}

// TD-13, T-21
TEST_F(TcpDataTest, SequenceNumbersWrap) {
  for (const uint32_t isn : {0xffffffffu, 0xfffffff0u, 0x7ffffff0u, 0x7fffffffu}) {
    app() = Notes();
    app().stream = pattern(100'000);
    peer.isn = isn;
    ++peer.port;
    peer.open();
    uint32_t ours = 1;
    std::string got;
    for (uint32_t seq = 1; seq <= 100'000; seq += 1000) {
      ASSERT_NE(peer.next(), "nothing");
      got += peer.data;
      ours += static_cast<uint32_t>(peer.data.size());
      peer.send("ACK", seq, ours, pattern(1000));
    }
    while (peer.next() != "nothing") {
      got += peer.data;
      ours += static_cast<uint32_t>(peer.data.size());
      peer.send("ACK", 100'001, ours);
    }
    EXPECT_EQ(app().data.size(), 100'000u);
    EXPECT_EQ(got, app().stream);
    peer.send("RST", 100'001, 0);
  }
}

// --- the window we offer

// TD-4, TD-5, TD-7
TEST_F(TcpWindowTest, ClosesAndOpens) {
  app().free = 1000;
  peer.send("SYN", 0, 0);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1000 mss 1460");
  peer.send("ACK", 1, 1);
  app().free = 0;
  peer.send("ACK", 1, 1, pattern(1000));
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1001 win 0");
  peer.send("ACK", 1001, 1, "p");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1001 win 0");
  bench.run_for(3000);
  EXPECT_TRUE(bench.silent());
  app().free = 1000;
  app().connection->wake();
  bench.run_for(8);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1001 win 1000");
  EXPECT_EQ(app().data.size(), 1000u);
}

// TD-6: the right edge moves by half the buffer at least.
TEST_F(TcpWindowTest, DoesNotOpenByDriblets) {
  peer.open();
  app().free = 0;
  uint32_t seq = 1;
  for (int i = 0; i < 2; ++i, seq += 1000) {
    peer.send("ACK", seq, 1, pattern(1000));
    peer.next();
  }
  for (app().free = 0; app().free < 2000; app().free = static_cast<uint16_t>(app().free + 100)) {
    app().connection->wake();
    bench.run_for(8);
    EXPECT_EQ(peer.next(), app().free == 1000   ? "ACK 1+0 ack 2001 win 1000"
                           : app().free == 2000 ? "ACK 1+0 ack 2001 win 2000"
                                                : "nothing");
  }
}

// --- sending

TEST_F(TcpDataTest, OneSegmentAtATime) {
  app().stream = pattern(3000);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  EXPECT_EQ(peer.data, pattern(3000).substr(0, 1460));
  EXPECT_EQ(peer.next(), "nothing");
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "PSH ACK 1461+1460 ack 1 win 1460");
  peer.send("ACK", 1, 2921);
  EXPECT_EQ(peer.next(), "PSH ACK 2921+80 ack 1 win 1460");
  peer.send("ACK", 1, 3001);
  EXPECT_EQ(peer.next(), "nothing");
  bench.run_for(10'000);
  EXPECT_TRUE(bench.silent());
}

// TD-28
TEST_F(TcpSplitTest, AFullSegmentGoesInTwo) {
  app().stream = pattern(2000);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+730 ack 1 win 1460");
  EXPECT_EQ(peer.next(), "PSH ACK 731+730 ack 1 win 1460");
  EXPECT_EQ(peer.data, pattern(2000).substr(730, 730));
  EXPECT_EQ(peer.next(), "nothing");
  peer.send("ACK", 1, 731);
  EXPECT_EQ(peer.next(), "nothing");
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "PSH ACK 1461+540 ack 1 win 1460");
}

TEST_F(TcpSplitTest, TheSecondHalfAloneIsSentAgain) {
  app().stream = pattern(1460);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+730 ack 1 win 1460");
  EXPECT_EQ(peer.next(), "PSH ACK 731+730 ack 1 win 1460");
  peer.send("ACK", 1, 731);
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "PSH ACK 731+730 ack 1 win 1460");
  EXPECT_EQ(peer.data, pattern(1460).substr(730));
  EXPECT_EQ(peer.next(), "nothing");
}

TEST_F(TcpSplitTest, FinFollowsTheLastHalf) {
  app().stream = pattern(1460);
  app().close_at_end = true;
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+730 ack 1 win 1460");
  EXPECT_EQ(peer.next(), "PSH ACK 731+730 ack 1 win 1460");
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "FIN ACK 1461+0 ack 1 win 1460");
}

// The acknowledgement of what came goes with the data that answers it.
TEST_F(TcpDataTest, AnswersCarryTheAck) {
  peer.open();
  app().stream = "answer";
  peer.send("PSH ACK", 1, 1, "question");
  EXPECT_EQ(peer.next(), "PSH ACK 1+6 ack 9 win 1452");
  EXPECT_EQ(peer.next(), "nothing");
}

// TC-5, TC-6, TC-7, T-6, T-7, T-25
TEST_F(TcpDataTest, SegmentsFitThePeer) {
  struct Case {
    std::optional<uint16_t> mss;
    size_t segment;
  };
  for (const Case& c : {Case{{}, 536}, Case{1460, 1460}, Case{9000, 1460}, Case{100, 100}, Case{1, 64}, Case{0, 64}}) {
    app() = Notes();
    app().stream = pattern(2000);
    ++peer.port;
    peer.send("SYN", 0, 0, "", {c.mss});
    peer.next();
    peer.send("ACK", 1, 1);
    peer.next();
    EXPECT_EQ(peer.data.size(), c.segment);
    peer.send("RST", 1, 0);
  }
}

// TD-1, TD-2
TEST_F(TcpDataTest, StaysInsideTheWindow) {
  app().stream = pattern(5000);
  peer.window = 100;
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+100 ack 1 win 1460");
  peer.window = 65535;
  peer.send("ACK", 1, 101);
  EXPECT_EQ(peer.next(), "PSH ACK 101+1460 ack 1 win 1460");
  peer.window = 8000;
  peer.send("ACK", 1, 1561);
  EXPECT_EQ(peer.next(), "PSH ACK 1561+1460 ack 1 win 1460");
}

// A segment that was overtaken brings an old window, one with something new a new window.
TEST_F(TcpDataTest, WindowOfAnOldSegmentIsNotTaken) {
  peer.open();
  peer.send("ACK", 1, 1, "abc");
  peer.next();
  peer.window = 10;
  peer.send("ACK", 1, 1, "abc");
  peer.next();
  app().stream = pattern(1000);
  app().connection->wake();
  bench.run_for(8);
  EXPECT_EQ(peer.next(), "PSH ACK 1+1000 ack 4 win 1457");
  app().stream = pattern(3000);
  peer.window = 700;
  peer.send("ACK", 1, 1001, "abcd");
  EXPECT_EQ(peer.next(), "ACK 1001+0 ack 5 win 1456") << "less than a segment has to wait";
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "PSH ACK 1001+700 ack 5 win 1456");
}

// TD-2: the window closes over what is in flight; nothing is lost.
TEST_F(TcpDataTest, ShrinkingWindowLosesNothing) {
  app().stream = pattern(3000);
  peer.open();
  peer.next();
  peer.window = 0;
  peer.send("ACK", 1, 1);
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "PSH ACK 1+1 ack 1 win 1460");
  peer.window = 2000;
  peer.send("ACK", 1, 1);
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "PSH ACK 1461+1460 ack 1 win 1460");
}

// TD-12
TEST_F(TcpDataTest, PartOfASegmentIsAcknowledged) {
  app().stream = pattern(1460);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  peer.send("ACK", 1, 701);
  EXPECT_EQ(peer.next(), "nothing");
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "PSH ACK 701+760 ack 1 win 1460");
  EXPECT_EQ(peer.data, pattern(1460).substr(700));
  peer.send("ACK", 1, 1461);
  bench.run_for(5000);
  EXPECT_TRUE(bench.silent());
}

// T-22, TC-19
TEST_F(TcpDataTest, AckOfWhatWasNotSentIsRefused) {
  app().stream = pattern(2000);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  peer.send("ACK", 1, 1462, "data");
  EXPECT_EQ(peer.next(), "ACK 1461+0 ack 1 win 1460");
  EXPECT_EQ(app().data, "");
  peer.send("ACK", 1, 1461, "data");
  EXPECT_EQ(peer.next(), "PSH ACK 1461+540 ack 5 win 1456");
}

// Silly window: less than a segment waits for more window, or for the timer (RFC 9293 3.8.6.2.1). T-26.
TEST_F(TcpDataTest, DoesNotSendByDriblets) {
  app().stream = pattern(6000);
  peer.open();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  peer.window = 1;
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "nothing");
  peer.window = 700;
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "nothing");
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "PSH ACK 1461+700 ack 1 win 1460");
  peer.window = 4000;
  peer.send("ACK", 1, 2161);
  EXPECT_EQ(peer.next(), "PSH ACK 2161+1460 ack 1 win 1460");
}

// The end of the stream waits for what is before it.
TEST_F(TcpDataTest, FinDoesNotOvertakeWhatIsHeldBack) {
  app().stream = pattern(3000);
  peer.open();
  app().connection->close();
  EXPECT_EQ(peer.next(), "PSH ACK 1+1460 ack 1 win 1460");
  peer.window = 100;
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "nothing");
  peer.window = 8000;
  peer.send("ACK", 1, 1461);
  EXPECT_EQ(peer.next(), "PSH ACK 1461+1460 ack 1 win 1460");
  peer.send("ACK", 1, 2921);
  EXPECT_EQ(peer.next(), "FIN PSH ACK 2921+80 ack 1 win 1460");
}

TEST_F(TcpDataTest, ALittleDataIsSentIntoALittleWindow) {
  peer.open();
  peer.window = 50;
  app().stream = "short";
  peer.send("ACK", 1, 1);
  EXPECT_EQ(peer.next(), "PSH ACK 1+5 ack 1 win 1460");
}

TEST_F(TcpDataTest, WakeIsPrompt) {
  peer.open();
  bench.run_for(100);
  app().stream = "news";
  app().connection->wake();
  bench.run_for(8);
  EXPECT_EQ(peer.next(), "PSH ACK 1+4 ack 1 win 1460");
}

TEST_F(TcpDataTest, WithoutWakeNobodyIsAsked) {
  peer.open();
  app().stream = "news";
  bench.run_for(5000);
  EXPECT_TRUE(bench.silent());
}

// The MAC address is forgotten in the middle of a connection.
TEST_F(TcpDataTest, ResolvesAgainAndGoesOn) {
  peer.open();
  bench.run_for(241'000);
  app().stream = "late";
  app().connection->wake();
  bench.run_for(16);
  EXPECT_EQ(describe_arp(bench.next_frame()), "all: who-has 10.0.0.9 tell 10.0.0.1");
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(peer_ip), tins(our_mac), tins(peer_mac)));
  EXPECT_EQ(peer.next(), "PSH ACK 1+4 ack 1 win 1460");
}

TEST_F(TcpDataTest, ConnectionsAreIndependent) {
  TcpPeer<Bench<Config>> other(bench, 80, 40001);
  peer.open();
  other.open();
  peer.send("ACK", 1, 1, "one");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 4 win 1457");
  other.send("ACK", 1, 1, "three");
  EXPECT_EQ(other.next(), "ACK 1+0 ack 6 win 1455");
  peer.send("RST", 4, 0);
  other.send("ACK", 6, 1, "more");
  EXPECT_EQ(other.next(), "ACK 1+0 ack 10 win 1451");
}

}  // namespace
}  // namespace avrlan::test
