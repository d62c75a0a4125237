#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

struct Sink : tcpip::TcpApplication {
  static constexpr uint16_t port = 80;
};

struct Plain : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<Sink>;
  static constexpr bool counters = true;
};

struct Ipv4Test : testing::Test {
  Bench<Plain> bench;

  Ipv4Test() { bench.introduce(); }

  static Tins::EthernetII echo(const std::string& data, Ipv4Address to = our_ip, Ipv4Address from = peer_ip) {
    Tins::ICMP icmp(Tins::ICMP::ECHO_REQUEST);
    icmp.id(0x1234);
    icmp.sequence(7);
    return Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(to), tins(from)) / icmp / Tins::RawPDU(data);
  }
  static Octets echo_frame(const std::string& data = "abc") {
    auto packet = echo(data);
    return bytes(packet);
  }
  // After a change of the IP header.
  static void mend_checksum(Octets& frame) {
    const size_t n = std::min<size_t>((frame[14] & 0x0fu) * 4u, frame.size() - 14);
    frame[24] = frame[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 14, n));
    frame[24] = static_cast<uint8_t>(sum >> 8);
    frame[25] = static_cast<uint8_t>(sum);
  }
  bool answers(const Octets& frame) {
    bench.sent().clear();
    bench.receive(frame);
    return !bench.silent();
  }
  bool alive() { return answers(echo_frame()); }
};

// IC-1
TEST_F(Ipv4Test, EchoesEveryLengthUnchanged) {
  for (size_t n = 0; n <= 1472; n += n < 64 ? 1 : 101) {
    std::string data;
    for (size_t i = 0; i < n; ++i) data.push_back(static_cast<char>(i * 7 + n));
    bench.receive(echo(data));
    const Tins::EthernetII reply = parse(bench.next_frame());
    const auto& icmp = reply.rfind_pdu<Tins::ICMP>();
    EXPECT_EQ(icmp.type(), Tins::ICMP::ECHO_REPLY);
    EXPECT_EQ(icmp.id(), 0x1234);
    EXPECT_EQ(icmp.sequence(), 7);
    EXPECT_EQ(reply.rfind_pdu<Tins::IP>().src_addr(), tins(our_ip));
    EXPECT_GE(reply.rfind_pdu<Tins::IP>().ttl(), 32);
    const auto* raw = reply.find_pdu<Tins::RawPDU>();
    ASSERT_EQ(raw ? std::string(raw->payload().begin(), raw->payload().end()) : "", data);
  }
}

// L-3: what comes after the datagram is not ours to send.
TEST_F(Ipv4Test, PaddingIsNotEchoed) {
  Octets frame = echo_frame("x");
  std::fill(frame.begin() + 14 + 29, frame.end(), 0xaa);
  bench.receive(frame);
  const Octets reply = bench.next_frame();
  ASSERT_EQ(reply.size(), 60u);
  EXPECT_EQ(reply[16] << 8 | reply[17], 29);
  EXPECT_TRUE(std::all_of(reply.begin() + 14 + 29, reply.end(), [](uint8_t o) { return o == 0; }));
}

// IC-2, IC-3, IC-5, IC-15, C-1, C-2, C-6, C-8
TEST_F(Ipv4Test, AnswersNoOtherIcmp) {
  Octets frame = echo_frame();
  frame[36] ^= 1;
  EXPECT_FALSE(answers(frame));
  for (const int type : {0, 3, 4, 5, 9, 10, 11, 12, 13, 15, 17, 18, 42}) {
    Tins::ICMP icmp(static_cast<Tins::ICMP::Flags>(type));
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / icmp;
    EXPECT_FALSE(answers(bytes(packet))) << type;
  }
  for (uint8_t n = 0; n < 8; ++n) {
    frame = echo_frame();
    frame[17] = static_cast<uint8_t>(20 + n);
    std::fill(frame.begin() + 34 + n, frame.end(), 0);
    frame[36] = frame[37] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 34, n));
    frame[36] = static_cast<uint8_t>(sum >> 8);
    frame[37] = static_cast<uint8_t>(sum);
    mend_checksum(frame);
    EXPECT_FALSE(answers(frame)) << n;
  }
  EXPECT_TRUE(alive());
}

// IC-4, IP-7, IP-10, C-7
TEST_F(Ipv4Test, AnswersOnlyWhatIsSentToItAlone) {
  for (const Ipv4Address to : {Ipv4Address{{10, 0, 0, 255}}, Ipv4Address{{255, 255, 255, 255}},
                               Ipv4Address{{224, 0, 0, 1}}, Ipv4Address{{10, 0, 0, 2}}, Ipv4Address{{127, 0, 0, 1}}}) {
    auto packet = echo("abc", to);
    EXPECT_FALSE(answers(bytes(packet)));
  }
  Octets frame = echo_frame();
  std::fill_n(frame.begin(), 6, 0xff);
  EXPECT_FALSE(answers(frame));
}

// IP-8, IP-9, I-6, I-7
TEST_F(Ipv4Test, DropsSourcesThatNoHostHas) {
  for (const Ipv4Address from :
       {Ipv4Address{{255, 255, 255, 255}}, Ipv4Address{{224, 0, 0, 1}}, Ipv4Address{{240, 0, 0, 1}},
        Ipv4Address{{127, 0, 0, 1}}, Ipv4Address{{0, 0, 0, 0}}, Ipv4Address{{10, 0, 0, 255}}, our_ip}) {
    auto packet = echo("abc", our_ip, from);
    EXPECT_FALSE(answers(bytes(packet))) << tins(from);
  }
  EXPECT_TRUE(alive());
}

// IP-1, IP-2, I-5
TEST_F(Ipv4Test, ChecksVersionAndChecksum) {
  for (uint8_t version = 0; version < 16; ++version) {
    Octets frame = echo_frame();
    frame[14] = static_cast<uint8_t>(version << 4 | 5);
    mend_checksum(frame);
    EXPECT_EQ(answers(frame), version == 4);
  }
  for (size_t bit = 0; bit < 160; ++bit) {
    Octets frame = echo_frame();
    frame[14 + bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(answers(frame)) << bit;
  }
}

// IP-3, I-1, I-2, I-3
TEST_F(Ipv4Test, ChecksLengths) {
  for (const int total : {0, 1, 10, 19, 20, 27, 47, 1500, 0xffff}) {
    Octets frame = echo_frame();
    frame[16] = static_cast<uint8_t>(total >> 8);
    frame[17] = static_cast<uint8_t>(total);
    mend_checksum(frame);
    EXPECT_FALSE(answers(frame)) << total;
  }
  for (const int ihl : {0, 1, 4, 8, 15}) {
    Octets frame = echo_frame();
    frame[14] = static_cast<uint8_t>(0x40 | ihl);
    mend_checksum(frame);
    EXPECT_FALSE(answers(frame)) << ihl;
  }
  EXPECT_TRUE(alive());
}

// IP-4, I-4
TEST_F(Ipv4Test, SkipsOptions) {
  for (const Octets& options : {Octets{1, 1, 1, 1}, Octets{1, 7, 7, 4, 0, 0, 0, 0}, Octets{7, 0, 0, 0},
                                Octets{0x83, 7, 4, 10, 0, 0, 2, 0}, Octets{0x89, 255, 4, 0}, Octets(40, 1)}) {
    Octets frame = echo_frame("options");
    frame.insert(frame.begin() + 34, options.begin(), options.end());
    frame[14] = static_cast<uint8_t>(0x45 + options.size() / 4);
    frame[17] = static_cast<uint8_t>(20 + options.size() + 8 + 7);
    mend_checksum(frame);
    bench.receive(frame);
    const Tins::EthernetII reply = parse(bench.next_frame());
    EXPECT_EQ(reply.rfind_pdu<Tins::IP>().header_size(), 20u);
    const auto& payload = reply.rfind_pdu<Tins::RawPDU>().payload();
    EXPECT_EQ(std::string(payload.begin(), payload.end()), "options");
  }
}

// IP-6
TEST_F(Ipv4Test, DeliversWhateverTheTimeToLive) {
  for (uint8_t ttl = 0; ttl != 2; ++ttl) {
    Octets frame = echo_frame();
    frame[22] = ttl;
    mend_checksum(frame);
    EXPECT_TRUE(answers(frame));
  }
}

// IP-11
TEST_F(Ipv4Test, IdentificationChanges) {
  std::set<uint16_t> ids;
  for (int i = 0; i < 100; ++i) {
    bench.receive(echo("abc"));
    ids.insert(parse(bench.next_frame()).rfind_pdu<Tins::IP>().id());
  }
  EXPECT_EQ(ids.size(), 100u);
}

TEST_F(Ipv4Test, CountsUnknownProtocols) {
  Octets frame;
  for (const int protocol : {0, 2, 4, 17, 41, 253}) {
    frame = echo_frame();
    frame[23] = static_cast<uint8_t>(protocol);
    mend_checksum(frame);
    EXPECT_FALSE(answers(frame)) << protocol;
  }
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::protocol), 6);
  // "Do not fragment" is no fragment.
  frame = echo_frame();
  frame[20] = 0x40;
  mend_checksum(frame);
  EXPECT_TRUE(answers(frame));
}

TEST_F(Ipv4Test, StuckTransmitterIsCounted) {
  bench.stack.device().stuck = true;
  bench.receive(echo("abc"));
  EXPECT_TRUE(bench.silent());
  EXPECT_EQ(bench.stack.counters().dropped(tcpip::Drop::transmitter), 1);
}

TEST(Ipv4Unconfigured, AnswersNothing) {
  Bench<Plain> bench(false);
  bench.receive(Ipv4Test::echo("abc", {{0, 0, 0, 0}}));
  bench.receive(Ipv4Test::echo("abc", {{255, 255, 255, 255}}));
  bench.receive(Tins::ARP::make_arp_request(tins(Ipv4Address{{0, 0, 0, 0}}), tins(peer_ip), tins(peer_mac)));
  EXPECT_TRUE(bench.silent());
}

}  // namespace
}  // namespace avrlan::test
