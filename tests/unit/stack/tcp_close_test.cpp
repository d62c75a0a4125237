#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

using tcpip::TcpState;

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Notes>;
};

struct TcpCloseTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  TcpCloseTest() {
    bench.introduce();
    peer.open();
    bench.run_for(1000);  // so that the connection is known
  }
  Notes& app() { return bench.stack.tcp_application<Notes>(); }
  TcpState state() { return app().connection->state(); }
  void close() {
    app().connection->close();
    bench.run_for(8);
  }
};

TEST_F(TcpCloseTest, ActiveClose) {
  close();
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 1 win 1460");
  EXPECT_EQ(state(), TcpState::fin_wait_1);
  peer.send("ACK", 1, 2);
  EXPECT_EQ(state(), TcpState::fin_wait_2);
  peer.send("FIN ACK", 1, 2);
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 2 win 1460");
  EXPECT_EQ(state(), TcpState::time_wait);
  EXPECT_EQ(app().events, "connected closed ");
  bench.run_for(59'000);
  EXPECT_EQ(state(), TcpState::time_wait);
  bench.run_for(2'000);
  EXPECT_EQ(state(), TcpState::closed);
  EXPECT_TRUE(bench.silent());
}

TEST_F(TcpCloseTest, FinWithTheLastData) {
  app().stream = "bye";
  close();
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+3 ack 1 win 1460");
  peer.send("FIN ACK", 1, 5);
  EXPECT_EQ(peer.next(), "ACK 5+0 ack 2 win 1460");
  EXPECT_EQ(state(), TcpState::time_wait);
}

TEST_F(TcpCloseTest, PassiveClose) {
  peer.send("FIN ACK", 1, 1);
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 2 win 1460");
  EXPECT_EQ(state(), TcpState::last_ack);
  EXPECT_EQ(app().events, "connected peer_closed ");
  peer.send("ACK", 2, 2);
  EXPECT_EQ(state(), TcpState::closed);
  EXPECT_EQ(app().events, "connected peer_closed closed ");
}

TEST_F(TcpCloseTest, FinComesWithData) {
  peer.send("FIN ACK", 1, 1, "last words");
  EXPECT_EQ(app().data, "last words");
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 12 win 1450");
}

// TC-22
TEST_F(TcpCloseTest, CloseWaitStillSends) {
  app().answer_close = false;
  app().stream = pattern(3000);
  peer.send("FIN ACK", 1, 1);
  uint32_t ack = 1;
  std::string got;
  while (got.size() < 3000) {
    ASSERT_NE(peer.next(), "nothing");
    got += peer.data;
    ack += static_cast<uint32_t>(peer.data.size());
    peer.send("ACK", 2, ack);
  }
  EXPECT_EQ(got, app().stream);
  EXPECT_EQ(state(), TcpState::close_wait);
  close();
  EXPECT_EQ(peer.next(), "FIN ACK 3001+0 ack 2 win 1460");
}

// TC-23
TEST_F(TcpCloseTest, SimultaneousClose) {
  close();
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 1 win 1460");
  peer.send("FIN ACK", 1, 1);
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 2 win 1460");
  EXPECT_EQ(state(), TcpState::closing);
  peer.send("ACK", 2, 2);
  EXPECT_EQ(state(), TcpState::time_wait);
}

TEST_F(TcpCloseTest, FinIsSentAgain) {
  app().stream = "bye";
  close();
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+3 ack 1 win 1460");
  bench.run_for(900);
  EXPECT_EQ(peer.next(), "nothing");
  bench.run_for(200);
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+3 ack 1 win 1460");
  peer.send("ACK", 1, 4);
  EXPECT_EQ(state(), TcpState::fin_wait_1);
  bench.run_for(2200);
  EXPECT_EQ(peer.next(), "FIN ACK 4+0 ack 1 win 1460");
  peer.send("ACK", 1, 5);
  EXPECT_EQ(state(), TcpState::fin_wait_2);
}

// What an application still produces after that is not sent.
TEST_F(TcpCloseTest, NothingIsSentBehindTheFin) {
  app().stream = "bye";
  close();
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+3 ack 1 win 1460");
  app().stream = "bye bye";
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+3 ack 1 win 1460");
}

TEST_F(TcpCloseTest, ClosingAndLastAckSendTheFinAgain) {
  close();
  peer.send("FIN ACK", 1, 1);
  bench.sent().clear();
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "FIN ACK 1+0 ack 2 win 1460");
}

TEST_F(TcpCloseTest, DataIsStillReceivedAfterOurClose) {
  close();
  peer.next();
  peer.send("ACK", 1, 2, "more");
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 5 win 1456");
  EXPECT_EQ(app().data, "more");
}

// TC-24
TEST_F(TcpCloseTest, TimeWaitAcknowledgesTheFinAgain) {
  close();
  peer.next();
  peer.send("FIN ACK", 1, 2);
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 2 win 1460");
  bench.run_for(50'000);
  peer.send("FIN ACK", 1, 2);
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 2 win 1460");
  bench.run_for(50'000);
  EXPECT_EQ(state(), TcpState::time_wait);
  bench.run_for(11'000);
  EXPECT_EQ(state(), TcpState::closed);
}

// RFC 1337
TEST_F(TcpCloseTest, TimeWaitIsNotEndedByAReset) {
  close();
  peer.next();
  peer.send("FIN ACK", 1, 2);
  peer.next();
  peer.send("RST", 2, 0);
  EXPECT_EQ(state(), TcpState::time_wait);
}

TEST_F(TcpCloseTest, TimeWaitGivesWayToANewConnectionOfTheSamePorts) {
  close();
  peer.next();
  peer.send("FIN ACK", 1, 2);
  peer.next();
  peer.send("SYN", 0, 0);  // an old one
  EXPECT_EQ(peer.next(), "ACK 2+0 ack 2 win 1460");
  peer.isn += 100'000;
  peer.send("SYN", 0, 0);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
}

TEST_F(TcpCloseTest, TimeWaitGivesWayWhenConnectionsRunOut) {
  close();
  peer.next();
  peer.send("FIN ACK", 1, 2);
  peer.next();
  for (uint16_t i = 1; i <= 4; ++i) {
    TcpPeer<Bench<Config>> other(bench, 80, static_cast<uint16_t>(40000 + i));
    other.open();
  }
  TcpPeer<Bench<Config>> fifth(bench, 80, 40005);
  fifth.send("SYN", 0, 0);
  EXPECT_EQ(fifth.next(), "nothing");
}

// TC-25
TEST_F(TcpCloseTest, FinWait2Ends) {
  close();
  peer.next();
  peer.send("ACK", 1, 2);
  bench.run_for(59'000);
  EXPECT_EQ(state(), TcpState::fin_wait_2);
  bench.run_for(2'000);
  EXPECT_EQ(state(), TcpState::closed);
  EXPECT_EQ(app().events, "connected timed_out ");
}

// T-20
TEST_F(TcpCloseTest, FinBeforeTheHole) {
  peer.send("FIN ACK", 6, 1);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  EXPECT_EQ(app().events, "connected ");
  peer.send("FIN ACK", 1, 1, "hello");
  EXPECT_EQ(app().events, "connected peer_closed ");
  EXPECT_EQ(app().data, "hello");
}

TEST_F(TcpCloseTest, FinTwiceAndDataBehindIt) {
  app().answer_close = false;
  peer.send("FIN ACK", 1, 1);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2 win 1460");
  peer.send("FIN ACK", 1, 1);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2 win 1460");
  peer.send("ACK", 2, 1, "ghost");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 2 win 1460");
  EXPECT_EQ(app().events, "connected peer_closed ");
  EXPECT_EQ(app().data, "");
}

TEST_F(TcpCloseTest, AbortSendsAReset) {
  app().connection->abort();
  bench.run_for(8);
  EXPECT_EQ(peer.next(), "RST ACK 1+0 ack 1");
  EXPECT_EQ(state(), TcpState::closed);
  EXPECT_EQ(app().events, "connected ");
}

TEST_F(TcpCloseTest, NothingIsReceivedAfterAnAbort) {
  app().connection->abort();
  peer.send("ACK", 1, 1, "too late");
  EXPECT_EQ(peer.next(), "RST ACK 1+0 ack 1");
  EXPECT_EQ(app().data, "");
}

TEST_F(TcpCloseTest, AbortWhileOpening) {
  auto* connection = bench.stack.connect<Notes>(peer_ip, 99);
  peer.port = 99;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  peer.next();
  connection->abort();
  bench.run_for(8);
  EXPECT_EQ(peer.next().substr(0, 11), "RST ACK 1+0");
  EXPECT_EQ(connection->state(), TcpState::closed);
}

TEST_F(TcpCloseTest, LosingTheAddressEndsConnections) {
  bench.stack.configure({{10, 0, 0, 2}}, net_mask, gateway_ip);
  EXPECT_EQ(app().events, "connected aborted ");
  EXPECT_EQ(state(), TcpState::closed);
}

// T-17: closed windows give way when others want to come in.
TEST_F(TcpCloseTest, ClosedWindowsGiveWay) {
  app().stream = pattern(5000);
  std::vector<TcpPeer<Bench<Config>>> others;
  for (uint16_t i = 1; i <= 3; ++i) {
    others.emplace_back(bench, 80, static_cast<uint16_t>(40000 + i));
    others.back().window = 0;
    others.back().open();
  }
  TcpPeer<Bench<Config>> late(bench, 80, 41000);
  late.send("SYN", 0, 0);
  for (int i = 0; i < 15; ++i) {
    bench.run_for(1000);
    for (auto& other : others) other.send("ACK", 1, 1);
  }
  bench.sent().clear();
  late.send("SYN", 0, 0);
  const Tins::EthernetII reset = parse(bench.next_frame());
  EXPECT_TRUE(reset.rfind_pdu<Tins::TCP>().flags() & Tins::TCP::RST);
  EXPECT_EQ(late.next().substr(0, 7), "SYN ACK");
}

}  // namespace
}  // namespace avrlan::test
