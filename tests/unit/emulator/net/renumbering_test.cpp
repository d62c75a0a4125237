#include "emulator/net/renumbering.hpp"

#include <gtest/gtest.h>

#include "emulator/net/decode.hpp"
#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

constexpr std::uint16_t SYN = 2, RST = 4, ACK = 16;

// To the board, with checksums.
EthernetFrame to_board(Tins::PDU& transport) {
  Tins::EthernetII frame = Tins::EthernetII(guest_mac, gateway_mac) / Tins::IP(guest_ip, gateway_ip);
  frame.inner_pdu()->inner_pdu(transport.clone());
  return to_frame(frame);
}
EthernetFrame segment_to_board(std::uint16_t port, std::uint32_t ack, Tins::TCP::sack_type sack = {}) {
  Tins::TCP tcp(port, 80);
  tcp.seq(5);
  tcp.ack_seq(ack);
  tcp.flags(ACK);
  if (!sack.empty()) tcp.sack(sack);
  return to_board(tcp);
}

TEST(Renumbering, LeavesAloneWhatIsTheSame) {
  Renumbering numbers;
  const auto syn = tcp({.destination_port = 80, .source_port = 5000, .sequence = 100, .flags = SYN});
  EXPECT_EQ(numbers.expected(syn, syn), syn);
  EthernetFrame answer = segment_to_board(5000, 101);
  numbers.to_board(answer);
  EXPECT_EQ(answer, segment_to_board(5000, 101));
  EXPECT_EQ(numbers.expected(arp_reply(), syn), arp_reply());
}

TEST(Renumbering, FollowsAConnectionFromItsSyn) {
  Renumbering numbers;
  const auto recorded = tcp({.destination_port = 80, .source_port = 5000, .sequence = 100, .flags = SYN});
  const auto now = tcp({.destination_port = 80, .source_port = 6000, .sequence = 0xfffffff0, .flags = SYN});
  EXPECT_EQ(numbers.expected(recorded, now), now);

  EthernetFrame answer = segment_to_board(5000, 101, {130, 140});
  numbers.to_board(answer);
  EXPECT_EQ(answer, segment_to_board(6000, 0xfffffff1, {14, 24})) << "modulo 2^32, with blocks and checksums";

  const auto data = tcp({.destination_port = 80, .source_port = 5000, .sequence = 101, .flags = ACK, .data = "abc"});
  const auto data_now =
      tcp({.destination_port = 80, .source_port = 6000, .sequence = 0xfffffff1, .flags = ACK, .data = "abc"});
  EXPECT_EQ(numbers.expected(data, data_now), data_now);
  const auto wrong = tcp({.destination_port = 80, .source_port = 6000, .sequence = 7, .flags = ACK, .data = "abc"});
  EXPECT_EQ(numbers.expected(data, wrong), data_now) << "a number is learnt from a SYN only";
}

TEST(Renumbering, DoesNotTouchAnotherConnection) {
  Renumbering numbers;
  numbers.expected(tcp({.destination_port = 80, .source_port = 5000, .sequence = 100, .flags = SYN}),
                   tcp({.destination_port = 80, .source_port = 5000, .sequence = 200, .flags = SYN}));
  EthernetFrame other = segment_to_board(5001, 101);
  numbers.to_board(other);
  EXPECT_EQ(other, segment_to_board(5001, 101));
  const auto reset = tcp({.destination_port = 81, .source_port = 5000, .sequence = 1, .flags = RST});
  EXPECT_EQ(numbers.expected(reset, reset), reset);
}

TEST(Renumbering, DnsIdsAndPorts) {
  Renumbering numbers;
  const auto query = [](std::uint16_t port, const std::string& id) {
    return udp("10.0.2.3", 53, port, id + std::string("\1\0\0\1\0\0\0\0\0\0\0\0\1\0\1", 15));
  };
  EXPECT_EQ(numbers.expected(query(50000, "ab"), query(60000, "xy")), query(60000, "xy"));
  const auto answer = [](std::uint16_t port, const std::string& id) {
    Tins::UDP datagram(port, 53);
    datagram.inner_pdu(Tins::RawPDU(id + "rest of it").clone());
    return to_board(datagram);
  };
  EthernetFrame frame = answer(50000, "ab");
  numbers.to_board(frame);
  EXPECT_EQ(frame, answer(60000, "xy"));
}

TEST(Renumbering, DhcpIds) {
  Renumbering numbers;
  EthernetFrame recorded = dhcp(Tins::DHCP::DISCOVER), now = recorded;
  for (std::size_t n = 0; n < 4; ++n) now.octets[46 + n] ^= 0x55;
  now = patched_ip(now, 26, {0, 0});  // UDP without a checksum
  recorded = patched_ip(recorded, 26, {0, 0});
  EXPECT_EQ(numbers.expected(recorded, now), now);
}

TEST(Renumbering, NtpTimestamps) {
  Renumbering numbers;
  const auto request = [](const std::string& stamp) {
    return udp("192.0.2.7", 123, 50000, std::string(40, 'r') + stamp);
  };
  EXPECT_EQ(numbers.expected(request("recorded"), request("now, now")), request("now, now"));
  const auto answer = [](const std::string& stamp) {
    Tins::UDP datagram(50000, 123);
    datagram.inner_pdu(Tins::RawPDU(std::string(24, 'a') + stamp + std::string(16, 't')).clone());
    return to_board(datagram);
  };
  EthernetFrame frame = answer("recorded");
  numbers.to_board(frame);
  EXPECT_EQ(frame, answer("now, now"));
}

TEST(Renumbering, LeavesADamagedFrameDamaged) {
  Renumbering numbers;
  numbers.expected(tcp({.destination_port = 80, .source_port = 5000, .sequence = 100, .flags = SYN}),
                   tcp({.destination_port = 80, .source_port = 5000, .sequence = 200, .flags = SYN}));
  EthernetFrame damaged = segment_to_board(5000, 101);
  damaged.octets[50] ^= 1;
  const EthernetFrame before = damaged;
  numbers.to_board(damaged);
  EXPECT_EQ(damaged, before);
}

}  // namespace
}  // namespace avrlan::net
