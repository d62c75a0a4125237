// Configurations other than those of the other tests, and the examples of stack/README.md.
#include "stack/app/echo.hpp"
#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

struct NoTcp : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool tcp = false, udp = true, counters = true;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

TEST(WithoutTcp, UdpIsServedAndTcpIsAnUnknownProtocol) {
  Bench<NoTcp> bench;
  bench.introduce();
  bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) /
                Tins::UDP(7, 5000) / Tins::RawPDU("data"));
  EXPECT_EQ(bench.sent().size(), 1u);
  bench.sent().clear();
  Tins::TCP tcp(80, 40000);
  tcp.flags(Tins::TCP::SYN);
  bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / tcp);
  EXPECT_TRUE(bench.silent());
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::protocol), 1);
}

struct Both : NoTcp {
  static constexpr bool tcp = true;
};

TEST(WithoutTcp, TakesNoMemoryForConnections) {
  EXPECT_LT(sizeof(tcpip::Stack<NoTcp>) + 4 * sizeof(tcpip::Connection), sizeof(tcpip::Stack<Both>) + 8);
}

// A state that needs room, so that the union of the states is seen to hold it.
struct Counting : tcpip::TcpApplication {
  static constexpr uint16_t port = 81;
  struct State {
    uint32_t octets;
    uint8_t pad[50];
  };
  uint32_t last = 0;
  template <class Reader>
  void received(tcpip::Connection&, State& s, Reader& data) {
    s.octets += data.left();
    data.skip(data.left());
    last = s.octets;
  }
};

struct Numbers : tcpip::TcpApplication {
  static constexpr uint16_t port = 1000;
  template <class State, class Writer>
  void produce(tcpip::Connection&, State&, uint32_t offset, Writer& writer) {
    for (; writer.room(); ++offset) {
      const uint8_t octet = static_cast<uint8_t>(offset / 4 >> offset % 4 * 8);
      writer.write(&octet, 1);
    }
  }
};

struct Several : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr uint8_t connections = 3;
  static constexpr bool split_segments = false;
  using TcpApplications = tcpip::List<tcpip::TcpEcho<32>, Counting, Numbers>;
};

TEST(SeveralApplications, EachConnectionHasItsOwnState) {
  Bench<Several> bench;
  bench.introduce();
  TcpPeer<Bench<Several>> echo(bench, 7, 40000), first(bench, 81, 40001), second(bench, 81, 40002);
  echo.open();
  first.open();
  second.open();
  first.send("ACK", 1, 1, "12345");
  first.next();
  echo.send("ACK", 1, 1, "echo");
  EXPECT_EQ(echo.next(), "PSH ACK 1+4 ack 5 win 28");
  second.send("ACK", 1, 1, "123");
  second.next();
  EXPECT_EQ(bench.stack.tcp_application<Counting>().last, 3u);
  first.send("ACK", 6, 1, "67");
  first.next();
  EXPECT_EQ(bench.stack.tcp_application<Counting>().last, 7u);
  // A connection that takes the place of another starts from zero.
  second.send("RST", 4, 0);
  second.port = 40003;
  second.open();
  second.send("ACK", 1, 1, "1");
  second.next();
  EXPECT_EQ(bench.stack.tcp_application<Counting>().last, 1u);
}

TEST(SeveralApplications, GeneratedStream) {
  Bench<Several> bench;
  bench.introduce();
  TcpPeer<Bench<Several>> peer(bench, 1000);
  peer.open();
  std::string got;
  while (got.size() < 100'000) {
    ASSERT_EQ(peer.next().substr(0, 7), "PSH ACK");
    got += peer.data;
    peer.send("ACK", 1, static_cast<uint32_t>(1 + got.size()));
  }
  for (uint32_t i = 0; i < got.size() / 4; ++i)
    ASSERT_EQ(static_cast<uint8_t>(got[4 * i]) | static_cast<uint8_t>(got[4 * i + 1]) << 8, i & 0xffff);
}

// poll() is not called for a while: what was due is done once, and nothing is done twice.
TEST(LatePoll, CatchesUp) {
  Bench<Several> bench;
  bench.introduce();
  TcpPeer<Bench<Several>> peer(bench, 1000);
  peer.open();
  EXPECT_EQ(peer.next().substr(0, 10), "PSH ACK 1+");
  bench.now += 20'000;
  bench.stack.poll(bench.now);
  EXPECT_EQ(peer.next().substr(0, 10), "PSH ACK 1+");
  EXPECT_EQ(peer.next(), "nothing");
}

TEST(LatePoll, ClockWraps) {
  Bench<Several> bench;
  bench.now = 0xffffff00;
  bench.stack.poll(bench.now);
  bench.introduce();
  TcpPeer<Bench<Several>> peer(bench, 1000);
  peer.open();
  EXPECT_EQ(peer.next().substr(0, 10), "PSH ACK 1+");
  for (int i = 0; i < 200 && bench.silent(); ++i) bench.stack.poll(bench.now += 8);
  EXPECT_NEAR(static_cast<int32_t>(bench.now), 1000 - 256, 40);
}

}  // namespace
}  // namespace avrlan::test
