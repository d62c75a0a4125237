#include "emulator/net/decode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Octets = std::vector<std::uint8_t>;

auto has(const char* name, const std::string& value) {
  return Contains(Field{name, value});
}
auto is_malformed() {
  return Contains(testing::Field(&Field::name, "_ws.malformed"));
}
std::vector<Field> decode(const EthernetFrame& frame) {
  return net::decode(frame.octets);
}

TEST(Decode, Arp) {
  EXPECT_THAT(decode(arp_request(gateway_ip)),
              AllOf(has("eth.dst", "ff:ff:ff:ff:ff:ff"), has("eth.src", guest_mac), has("eth.type", "0x0806"),
                    has("arp.opcode", "1 (request)"), has("arp.src.hw_mac", guest_mac),
                    has("arp.src.proto_ipv4", guest_ip), has("arp.dst.proto_ipv4", gateway_ip), Not(is_malformed())));
}

TEST(Decode, PingWithItsData) {
  EXPECT_THAT(
      decode(ping(gateway_ip, 0x1234, 7, "0123456789")),
      AllOf(has("ip.src", guest_ip), has("ip.dst", gateway_ip), has("ip.proto", "1"), has("ip.len", "38"),
            has("icmp.type", "8"), has("icmp.ident", "0x1234"), has("icmp.seq", "7"),
            has("data", "0000: 30 31 32 33 34 35 36 37 01234567"), has("data", "0008: 38 39                   89")));
}

TEST(Decode, TcpOptionsAndFlags) {
  Tins::EthernetII frame = Tins::EthernetII(gateway_mac, guest_mac) / Tins::IP(gateway_ip, guest_ip) /
                           Tins::TCP(49152, 80) / Tins::RawPDU("GET");
  auto& segment = frame.rfind_pdu<Tins::TCP>();
  segment.flags(Tins::TCP::SYN | Tins::TCP::ACK);
  segment.seq(0xfffffffe);
  segment.ack_seq(7);
  segment.window(1072);
  segment.mss(1460);
  segment.winscale(3);
  segment.sack_permitted();
  segment.timestamp(5, 6);
  segment.sack({100, 200});
  EXPECT_THAT(
      decode(to_frame(frame)),
      AllOf(has("tcp.srcport", "80"), has("tcp.dstport", "49152"), has("tcp.seq_raw", "4294967294"),
            has("tcp.ack_raw", "7"), has("tcp.flags", "0x0012 [SYN, ACK]"), has("tcp.window_size_value", "1072"),
            has("tcp.options.mss_val", "1460"), has("tcp.options.wscale.shift", "3"), has("tcp.options.sack_perm", ""),
            has("tcp.options.timestamp.tsval", "5"), has("tcp.options.timestamp.tsecr", "6"),
            has("tcp.options.sack_le", "100"), has("tcp.options.sack_re", "200"), has("tcp.len", "3"),
            has("tcp.payload", "0000: 47 45 54                GET"), Not(is_malformed())));
}

TEST(Decode, SaysWhetherAChecksumIsRight) {
  EthernetFrame frame = tcp({.destination_port = 80, .source_port = 5, .data = "abc"});
  const auto checksum = [&] {
    std::string all;
    for (const Field& field : decode(frame)) {
      if (field.name.ends_with("checksum")) all += field.value.substr(6);
    }
    return all;
  };
  EXPECT_EQ(checksum(), " [correct] [correct]");
  frame.octets[54] ^= 1;
  EXPECT_EQ(checksum(), " [correct] [incorrect]");
  frame.octets[22] ^= 1;  // TTL
  EXPECT_EQ(checksum(), " [incorrect] [incorrect]");
}

TEST(Decode, Dhcp) {
  EXPECT_THAT(decode(dhcp(Tins::DHCP::REQUEST, "10.0.2.15")),
              AllOf(has("udp.srcport", "68"), has("udp.dstport", "67"), has("dhcp.option.dhcp", "Request"),
                    has("dhcp.option.requested_ip_address", "10.0.2.15"), has("dhcp.hw.mac_addr", guest_mac),
                    has("dhcp.option.end", ""), Not(is_malformed())));
}

TEST(Decode, DnsWithCompressedNames) {
  Tins::DNS message;
  message.id(0x1234);
  message.type(Tins::DNS::RESPONSE);
  message.add_query({"ntp.example", Tins::DNS::A, Tins::DNS::IN});
  message.add_answer({"ntp.example", "time.example", Tins::DNS::CNAME, Tins::DNS::IN, 60});
  message.add_answer({"time.example", "192.0.2.7", Tins::DNS::A, Tins::DNS::IN, 61});
  Tins::EthernetII frame =
      Tins::EthernetII(guest_mac, gateway_mac) / Tins::IP(guest_ip, "10.0.2.3") / Tins::UDP(49200, 53) / message;
  EXPECT_THAT(decode(to_frame(frame)),
              AllOf(has("dns.id", "0x1234"), has("dns.count.answers", "2"), has("dns.qry.name", "ntp.example"),
                    has("dns.resp.name", "time.example"), has("dns.cname", "time.example"), has("dns.a", "192.0.2.7"),
                    has("dns.resp.ttl", "61"), Not(is_malformed())));
}

TEST(Decode, ANameThatPointsAtItselfEnds) {
  std::string message("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01", 18);
  EXPECT_THAT(decode(udp("10.0.2.3", 53, 49200, message)),
              AllOf(has("dns.id", "0x1234"), has("_ws.malformed", "DNS: a question is damaged")));
}

TEST(Decode, Ntp) {
  std::string request(48, '\0');
  request[0] = 0x23;
  request[40] = 0x12;
  request[47] = 0x34;
  EXPECT_THAT(decode(udp("192.0.2.7", 123, 49200, request)),
              AllOf(has("ntp.flags.vn", "4"), has("ntp.flags.mode", "3"), has("ntp.xmt", "12000000.00000034")));
}

TEST(Decode, AnErrorQuotesWhatItIsAbout) {
  const EthernetFrame about = udp(gateway_ip, 9, 49200, "x");
  Tins::EthernetII frame = Tins::EthernetII(guest_mac, gateway_mac) / Tins::IP(guest_ip, gateway_ip) /
                           Tins::ICMP(Tins::ICMP::DEST_UNREACHABLE) /
                           Tins::RawPDU(Octets(about.octets.begin() + 14, about.octets.begin() + 42));
  EXPECT_THAT(decode(to_frame(frame)),
              AllOf(has("icmp.type", "3"), has("ip.src", guest_ip), has("udp.dstport", "9"), Not(is_malformed())));
}

// Every length of a frame that has something of everything.
TEST(Decode, SaysWhereAFrameIsCutShort) {
  for (const EthernetFrame& whole : {dhcp(Tins::DHCP::DISCOVER), tcp({.destination_port = 80, .data = "abcdefgh"}),
                                     ping(gateway_ip, 1, 1, "x"), arp_request(gateway_ip)}) {
    for (std::size_t length = 0; length < 42; ++length)
      EXPECT_THAT(net::decode(std::span(whole.octets).first(length)), is_malformed()) << length;
  }
}

TEST(Summary, IsALineForEachKind) {
  EXPECT_EQ(summary(arp_request(gateway_ip).octets), "ARP who has 10.0.2.2? tell 10.0.2.15");
  EXPECT_EQ(summary(tcp({.destination_port = 80, .source_port = 5, .sequence = 7, .flags = 2, .data = "abc"}).octets),
            "TCP 10.0.2.15:5 > 10.0.2.2:80 [SYN] seq 7 ack 0 win 4096 len 3");
  EXPECT_EQ(summary(udp(gateway_ip, 7, 9, "abc").octets), "UDP 10.0.2.15:9 > 10.0.2.2:7 length 11");
  EXPECT_EQ(summary(dhcp(Tins::DHCP::DISCOVER).octets), "UDP 0.0.0.0:68 > 255.255.255.255:67 DHCP Discover");
  EXPECT_EQ(summary(ping(gateway_ip, 1, 3, "x").octets), "ICMP 10.0.2.15 > 10.0.2.2 type 8 code 0 seq 3");
  EXPECT_EQ(summary(Octets(14, 0)), "14 octets of type 0");
}

TEST(SideBySide, MarksWhatDiffersAndLeavesOutEqualPayload) {
  const auto left = tcp({.destination_port = 80, .window = 100, .data = "0123456789abcdef"});
  const auto right = tcp({.destination_port = 80, .window = 200, .data = "0123456789abcdeg"});
  const std::string text = side_by_side(left.octets, right.octets, "recorded", "now");
  EXPECT_THAT(text, HasSubstr("\n* tcp.window_size_value  100 "));
  EXPECT_THAT(text, HasSubstr("  200\n"));
  EXPECT_THAT(text, HasSubstr("\n  tcp.dstport "));
  EXPECT_THAT(
      text,
      HasSubstr("\n* tcp.payload            0008: 38 39 61 62 63 64 65 66 89abcdef  0008: 38 39 61 62 63 64 65 67 "));
  EXPECT_THAT(text, Not(HasSubstr("01234567")));
  EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

TEST(SideBySide, AFieldThatOneFrameHasNotStandsAlone) {
  const auto left = tcp({.destination_port = 80});
  const auto right = udp(gateway_ip, 80, 80, "");
  const std::string text = side_by_side(left.octets, right.octets, "a", "b");
  EXPECT_THAT(text, testing::ContainsRegex("\\* tcp.dstport +80 +-\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\\* udp.dstport +- +80\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  ip.dst +10.0.2.2 +10.0.2.2\n"));
}

}  // namespace
}  // namespace avrlan::net
