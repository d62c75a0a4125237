#include "stack/app/echo.hpp"

#include "stack/app/line_client.hpp"
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Report {
  std::string text;
  std::string events;
  void received(const char* octets, uint8_t n) { text.append(octets, n); }
  void event(tcpip::TcpEvent event) { events += std::to_string(static_cast<int>(event)) + " "; }
};

using Client = tcpip::LineClient<Report>;

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<tcpip::TcpEcho<64>, Client>;
};

struct EchoTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench, 7};

  EchoTest() { bench.introduce(); }
};

TEST_F(EchoTest, TcpSendsBackWhatItGets) {
  peer.open();
  peer.send("PSH ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "PSH ACK 1+5 ack 6 win 59");
  EXPECT_EQ(peer.data, "hello");
  peer.send("PSH ACK", 6, 6, "again");
  EXPECT_EQ(peer.next(), "PSH ACK 6+5 ack 11 win 54");
  EXPECT_EQ(peer.data, "again");
}

TEST_F(EchoTest, WindowIsTheBuffer) {
  peer.open();
  peer.send("ACK", 1, 1, pattern(100));
  EXPECT_EQ(peer.next(), "PSH ACK 1+64 ack 65 win 0");
  EXPECT_EQ(peer.data, pattern(64));
  peer.send("ACK", 65, 1, "x");
  EXPECT_EQ(peer.next(), "ACK 65+0 ack 65 win 0");
  peer.send("ACK", 65, 65);
  EXPECT_EQ(peer.next(), "ACK 65+0 ack 65 win 64");
}

TEST_F(EchoTest, SendsTheSameAgain) {
  peer.open();
  peer.send("ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "PSH ACK 1+5 ack 6 win 59");
  peer.send("ACK", 6, 1, "world");
  EXPECT_EQ(peer.next(), "ACK 6+0 ack 11 win 54");
  bench.run_for(1100);
  EXPECT_EQ(peer.next(), "PSH ACK 1+10 ack 11 win 54");
  EXPECT_EQ(peer.data, "helloworld");
  peer.send("ACK", 11, 4);
  bench.run_for(3100);
  EXPECT_EQ(peer.next(), "PSH ACK 4+7 ack 11 win 54");
  EXPECT_EQ(peer.data, "loworld");
  peer.send("ACK", 11, 11);
  peer.send("ACK", 11, 11, "!");
  peer.next();
  EXPECT_EQ(peer.data, "!");
}

TEST_F(EchoTest, EverythingIsEchoedBeforeTheFin) {
  peer.open();
  peer.send("FIN ACK", 1, 1, "last words");
  EXPECT_EQ(peer.next(), "FIN PSH ACK 1+10 ack 12 win 54");
  EXPECT_EQ(peer.data, "last words");
}

// Much data, and both sides lose segments. The peer probes a closed window.
TEST_F(EchoTest, ALongStreamOverALossyLink) {
  uint32_t x = 5;
  const auto lose = [&] { return ((x = x * 1664525 + 1013904223) >> 24) < 40; };
  const std::string text = pattern(4000);
  peer.open();
  std::string got;
  uint32_t taken = 0, window = 64;
  for (int i = 0; i < 3000 && got.size() < text.size(); ++i) {
    for (std::string s = peer.next(); s != "nothing"; s = peer.next()) {
      if (s == "no TCP") bench.introduce();
      if (s == "no TCP" || lose()) continue;
      const uint32_t at = static_cast<uint32_t>(std::stoul(s.substr(s.find_first_of("0123456789")))) - 1;
      if (at <= got.size()) got += peer.data.substr(std::min(got.size() - at, peer.data.size()));
      taken = std::max(taken, static_cast<uint32_t>(std::stoul(s.substr(s.find("ack") + 4))) - 1);
      window = static_cast<uint32_t>(std::stoul(s.substr(s.find("win") + 4)));
    }
    if (!lose())
      peer.send("ACK", 1 + taken, static_cast<uint32_t>(1 + got.size()), text.substr(taken, std::max(window, 1u)));
    bench.run_for(100);
  }
  EXPECT_EQ(got, text);
}

TEST_F(EchoTest, ClientSendsItsLineAndReports) {
  Client& client = bench.stack.tcp_application<Client>();
  client.line = "GET me\n";
  ASSERT_TRUE(bench.stack.connect<Client>(peer_ip, 99));
  peer.port = 99;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  peer.next();
  peer.send("SYN ACK", 0, 1, "", {1460});
  EXPECT_EQ(peer.next(), "PSH ACK 1+7 ack 1 win 1460");
  EXPECT_EQ(peer.data, "GET me\n");
  peer.send("FIN ACK", 1, 8, "here it is, a line of some length\n");
  EXPECT_EQ(client.report.text, "here it is, a line of some length\n");
  EXPECT_EQ(peer.next(), "FIN ACK 8+0 ack 36 win 1426");
  peer.send("ACK", 36, 9);
  EXPECT_EQ(client.report.events, "0 1 3 4 ");
}

}  // namespace
}  // namespace avrlan::test
