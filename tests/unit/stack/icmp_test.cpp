// ICMP errors of the full profile. What is not sent and not heard in either is in ipv4_test.cpp and tcp_attack_test.cpp.
#include "stack/app/echo.hpp"
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Errors : tcpip::Full {
  using Device = RamDevice;
  static constexpr bool counters = true;
  using TcpApplications = tcpip::List<Notes>;
  using UdpApplications = tcpip::List<tcpip::UdpEcho>;
};

struct IcmpTest : testing::Test {
  Bench<Errors> bench;

  IcmpTest() { bench.introduce(); }

  static Tins::EthernetII datagram(uint16_t port, Ipv4Address to = our_ip) {
    return Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(to), tins(peer_ip)) / Tins::UDP(port, 5000) /
           Tins::RawPDU("data of the datagram");
  }
  static Octets protocol(int protocol) {
    auto packet = datagram(7);
    Octets frame = bytes(packet);
    frame[23] = static_cast<uint8_t>(protocol);
    mend_checksum(frame);
    return frame;
  }
  static void mend_checksum(Octets& frame) {
    frame[24] = frame[25] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 14, (frame[14] & 0xfu) * 4));
    frame[24] = static_cast<uint8_t>(sum >> 8);
    frame[25] = static_cast<uint8_t>(sum);
  }

  // "3/2 quoting 28", "nothing": what came back, and how many octets of `frame`'s datagram it quotes unchanged.
  std::string error_about(const Octets& frame) {
    const Octets answer = bench.next_frame();
    if (answer.empty()) return "nothing";
    const Tins::EthernetII packet(answer.data(), static_cast<uint32_t>(answer.size()));
    const auto* icmp = packet.find_pdu<Tins::ICMP>();
    if (!icmp) return "no ICMP";
    const auto& ip = packet.rfind_pdu<Tins::IP>();
    EXPECT_EQ(packet.dst_addr(), tins(peer_mac));
    EXPECT_EQ(ip.dst_addr(), tins(peer_ip));
    EXPECT_GE(ip.ttl(), 32);
    EXPECT_EQ(reference_sum(answer.data() + 34, ip.tot_len() - 20u), 0xffff);
    const size_t quote = ip.tot_len() - 28u;
    EXPECT_TRUE(std::equal(answer.begin() + 42, answer.begin() + 42 + static_cast<long>(quote), frame.begin() + 14));
    EXPECT_EQ(Octets(answer.begin() + 38, answer.begin() + 42), Octets(4));
    return std::to_string(icmp->type()) + "/" + std::to_string(icmp->code()) + " quoting " + std::to_string(quote);
  }
  std::string error_after(const Octets& frame) {
    bench.receive(frame);
    return error_about(frame);
  }

  // A message of type 3 about a segment of ours.
  void refuse(int code, const Octets& segment, size_t quoted = 28) {
    Tins::ICMP icmp(Tins::ICMP::DEST_UNREACHABLE);
    icmp.code(static_cast<uint8_t>(code));
    Octets quote(segment.begin() + 14, segment.begin() + 14 + static_cast<long>(quoted));
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / icmp;
    Octets frame = packet.serialize();
    frame.resize(42);
    frame.insert(frame.end(), quote.begin(), quote.end());
    frame[16] = 0;
    frame[17] = static_cast<uint8_t>(28 + quoted);
    frame[36] = frame[37] = 0;
    const auto sum = static_cast<uint16_t>(~reference_sum(frame.data() + 34, 8 + quoted));
    frame[36] = static_cast<uint8_t>(sum >> 8);
    frame[37] = static_cast<uint8_t>(sum);
    mend_checksum(frame);
    if (frame.size() < 60) frame.resize(60);
    bench.receive(frame);
  }
};

// IC-7, IC-9
TEST_F(IcmpTest, ProtocolUnreachable) {
  EXPECT_EQ(error_after(protocol(253)), "3/2 quoting 28");
  Octets options = protocol(4);
  options.insert(options.begin() + 34, 40, 1);
  options[14] = 0x4f;
  options[17] = static_cast<uint8_t>(options[17] + 40);
  mend_checksum(options);
  EXPECT_EQ(error_after(options), "3/2 quoting 68");
  Octets empty = protocol(253);
  empty[17] = 23;
  mend_checksum(empty);
  EXPECT_EQ(error_after(empty), "3/2 quoting 23");
}

// IC-8
TEST_F(IcmpTest, PortUnreachable) {
  auto packet = datagram(9);
  EXPECT_EQ(error_after(bytes(packet)), "3/3 quoting 28");
  Octets wrong = bytes(packet);
  wrong[50] ^= 1;
  EXPECT_EQ(error_after(wrong), "nothing") << "a wrong checksum: who knows what port it was for";
}

// IC-9, I-9
TEST_F(IcmpTest, AFewErrorsASecond) {
  for (int i = 0; i < 1000; ++i) bench.receive(protocol(253));
  EXPECT_EQ(bench.sent().size(), 4u);
  bench.run_for(1000);
  bench.sent().clear();
  EXPECT_EQ(error_after(protocol(253)), "3/2 quoting 28");
}

// IC-6
TEST_F(IcmpTest, NoErrorsAboutBroadcastsErrorsAndLaterFragments) {
  auto broadcast = datagram(9, {{10, 0, 0, 255}});
  EXPECT_EQ(error_after(bytes(broadcast)), "nothing");
  auto unicast = datagram(9);
  Octets frame = bytes(unicast);
  std::fill_n(frame.begin(), 6, 0xff);
  EXPECT_EQ(error_after(frame), "nothing");
  frame = protocol(253);
  frame[21] = 1;
  mend_checksum(frame);
  EXPECT_EQ(error_after(frame), "nothing");
  for (const int type : {3, 4, 5, 11, 12, 42}) {
    auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) /
                  Tins::ICMP(static_cast<Tins::ICMP::Flags>(type));
    EXPECT_EQ(error_after(bytes(packet)), "nothing") << type;
  }
}

// IP-15
TEST_F(IcmpTest, TimeExceededWhenTheFirstFragmentIsInHand) {
  Octets first = protocol(17);
  first[17] = 44;
  first[20] = 0x20;
  mend_checksum(first);
  bench.receive(first);
  bench.run_for(58'000);
  EXPECT_TRUE(bench.silent());
  bench.run_for(3'000);
  EXPECT_EQ(error_about(first), "11/1 quoting 28");
  EXPECT_TRUE(bench.silent());

  Octets second = first;
  second[21] = 3;
  mend_checksum(second);
  bench.receive(second);
  bench.run_for(61'000);
  EXPECT_TRUE(bench.silent()) << "not without the first";

  Octets error = first;
  error[23] = 1;
  error[34] = 3;
  mend_checksum(error);
  bench.receive(error);
  bench.run_for(61'000);
  EXPECT_TRUE(bench.silent()) << "not about an ICMP error";
}

TEST_F(IcmpTest, TimeExceededWaitsForAnAddress) {
  bench.run_for(250'000);  // the peer is forgotten
  Octets first = protocol(17);
  first[17] = 44;
  first[20] = 0x20;
  mend_checksum(first);
  bench.receive(first);
  while (bench.silent()) bench.run_for(100);
  EXPECT_EQ(describe_arp(bench.next_frame()), "all: who-has 10.0.0.9 tell 10.0.0.1");
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(peer_ip), tins(our_mac), tins(peer_mac)));
  bench.run_for(1'000);
  EXPECT_EQ(error_about(first), "11/1 quoting 28");
  bench.run_for(5'000);
  EXPECT_TRUE(bench.silent());
}

TEST_F(IcmpTest, NoTimeExceededForAFlood) {
  for (uint16_t id = 0; id < 40; ++id) {
    Octets first = protocol(17);
    first[17] = 44;
    first[19] = static_cast<uint8_t>(id);
    first[20] = 0x20;
    mend_checksum(first);
    bench.receive(first);
  }
  bench.run_for(61'000);
  EXPECT_EQ(bench.sent().size(), 2u);
}

// AR-6
TEST_F(IcmpTest, EchoFromBehindAnUnknownGatewayWaitsForIt) {
  const auto ping = [&](const char* data) {
    bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), "192.0.2.1") /
                  Tins::ICMP(Tins::ICMP::ECHO_REQUEST) / Tins::RawPDU(data));
  };
  ping("first");
  EXPECT_EQ(describe_arp(bench.next_frame()), "all: who-has 10.0.0.254 tell 10.0.0.1");
  ping("latest");
  EXPECT_TRUE(bench.silent());
  bench.receive(Tins::ARP::make_arp_reply(tins(our_ip), tins(gateway_ip), tins(our_mac), tins(peer_mac)));
  const Tins::EthernetII reply = parse(bench.next_frame());
  EXPECT_EQ(reply.rfind_pdu<Tins::ICMP>().type(), Tins::ICMP::ECHO_REPLY);
  EXPECT_EQ(reply.rfind_pdu<Tins::IP>().dst_addr(), "192.0.2.1");
  EXPECT_EQ(reply.rfind_pdu<Tins::RawPDU>().payload(), Octets({'l', 'a', 't', 'e', 's', 't'}));
  EXPECT_TRUE(bench.silent());
  ping("again");
  EXPECT_EQ(bench.sent().size(), 1u);
}

TEST_F(IcmpTest, WhatWaitedTooLongIsForgotten) {
  bench.receive(Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), "192.0.2.1") /
                Tins::ICMP(Tins::ICMP::ECHO_REQUEST));
  bench.run_for(7'000);
  bench.sent().clear();
  bench.introduce(gateway_ip);
  EXPECT_TRUE(bench.silent());
}

// IC-11: only while the connection is being opened, and only by what quotes its SYN.
TEST_F(IcmpTest, RefusedWhileOpening) {
  for (int code = 0; code <= 15; ++code) {
    Notes& notes = bench.stack.tcp_application<Notes>();
    notes.events.clear();
    ASSERT_TRUE(bench.stack.connect<Notes>(peer_ip, 80));
    const Octets syn = bench.next_frame();
    for (const size_t octet : {14u, 23u, 29u, 33u, 35u, 37u, 38u, 41u}) {
      Octets wrong = syn;
      wrong[octet] ^= 1;
      refuse(code, wrong);
    }
    refuse(code, syn, 27);
    refuse(code, syn, 1);
    EXPECT_EQ(notes.events, "") << code;
    refuse(code, syn);
    EXPECT_EQ(notes.events, code >= 2 && code <= 4 ? "aborted " : "") << code;
    if (notes.events.empty()) notes.connection = nullptr;
    bench.stack.configure({{10, 0, 0, 2}}, net_mask, gateway_ip);
    bench.stack.configure(our_ip, net_mask, gateway_ip);
    bench.sent().clear();
  }
}

// IC-10, IC-12, C-5
TEST_F(IcmpTest, AnOpenConnectionStays) {
  TcpPeer<Bench<Errors>> peer(bench);
  Notes& notes = bench.stack.tcp_application<Notes>();
  notes.stream = pattern(100);
  peer.open();
  const Octets segment = bench.sent().front();
  EXPECT_EQ(peer.next().substr(0, 11), "PSH ACK 1+1");
  for (int code = 0; code <= 15; ++code) refuse(code, segment);
  peer.send("ACK", 1, 101, "more");
  EXPECT_EQ(notes.data, "more");
  EXPECT_EQ(notes.events, "connected ");
}

TEST_F(IcmpTest, ChecksumOfAnErrorIsChecked) {
  ASSERT_TRUE(bench.stack.connect<Notes>(peer_ip, 80));
  const Octets syn = bench.next_frame();
  bench.stack.device().waiting.clear();
  Octets frame;
  refuse(0, syn);
  Tins::ICMP icmp(Tins::ICMP::DEST_UNREACHABLE);
  icmp.code(3);
  auto packet = Tins::EthernetII(tins(our_mac), tins(peer_mac)) / Tins::IP(tins(our_ip), tins(peer_ip)) / icmp;
  frame = packet.serialize();
  frame.resize(42);
  frame.insert(frame.end(), syn.begin() + 14, syn.begin() + 42);
  frame[17] = 56;
  mend_checksum(frame);
  bench.receive(frame);
  EXPECT_EQ(bench.stack.tcp_application<Notes>().events, "");
}

}  // namespace
}  // namespace avrlan::test
