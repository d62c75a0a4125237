#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Client : Notes {
  static constexpr uint16_t port = 0;
};

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Notes, Client>;
  static constexpr bool counters = true;
};

struct TcpOpenTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  TcpOpenTest() { bench.introduce(); }
  Notes& app() { return bench.stack.tcp_application<Notes>(); }
  Client& client() { return bench.stack.tcp_application<Client>(); }
};

TEST_F(TcpOpenTest, PassiveOpen) {
  peer.send("SYN", 0, 0, "", {1460});
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  EXPECT_EQ(app().events, "");
  peer.send("ACK", 1, 1);
  EXPECT_EQ(peer.next(), "nothing");
  EXPECT_EQ(app().events, "connected ");
  peer.send("PSH ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  EXPECT_EQ(app().data, "hello");
}

TEST_F(TcpOpenTest, DataWithTheAckThatOpens) {
  peer.send("SYN", 0, 0);
  peer.next();
  peer.send("PSH ACK", 1, 1, "hello");
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 6 win 1455");
  EXPECT_EQ(app().data, "hello");
}

TEST_F(TcpOpenTest, ActiveOpen) {
  ASSERT_TRUE(bench.stack.connect<Client>(peer_ip, 5000));
  peer.port = 5000;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  EXPECT_GE(peer.stack_port, 49152);
  EXPECT_EQ(peer.next(), "SYN 0+0 win 1460 mss 1460");
  peer.send("SYN ACK", 0, 1, "", {1000});
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
  EXPECT_EQ(client().events, "connected ");
}

TEST_F(TcpOpenTest, ActiveOpenAsksForTheAddressFirst) {
  const Ipv4Address stranger = {{10, 0, 0, 50}};
  ASSERT_TRUE(bench.stack.connect<Client>(stranger, 5000));
  EXPECT_EQ(describe_arp(bench.next_frame()), "all: who-has 10.0.0.50 tell 10.0.0.1");
  bench.run_for(300);
  EXPECT_TRUE(bench.silent());
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(stranger), tins(our_mac), tins(peer_mac)));
  peer.ip = stranger;
  peer.port = 5000;
  ASSERT_FALSE(bench.silent());
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  EXPECT_EQ(peer.next(), "SYN 0+0 win 1460 mss 1460");
}

TEST_F(TcpOpenTest, ActiveOpenRefused) {
  bench.stack.connect<Client>(peer_ip, 5000);
  peer.port = 5000;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  peer.next();
  peer.send("RST ACK", 0, 777);
  EXPECT_EQ(client().events, "");
  peer.send("RST", 0, 1);
  EXPECT_EQ(client().events, "");
  peer.send("RST ACK", 0, 1);
  EXPECT_EQ(client().events, "aborted ");
  EXPECT_EQ(peer.next(), "nothing");
}

// TC-13
TEST_F(TcpOpenTest, SynSentAnswersAWrongAckWithReset) {
  bench.stack.connect<Client>(peer_ip, 5000);
  peer.port = 5000;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  peer.next();
  peer.send("SYN ACK", 0, 777);
  EXPECT_EQ(peer.next(), "RST 777+0");
  peer.send("ACK", 0, 777);
  EXPECT_EQ(peer.next(), "RST 777+0");
  peer.send("SYN ACK", 0, 1);
  EXPECT_EQ(peer.next(), "ACK 1+0 ack 1 win 1460");
}

// TC-12
TEST_F(TcpOpenTest, SimultaneousOpen) {
  bench.stack.connect<Client>(peer_ip, 5000);
  peer.port = 5000;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  peer.next();
  peer.send("SYN", 0, 0);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  EXPECT_EQ(client().events, "");
  peer.send("SYN ACK", 0, 1);
  EXPECT_EQ(client().events, "connected ");
  peer.send("PSH ACK", 1, 1, "hi");
  peer.next();
  EXPECT_EQ(client().data, "hi");
}

TEST_F(TcpOpenTest, NoAddressNoConnection) {
  bench.stack.configure({{0, 0, 0, 0}}, {{0, 0, 0, 0}}, {{0, 0, 0, 0}});
  EXPECT_FALSE(bench.stack.connect<Client>(peer_ip, 5000));
}

// TC-9, T-14: what each combination of flags gets from an open port.
TEST_F(TcpOpenTest, FlagsToAnOpenPort) {
  const auto flag = [](int all, int bit, const char* name) { return all & bit ? std::string(name) + " " : ""; };
  for (int all = 0; all < 64; ++all) {
    peer.port = static_cast<uint16_t>(41000 + all);
    peer.send(flag(all, 1, "FIN") + flag(all, 2, "SYN") + flag(all, 4, "RST") + flag(all, 8, "PSH") +
                  flag(all, 16, "ACK") + flag(all, 32, "URG"),
              0, 5);
    const std::string answer = peer.next();
    if (all & 4)
      EXPECT_EQ(answer, "nothing") << all;
    else if (all & 16)
      EXPECT_EQ(answer, "RST 5+0") << all;
    else if (all & 2)
      EXPECT_EQ(answer, "SYN ACK 0+0 ack 1 win 1460 mss 1460") << all;
    else
      EXPECT_EQ(answer, "nothing") << all;
    peer.stack_isn = 0;
    bench.stack.configure({{0, 0, 0, 0}}, net_mask, gateway_ip);  // forgets the connections
    bench.stack.configure(our_ip, net_mask, gateway_ip);
  }
}

// TC-10
TEST_F(TcpOpenTest, ClosedPortIsRefused) {
  peer.stack_port = 81;
  peer.send("SYN", 0, 0, "ten octets");
  EXPECT_EQ(peer.next(), "RST ACK 0+0 ack 11");
  peer.send("ACK", 4, 99, "data");
  EXPECT_EQ(peer.next(), "RST 99+0");
  peer.send("FIN", 4, 0, "data");
  EXPECT_EQ(peer.next(), "RST ACK 0+0 ack 9");
  peer.send("RST", 4, 0);
  peer.send("RST ACK", 4, 9);
  EXPECT_EQ(peer.next(), "nothing");
}

// TC-14
TEST_F(TcpOpenTest, SynReceivedAnswersAWrongAckWithReset) {
  peer.send("SYN", 0, 0);
  peer.next();
  peer.send("ACK", 1, 778);
  EXPECT_EQ(peer.next(), "RST 778+0");
  peer.send("ACK", 1, 1);
  EXPECT_EQ(app().events, "connected ");
}

TEST_F(TcpOpenTest, SynAgainGetsTheSameAnswer) {
  peer.send("SYN", 0, 0);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  const uint32_t isn = peer.stack_isn;
  bench.run_for(100);
  peer.send("SYN", 0, 0);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  EXPECT_EQ(peer.stack_isn, isn);
}

TEST_F(TcpOpenTest, SynReceivedAnswersStrayDataWithItsSynAck) {
  peer.send("SYN", 0, 0);
  peer.next();
  peer.send("ACK", 5000, 1, "data");
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  peer.send("ACK", 1, 1, "data");
  EXPECT_EQ(app().data, "data");
}

TEST_F(TcpOpenTest, SimultaneousOpenIsReset) {
  bench.stack.connect<Client>(peer_ip, 5000);
  peer.port = 5000;
  peer.stack_port = parse(bench.sent().front()).rfind_pdu<Tins::TCP>().sport();
  peer.next();
  peer.send("SYN", 0, 0);
  peer.next();
  peer.send("RST", 1, 0);
  EXPECT_EQ(client().events, "aborted ");
}

// TC-15
TEST_F(TcpOpenTest, ResetBeforeTheConnectionIsOpenFreesIt) {
  peer.send("SYN", 0, 0);
  peer.next();
  peer.send("RST", 1, 0);
  EXPECT_EQ(app().events, "");
  bench.run_for(5000);
  EXPECT_TRUE(bench.silent());
}

// TC-29: the last of SYN + 7 has its full time.
TEST_F(TcpOpenTest, SynIsGivenUpAfterThreeMinutes) {
  bench.stack.connect<Client>(peer_ip, 5000);
  const uint32_t start = bench.now;
  std::vector<uint32_t> at;
  while (client().events.empty() && bench.now < start + 400'000) {
    bench.run_for(10);
    while (!bench.silent()) {
      bench.next_frame();
      at.push_back(bench.now - start);
    }
    bench.introduce();  // the address stays known
  }
  EXPECT_EQ(client().events, "timed_out ");
  EXPECT_GE(bench.now - start, 180'000u);
  EXPECT_LE(bench.now - start, 200'000u);
  ASSERT_EQ(at.size(), 8u);
  for (size_t i = 1; i < 7; ++i) EXPECT_NEAR(at[i], 1008 * ((1u << i) - 1), 80) << i;
}

// TC-8, TC-24 32, TD-29
TEST_F(TcpOpenTest, AnswersSynWithAllOptionsPolitely) {
  peer.send("SYN ECE CWR", 0, 0, "", {{}, [](Tins::TCP& tcp) {
                                        tcp.mss(1460);
                                        tcp.sack_permitted();
                                        tcp.timestamp(1, 0);
                                        tcp.winscale(7);
                                      }});
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
}

// TC-32, T-24
TEST_F(TcpOpenTest, DataInASynIsNotTaken) {
  peer.send("SYN", 0, 0, "early");
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  peer.send("ACK", 1, 1, "other");
  EXPECT_EQ(app().data, "other");
}

// TC-27: with the same four numbers the sequence numbers go on; with others they are unrelated.
TEST_F(TcpOpenTest, SequenceNumbersFollowAClockAndASecret) {
  const auto isn = [&](uint16_t port) {
    peer.port = port;
    peer.send("SYN", 0, 0);
    peer.next();
    peer.send("RST", 1, 0);
    return peer.stack_isn;
  };
  std::set<uint32_t> steps;
  uint32_t last = isn(40000);
  for (int i = 0; i < 50; ++i) {
    bench.run_for(16);
    const uint32_t again = isn(40000);
    EXPECT_EQ(again - last, 16u * 256);
    last = again;
  }
  for (uint16_t port = 40001; port < 40201; ++port) {
    const uint32_t other = isn(port);
    steps.insert((other - last) >> 16);
    last = other;
  }
  EXPECT_GT(steps.size(), 190u);
}

// TC-28
TEST_F(TcpOpenTest, OwnPortsAreRandom) {
  std::set<uint16_t> ports;
  for (int i = 0; i < 50; ++i) {
    auto* connection = bench.stack.connect<Client>(peer_ip, 5000);
    ASSERT_TRUE(connection);
    ports.insert(parse(bench.next_frame()).rfind_pdu<Tins::TCP>().sport());
    connection->abort();
    bench.run_for(20);
    bench.sent().clear();
  }
  EXPECT_GT(ports.size(), 45u);
}

// T-16, TC-15: half-open connections give way when they are not completed in time, and not before.
TEST_F(TcpOpenTest, SynFloodKeepsNobodyOutForLong) {
  for (uint16_t i = 0; i < 60; ++i) {
    peer.port = static_cast<uint16_t>(50000 + i);
    peer.send("SYN", 0, 0);
  }
  EXPECT_EQ(bench.sent().size(), 4u);
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::tcp_full), 56);
  bench.run_for(1200);
  bench.sent().clear();
  peer.port = 40000;
  peer.send("SYN", 0, 0);
  EXPECT_EQ(peer.next(), "SYN ACK 0+0 ack 1 win 1460 mss 1460");
  peer.send("ACK", 1, 1);
  EXPECT_EQ(app().events, "connected ");
}

// TC-11, IP-24
TEST_F(TcpOpenTest, BroadcastSynIsDropped) {
  for (const Ipv4Address to : {Ipv4Address{{10, 0, 0, 255}}, Ipv4Address{{255, 255, 255, 255}}}) {
    Tins::TCP tcp(80, 40000);
    tcp.flags(Tins::TCP::SYN);
    bench.receive(Tins::EthernetII(everybody, tins(peer_mac)) / Tins::IP(tins(to), tins(peer_ip)) / tcp);
  }
  Tins::TCP tcp(80, 40000);
  tcp.flags(Tins::TCP::SYN);
  bench.receive(Tins::EthernetII(everybody, tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / tcp);
  EXPECT_TRUE(bench.silent());
}

}  // namespace
}  // namespace avrlan::test
