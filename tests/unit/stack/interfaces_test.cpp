// IP-23: a host with two interfaces.
#include "stack/app/echo.hpp"
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Two : tcpip::Full {
  using Device = tcpip::Devices<RamDevice, RamDevice>;
  static constexpr uint8_t interfaces = 2;
  static constexpr bool counters = true;
  using TcpApplications = tcpip::List<Notes>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

constexpr Ipv4Address left_ip = {{10, 0, 0, 1}}, right_ip = {{10, 1, 0, 1}};
constexpr Ipv4Address left_peer = {{10, 0, 0, 9}}, right_peer = {{10, 1, 0, 9}}, far_peer = {{192, 0, 2, 1}};
constexpr MacAddress left_mac = {{2, 0, 0, 0, 0, 1}}, right_mac = {{2, 0, 0, 0, 0, 2}};
constexpr MacAddress left_peer_mac = {{2, 0, 0, 0, 0, 0x91}}, right_peer_mac = {{2, 0, 0, 0, 0, 0x92}};

struct InterfacesTest : testing::Test {
  tcpip::Stack<Two> stack;
  uint32_t now = 1000;
  RamDevice& left = stack.device().first();
  RamDevice& right = stack.device().rest().first();

  InterfacesTest() {
    static const uint8_t secret[16] = {1};
    EXPECT_TRUE(stack.begin(left_mac, secret, now));
    stack.configure(left_ip, net_mask, {{0, 0, 0, 0}}, 0);
    stack.configure(right_ip, net_mask, {{10, 1, 0, 254}}, 1);
    meet(left, left_ip, left_peer, left_peer_mac);
    meet(right, right_ip, right_peer, right_peer_mac);
    meet(right, right_ip, {{10, 1, 0, 254}}, right_peer_mac);
    left.sent.clear();
    right.sent.clear();
  }
  void meet(RamDevice& side, Ipv4Address us, Ipv4Address peer, const MacAddress& mac) {
    receive(side, Tins::ARP::make_arp_request(tins(us), tins(peer), tins(mac)));
  }
  void receive(RamDevice& side, Tins::PDU&& packet) {
    side.waiting.push_back(bytes(packet));
    stack.poll(now);
  }
  template <class Packet>
  void receive(RamDevice& side, Ipv4Address from, Ipv4Address to, const Packet& packet) {
    const bool is_left = &side == &left;
    receive(side,
            Tins::EthernetII(tins(is_left ? left_mac : right_mac), tins(is_left ? left_peer_mac : right_peer_mac)) /
                Tins::IP(tins(to), tins(from)) / packet);
  }
  static std::string next(RamDevice& side) {
    if (side.sent.empty()) return "nothing";
    const Tins::EthernetII packet = parse(side.sent.front());
    side.sent.pop_front();
    const auto* ip = packet.find_pdu<Tins::IP>();
    if (!ip) return "ARP";
    return packet.src_addr().to_string().substr(15) + " > " + packet.dst_addr().to_string().substr(15) + " " +
           ip->src_addr().to_string() + " > " + ip->dst_addr().to_string();
  }
  static Tins::ICMP echo() { return Tins::ICMP(Tins::ICMP::ECHO_REQUEST); }
};

TEST_F(InterfacesTest, EachAnswersForItsAddress) {
  receive(left, left_peer, left_ip, echo());
  EXPECT_EQ(next(left), "01 > 91 10.0.0.1 > 10.0.0.9");
  receive(right, right_peer, right_ip, echo());
  EXPECT_EQ(next(right), "02 > 92 10.1.0.1 > 10.1.0.9");
  EXPECT_EQ(next(left), "nothing");
}

TEST_F(InterfacesTest, EachAnswersForTheAddressOfTheOther) {
  receive(left, left_peer, right_ip, echo());
  EXPECT_EQ(next(left), "01 > 91 10.1.0.1 > 10.0.0.9");
  receive(right, right_peer, left_ip, echo());
  EXPECT_EQ(next(right), "02 > 92 10.0.0.1 > 10.1.0.9");
}

TEST_F(InterfacesTest, AnswersLeaveByTheRouteOfTheirDestination) {
  receive(left, right_peer, left_ip, echo());
  EXPECT_EQ(next(right), "02 > 92 10.0.0.1 > 10.1.0.9");
  receive(left, far_peer, left_ip, echo() / Tins::RawPDU(pattern(1000)));
  const Tins::EthernetII answer = parse(right.sent.front());
  EXPECT_EQ(answer.rfind_pdu<Tins::RawPDU>().payload().size(), 1000u);
  EXPECT_EQ(next(right), "02 > 92 10.0.0.1 > 192.0.2.1") << "by the gateway";
  EXPECT_EQ(next(left), "nothing");
}

TEST_F(InterfacesTest, ArpOnlyForTheAddressOfTheInterface) {
  receive(left, Tins::ARP::make_arp_request(tins(right_ip), tins(left_peer), tins(left_peer_mac)));
  EXPECT_EQ(next(left), "nothing");
}

TEST_F(InterfacesTest, ConnectionsKeepTheirAddressAndRoute) {
  const auto segment = [&](RamDevice& side, Ipv4Address from, Ipv4Address to, int flags, uint32_t seq, uint32_t ack) {
    Tins::TCP tcp(80, 40000);
    tcp.flags(static_cast<uint16_t>(flags));
    tcp.seq(seq);
    tcp.ack_seq(ack);
    tcp.window(8000);
    receive(side, from, to, tcp);
  };
  const auto open = [&](RamDevice& side, Ipv4Address from, Ipv4Address to) {
    segment(side, from, to, Tins::TCP::SYN, 100, 0);
    ASSERT_FALSE(side.sent.empty());
    const uint32_t isn = parse(side.sent.front()).rfind_pdu<Tins::TCP>().seq();
    EXPECT_NE(next(side), "nothing");
    segment(side, from, to, Tins::TCP::ACK, 101, isn + 1);
  };
  stack.tcp_application<Notes>().stream = pattern(300);
  open(left, left_peer, right_ip);
  EXPECT_EQ(next(left), "01 > 91 10.1.0.1 > 10.0.0.9");
  open(left, left_peer, left_ip);  // the same ports at the other address: another connection
  EXPECT_EQ(next(left), "01 > 91 10.0.0.1 > 10.0.0.9");
  open(right, right_peer, right_ip);
  EXPECT_EQ(next(right), "02 > 92 10.1.0.1 > 10.1.0.9");
  left.sent.clear();
  right.sent.clear();
  for (int i = 0; i < 200; ++i) stack.poll(now += 16);  // all are sent again, each from its address
  std::set<std::string> lefts, rights;
  while (!left.sent.empty()) lefts.insert(next(left));
  while (!right.sent.empty()) rights.insert(next(right));
  EXPECT_EQ(lefts, (std::set<std::string>{"01 > 91 10.1.0.1 > 10.0.0.9", "01 > 91 10.0.0.1 > 10.0.0.9"}));
  EXPECT_EQ(rights, (std::set<std::string>{"02 > 92 10.1.0.1 > 10.1.0.9"}));
}

TEST_F(InterfacesTest, OpensByTheRoute) {
  ASSERT_TRUE(stack.connect<Notes>(left_peer, 80));
  EXPECT_EQ(next(left), "01 > 91 10.0.0.1 > 10.0.0.9");
  ASSERT_TRUE(stack.connect<Notes>(far_peer, 80));
  EXPECT_EQ(next(right), "02 > 92 10.1.0.1 > 192.0.2.1");
}

TEST_F(InterfacesTest, FragmentsOfEachSideAreKeptApart) {
  auto packet = Tins::EthernetII(tins(left_mac), tins(left_peer_mac)) / Tins::IP(tins(left_ip), tins(left_peer)) /
                echo() / Tins::RawPDU(pattern(100));
  Octets whole = packet.serialize();
  const auto fragment = [&](size_t from, size_t n, bool more) {
    Octets frame(whole.begin(), whole.begin() + 34);
    frame.insert(frame.end(), whole.begin() + 34 + static_cast<long>(from),
                 whole.begin() + 34 + static_cast<long>(from + n));
    frame[17] = static_cast<uint8_t>(20 + n);
    frame[19] = 1;
    frame[20] = more ? 0x20 : 0;
    frame[21] = static_cast<uint8_t>(from / 8);
    frame[24] = frame[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 14, 20));
    frame[24] = static_cast<uint8_t>(sum >> 8);
    frame[25] = static_cast<uint8_t>(sum);
    return frame;
  };
  left.waiting = {fragment(0, 56, true)};
  Octets other = fragment(56, 52, false);
  other[5] = 2;
  right.waiting = {other};
  stack.poll(now);
  EXPECT_EQ(next(left) + next(right), "nothingnothing");
  left.waiting = {fragment(56, 52, false)};
  stack.poll(now);
  EXPECT_EQ(next(left), "01 > 91 10.0.0.1 > 10.0.0.9");
}

TEST_F(InterfacesTest, TakesFramesInTurn) {
  for (int i = 0; i < 6; ++i) {
    auto from_left =
        Tins::EthernetII(tins(left_mac), tins(left_peer_mac)) / Tins::IP(tins(left_ip), tins(left_peer)) / echo();
    left.waiting.push_back(bytes(from_left));
  }
  auto from_right =
      Tins::EthernetII(tins(right_mac), tins(right_peer_mac)) / Tins::IP(tins(right_ip), tins(right_peer)) / echo();
  right.waiting.push_back(bytes(from_right));
  stack.poll(now);
  EXPECT_EQ(left.sent.size(), 6u);
  EXPECT_EQ(right.sent.size(), 1u);
}

}  // namespace
}  // namespace avrlan::test
