#include "emulator/net/guard.hpp"

#include <gtest/gtest.h>

#include "emulator/net/user_network.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using Flag = Tins::TCP::Flags;

class GuardTest : public testing::Test {
 protected:
  GuardVerdict examine(const EthernetFrame& frame, bool host_access = false) {
    return Guard(host_access).examine(frame, flows_, Instant());
  }
  std::optional<DropReason> refused(const EthernetFrame& frame, bool host_access = false) {
    const auto verdict = examine(frame, host_access);
    EXPECT_EQ(verdict.pass.empty(), verdict.dropped.has_value());
    return verdict.dropped;
  }
  // A datagram that slirp sends to the board from 10.0.2.2.
  void host_sends(std::uint16_t host_port, std::uint16_t board_port) {
    Tins::EthernetII frame = Tins::EthernetII(guest_mac, gateway_mac) / Tins::IP(guest_ip, gateway_ip) /
                             Tins::UDP(board_port, host_port) / Tins::RawPDU("hello");
    const auto octets = frame.serialize();
    const auto packet = Packet::parse(std::span(octets).subspan(ethernet_header));
    ASSERT_TRUE(packet);
    flows_.to_board(*packet, Instant());
  }
  // A segment of the connection from port 9 to far:80.
  void host_advertises(std::uint32_t acknowledgment, std::uint16_t window) {
    Tins::TCP segment(9, 80);
    segment.flags(Flag::ACK | Flag::SYN);
    segment.ack_seq(acknowledgment);
    segment.window(window);
    Tins::EthernetII frame = Tins::EthernetII(guest_mac, gateway_mac) / Tins::IP(guest_ip, "192.0.2.1") / segment;
    const auto octets = frame.serialize();
    const auto packet = Packet::parse(std::span(octets).subspan(ethernet_header));
    ASSERT_TRUE(packet);
    flows_.to_board(*packet, Instant());
  }
  Flows flows_;
};

constexpr auto passes = std::nullopt;
const std::string far = "192.0.2.1";  // TEST-NET-1, RFC 5737

TEST_F(GuardTest, PassesWhatIsSound) {
  EXPECT_EQ(refused(arp_request(gateway_ip)), passes);
  EXPECT_EQ(refused(arp_reply()), passes);
  EXPECT_EQ(refused(ping(far, 1, 1, "abc")), passes);
  EXPECT_EQ(refused(udp(far, 53, 1000, "abc")), passes);
  EXPECT_EQ(refused(tcp({.destination = far, .destination_port = 80, .source_port = 1000, .flags = Flag::SYN})),
            passes);
}

TEST_F(GuardTest, PassesThePacketWithoutThePadding) {
  const EthernetFrame frame = udp(far, 53, 1000, "abc");
  ASSERT_EQ(frame.octets.size(), 60U);
  EXPECT_EQ(examine(frame).pass,
            std::vector<std::uint8_t>(frame.octets.begin(), frame.octets.begin() + 14 + 20 + 8 + 3));
}

TEST_F(GuardTest, DropsAWrongFcs) {
  EthernetFrame frame = ping(far, 1, 1, "abc");
  frame.octets[59] ^= 1;
  EXPECT_EQ(refused(frame), DropReason::bad_fcs);
}

TEST_F(GuardTest, DropsWhatIsTooShortOrTooLong) {
  EXPECT_EQ(refused(EthernetFrame::with_fcs(std::vector<std::uint8_t>(13))), DropReason::malformed);
  auto octets = ping(far, 1, 1, "abc").octets;
  octets.resize(1515);
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), DropReason::giant);
  octets.resize(1514);
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), passes);
}

TEST_F(GuardTest, IsNobodyElsesMac) {
  auto octets = ping(far, 1, 1, "abc").octets;
  octets[5] = 0x09;
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), DropReason::no_destination);
  octets[5] = 0x03;
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), passes) << "the name server's";
}

TEST_F(GuardTest, DropsIpv6AndOtherProtocols) {
  auto octets = ping(far, 1, 1, "abc").octets;
  octets[12] = 0x86;
  octets[13] = 0xdd;
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), DropReason::no_destination);
  octets[12] = 0x88;
  octets[13] = 0xf8;  // NC-SI, which slirp would take
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), DropReason::no_destination);
  EXPECT_EQ(refused(patched_ip(ping(far, 1, 1, "abc"), 9, {47})), DropReason::no_destination) << "GRE";
}

TEST_F(GuardTest, DropsBrokenArp) {
  const auto arp = arp_request(gateway_ip).octets;
  const auto with = [&arp](std::size_t at, std::uint8_t value) {
    auto octets = arp;
    octets[14 + at] = value;
    return EthernetFrame::with_fcs(octets);
  };
  EXPECT_EQ(refused(with(1, 6)), DropReason::malformed) << "hardware type";
  EXPECT_EQ(refused(with(2, 0)), DropReason::malformed) << "protocol type";
  EXPECT_EQ(refused(with(4, 8)), DropReason::malformed) << "hardware address length";
  EXPECT_EQ(refused(with(5, 16)), DropReason::malformed) << "protocol address length";
  EXPECT_EQ(refused(EthernetFrame::with_fcs(std::span(arp).first(14 + 27))), DropReason::malformed);
  EXPECT_EQ(refused(EthernetFrame::with_fcs(std::span(arp).first(14 + 28))), passes);
}

TEST_F(GuardTest, DropsLengthsThatContradictEachOther) {
  const EthernetFrame echo = ping(far, 1, 1, "abc");
  EXPECT_EQ(refused(patched_ip(echo, 0, {0x65})), DropReason::malformed) << "version 6";
  EXPECT_EQ(refused(patched_ip(echo, 0, {0x44})), DropReason::malformed) << "IHL of 16 octets";
  EXPECT_EQ(refused(patched_ip(echo, 0, {0x4f})), DropReason::malformed) << "IHL beyond the frame";
  EXPECT_EQ(refused(patched_ip(echo, 2, {0, 19})), DropReason::malformed) << "total length below IHL";
  EXPECT_EQ(refused(patched_ip(echo, 2, {0, 27})), DropReason::malformed) << "ICMP of 7 octets";
  EXPECT_EQ(refused(patched_ip(echo, 2, {0, 47})), DropReason::malformed) << "total length beyond the frame";

  // Without a checksum, so that nothing but the lengths is wrong.
  const EthernetFrame datagram = patched_ip(udp(far, 53, 1000, "abc"), 26, {0, 0});
  EXPECT_EQ(refused(datagram), passes);
  EXPECT_EQ(refused(patched_ip(datagram, 2, {3, 0})), DropReason::malformed) << "total length beyond the frame";
  EXPECT_EQ(refused(patched_ip(datagram, 2, {0, 27})), DropReason::malformed) << "UDP header cut";
  EXPECT_EQ(refused(patched_ip(datagram, 24, {0, 7})), DropReason::malformed) << "UDP length below 8";
  EXPECT_EQ(refused(patched_ip(datagram, 24, {0, 12})), DropReason::malformed) << "UDP length beyond the packet";

  // The first word behind the acknowledgment: data offset and flags. The checksum follows it.
  const EthernetFrame segment = tcp({.destination = far, .flags = Flag::SYN});
  const auto with_offset = [&segment](std::uint8_t words) {
    const std::span<const std::uint8_t> tcp_header = std::span(segment.octets).subspan(14 + 20);
    const int sum = read16(tcp_header, 16) + (5 - words) * 0x1000;
    const int folded = sum < 0 ? sum + 0xffff : sum > 0xffff ? sum - 0xffff : sum;
    return patched_ip(
        patched_ip(segment, 36, {static_cast<std::uint8_t>(folded >> 8), static_cast<std::uint8_t>(folded)}), 32,
        {static_cast<std::uint8_t>(words << 4)});
  };
  EXPECT_EQ(refused(with_offset(5)), passes);
  EXPECT_EQ(refused(patched_ip(segment, 2, {0, 39})), DropReason::malformed) << "TCP header cut";
  EXPECT_EQ(refused(with_offset(4)), DropReason::malformed) << "data offset of 16 octets";
  EXPECT_EQ(refused(with_offset(6)), DropReason::malformed) << "data offset beyond the segment";
}

TEST_F(GuardTest, DropsWrongChecksums) {
  auto octets = ping(far, 1, 1, "abc").octets;
  octets[14 + 8] ^= 1;  // TTL, header checksum as it was
  EXPECT_EQ(refused(EthernetFrame::with_fcs(octets)), DropReason::malformed);
  EXPECT_EQ(refused(patched_ip(ping(far, 1, 1, "abc"), 28, {'x'})), DropReason::malformed);
  EXPECT_EQ(refused(patched_ip(udp(far, 53, 1000, "abc"), 28, {'x'})), DropReason::malformed);
  EXPECT_EQ(refused(patched_ip(tcp({.destination = far, .data = "abc"}), 40, {'x'})), DropReason::malformed);
  EXPECT_EQ(refused(patched_ip(udp(far, 53, 1000, "abc"), 26, {0, 0})), passes) << "UDP without a checksum";
}

TEST_F(GuardTest, RefusesFragments) {
  const EthernetFrame echo = ping(far, 1, 1, "abcdefghijkl");
  EXPECT_EQ(refused(patched_ip(echo, 6, {0x20, 0})), DropReason::fragment_refused) << "the first";
  EXPECT_EQ(refused(patched_ip(echo, 6, {0x00, 1})), DropReason::fragment_refused) << "the last";
  EXPECT_EQ(refused(patched_ip(echo, 6, {0x40, 0})), passes) << "don't fragment";
}

TEST_F(GuardTest, ClearsTheUrgentPointerAndMendsTheChecksum) {
  for (const bool urgent : {true, false}) {
    const auto flags = static_cast<std::uint16_t>(urgent ? Flag::ACK | Flag::URG : Flag::ACK);
    const auto verdict = examine(tcp({.destination = far,
                                      .destination_port = 80,
                                      .source_port = 1000,
                                      .sequence = 0xffffff00,
                                      .flags = flags,
                                      .urgent_pointer = 0xfff0,
                                      .data = "abcde"}));
    ASSERT_FALSE(verdict.dropped);
    Tins::EthernetII passed(verdict.pass.data(), static_cast<std::uint32_t>(verdict.pass.size()));
    const auto& segment = passed.rfind_pdu<Tins::TCP>();
    EXPECT_EQ(segment.flags(), Flag::ACK);
    EXPECT_EQ(segment.urg_ptr(), 0);
    EXPECT_EQ(resent(verdict.pass), verdict.pass) << "libtins computes the same checksum";
    EXPECT_EQ(text_of(passed), "abcde");
  }
}

TEST_F(GuardTest, ClearsTheOptionsOfARepeatedSynOnly) {
  for (const bool repeated : {false, true}) {
    const auto verdict = examine(tcp({.destination = far,
                                      .destination_port = 80,
                                      .source_port = 1000,
                                      .sequence = 7,
                                      .flags = Flag::SYN,
                                      .mss = 1460}));
    ASSERT_FALSE(verdict.dropped);
    Tins::EthernetII passed(verdict.pass.data(), static_cast<std::uint32_t>(verdict.pass.size()));
    EXPECT_EQ(passed.rfind_pdu<Tins::TCP>().search_option(Tins::TCP::MSS) == nullptr, repeated);
    EXPECT_EQ(resent(verdict.pass), verdict.pass) << "libtins computes the same checksum";
  }
}

TEST_F(GuardTest, RefusesTheLoopbackEvenWithHostAccess) {
  for (const bool access : {false, true}) {
    EXPECT_EQ(refused(udp("127.0.0.1", 53, 1000, "x"), access), DropReason::loopback_refused);
    EXPECT_EQ(refused(ping("127.255.0.9", 1, 1, "x"), access), DropReason::loopback_refused);
    EXPECT_EQ(refused(tcp({.destination = "0.0.0.0", .destination_port = 22, .flags = Flag::SYN}), access),
              DropReason::loopback_refused);
    EXPECT_EQ(refused(udp("127.0.0.1", 67, 68, "x"), access), DropReason::loopback_refused);
  }
}

TEST_F(GuardTest, KnowsNoRouteToItsOwnNetworkAndToGroups) {
  EXPECT_EQ(refused(udp("10.0.2.99", 7, 1000, "x")), DropReason::no_destination);
  EXPECT_EQ(refused(udp("10.0.2.255", 7, 1000, "x")), DropReason::no_destination);
  EXPECT_EQ(refused(udp("224.0.0.251", 5353, 5353, "x")), DropReason::no_destination);
}

TEST_F(GuardTest, AnswersASynToTheHostWithReset) {
  const auto verdict = examine(tcp({.destination_port = 22, .source_port = 5000, .sequence = 41, .flags = Flag::SYN}));
  EXPECT_EQ(verdict.dropped, DropReason::host_access_refused);
  ASSERT_FALSE(verdict.answer.empty());
  Tins::EthernetII answer(verdict.answer.data(), static_cast<std::uint32_t>(verdict.answer.size()));
  EXPECT_EQ(answer.dst_addr(), guest_mac);
  EXPECT_EQ(answer.src_addr(), gateway_mac);
  EXPECT_EQ(answer.rfind_pdu<Tins::IP>().src_addr(), gateway_ip);
  EXPECT_EQ(answer.rfind_pdu<Tins::IP>().dst_addr(), guest_ip);
  const auto& reset = answer.rfind_pdu<Tins::TCP>();
  EXPECT_EQ(reset.flags(), Flag::RST | Flag::ACK);
  EXPECT_EQ(reset.sport(), 22);
  EXPECT_EQ(reset.dport(), 5000);
  EXPECT_EQ(reset.seq(), 0U);
  EXPECT_EQ(reset.ack_seq(), 42U);
  EXPECT_EQ(resent(verdict.answer), verdict.answer) << "both checksums are right";
}

TEST_F(GuardTest, AnswersADatagramToTheHostWithPortUnreachable) {
  const EthernetFrame datagram = udp(gateway_ip, 514, 5000, "log");
  const auto verdict = examine(datagram);
  EXPECT_EQ(verdict.dropped, DropReason::host_access_refused);
  ASSERT_FALSE(verdict.answer.empty());
  Tins::EthernetII answer(verdict.answer.data(), static_cast<std::uint32_t>(verdict.answer.size()));
  const auto& icmp = answer.rfind_pdu<Tins::ICMP>();
  EXPECT_EQ(icmp.type(), Tins::ICMP::DEST_UNREACHABLE);
  EXPECT_EQ(icmp.code(), 3);
  EXPECT_EQ(answer.rfind_pdu<Tins::RawPDU>().payload(),
            std::vector<std::uint8_t>(datagram.octets.begin() + 14, datagram.octets.begin() + 14 + 28));
  EXPECT_EQ(resent(verdict.answer), verdict.answer) << "both checksums are right";
}

TEST_F(GuardTest, RefusesTheLimitedBroadcastWhichIsTheHostToo) {
  const auto verdict = examine(udp("255.255.255.255", 514, 5000, "log"));
  EXPECT_EQ(verdict.dropped, DropReason::host_access_refused);
  EXPECT_TRUE(verdict.answer.empty()) << "no answer to a broadcast";
  EXPECT_EQ(refused(ping("255.255.255.255", 1, 1, "x")), DropReason::host_access_refused);
}

TEST_F(GuardTest, LetsTheGatewaysOwnServicesBe) {
  EXPECT_EQ(refused(dhcp(Tins::DHCP::DISCOVER)), passes);
  EXPECT_EQ(refused(udp(gateway_ip, 67, 68, "renew")), passes);
  EXPECT_EQ(refused(udp(gateway_ip, 69, 1000, "tftp")), passes);
  EXPECT_EQ(refused(udp("10.0.2.3", 53, 1000, "query")), passes);
  EXPECT_EQ(refused(ping(gateway_ip, 1, 1, "x")), passes);
  EXPECT_EQ(refused(ping("10.0.2.3", 1, 1, "x")), passes);
}

TEST_F(GuardTest, LetsForwardedConnectionsAnswer) {
  EXPECT_EQ(refused(tcp({.destination_port = 50'000, .source_port = 80, .flags = Flag::SYN | Flag::ACK})), passes);
  EXPECT_EQ(refused(tcp({.destination_port = 50'000, .source_port = 80, .flags = Flag::ACK, .data = "page"})), passes);
  host_sends(50'000, 7);
  EXPECT_EQ(refused(udp(gateway_ip, 50'000, 7, "echo")), passes);
  EXPECT_EQ(refused(udp(gateway_ip, 50'001, 7, "echo")), DropReason::host_access_refused) << "not whom it came from";
  EXPECT_EQ(refused(udp(gateway_ip, 50'000, 8, "echo")), DropReason::host_access_refused) << "not who was asked";
}

TEST_F(GuardTest, KeepsSlirpFromDataThatEndAtSequenceNumberZero) {
  const auto data = [](std::uint32_t sequence, const std::string& text, std::uint16_t flags = Flag::ACK) {
    return tcp({.destination = far,
                .destination_port = 80,
                .source_port = 9,
                .sequence = sequence,
                .flags = flags,
                .data = text});
  };
  EXPECT_EQ(refused(data(0xffffffff, "", Flag::SYN)), passes);
  EXPECT_EQ(refused(data(0xfffffffe, "a", Flag::SYN)), DropReason::backend_full);
  EXPECT_EQ(refused(data(0xfffffffd, "abc")), DropReason::backend_full);
  EXPECT_EQ(refused(data(0xfffffffd, "abcd")), DropReason::backend_full) << "the window is not known";
  EXPECT_EQ(refused(data(0, "", Flag::ACK | Flag::FIN)), DropReason::backend_full);
  EXPECT_EQ(refused(data(0, "", Flag::ACK)), passes);
  EXPECT_EQ(refused(data(0, "a", Flag::ACK)), passes);

  host_advertises(0xfffffffd, 4);
  EXPECT_EQ(refused(data(0xfffffffd, "abcd")), passes);
  EXPECT_EQ(refused(data(0xfffffffd, "abcde")), DropReason::backend_full) << "the window could cut it";
  EXPECT_EQ(refused(data(0xfffffffd, "abc")), DropReason::backend_full);
  host_advertises(0xfffffffd, 2);
  EXPECT_EQ(refused(data(0xfffffffd, "abcd")), passes) << "a window never shrinks";
}

TEST_F(GuardTest, OpensTheHostOnRequest) {
  EXPECT_EQ(refused(tcp({.destination_port = 22, .flags = Flag::SYN}), true), passes);
  EXPECT_EQ(refused(udp(gateway_ip, 514, 5000, "log"), true), passes);
}

TEST_F(GuardTest, RefusesMoreConversationsThanAreTracked) {
  for (std::uint16_t port = 1; port <= Flows::limit; ++port) {
    ASSERT_EQ(refused(tcp({.destination = far, .destination_port = port, .source_port = 9, .flags = Flag::SYN})),
              passes);
  }
  EXPECT_EQ(refused(tcp({.destination = far, .destination_port = 9999, .source_port = 9, .flags = Flag::SYN})),
            DropReason::backend_full);
  EXPECT_EQ(refused(udp(far, 53, 1, "x")), DropReason::backend_full);
  EXPECT_EQ(refused(tcp({.destination = far, .destination_port = 1, .source_port = 9, .flags = Flag::ACK})), passes);
}

}  // namespace
}  // namespace avrlan::net
