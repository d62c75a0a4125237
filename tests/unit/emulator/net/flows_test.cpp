#include "emulator/net/flows.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using Flag = Tins::TCP::Flags;

const std::string server = "192.0.2.1";  // TEST-NET-1, RFC 5737

class FlowsTest : public testing::Test {
 protected:
  void board(Tins::IP ip) {
    const auto octets = serialize(ip);
    const auto packet = Packet::parse(octets);
    ASSERT_TRUE(packet);
    flows_.from_board(*packet, now_);
  }
  void host(Tins::IP ip) {
    const auto octets = serialize(ip);
    const auto packet = Packet::parse(octets);
    ASSERT_TRUE(packet);
    flows_.to_board(*packet, now_);
  }
  void board_tcp(std::uint16_t flags, std::uint32_t sequence, const std::string& data = "") {
    board(Tins::IP(server, guest_ip) / segment(80, 5000, flags, sequence, data));
  }
  void host_tcp(std::uint16_t flags, std::uint32_t sequence, const std::string& data = "") {
    host(Tins::IP(guest_ip, server) / segment(5000, 80, flags, sequence, data));
  }
  HostState state() { return flows_.state(now_); }
  void pass(Duration time) { now_ += time; }

  Flows flows_;
  Instant now_;

 private:
  static Tins::TCP segment(std::uint16_t to, std::uint16_t from, std::uint16_t flags, std::uint32_t sequence,
                           const std::string& data) {
    Tins::TCP tcp(to, from);
    tcp.flags(flags);
    tcp.seq(sequence);
    return data.empty() ? tcp : tcp / Tins::RawPDU(data);
  }
  // libtins computes the checksum of the transport from the addresses only below Ethernet's payload.
  static std::vector<std::uint8_t> serialize(Tins::IP& ip) {
    Tins::EthernetII frame = Tins::EthernetII() / ip;
    auto octets = frame.serialize();
    octets.erase(octets.begin(), octets.begin() + 14);
    return octets;
  }
};

Tins::ICMP echo(Tins::ICMP::Flags type) {
  Tins::ICMP icmp(type);
  icmp.id(9);
  return icmp;
}

TEST_F(FlowsTest, AConnectionOfTheBoardIsAwaitedWheneverTheBoardSpokeLast) {
  EXPECT_EQ(state(), HostState::idle);
  board_tcp(Flag::SYN, 100);
  EXPECT_EQ(state(), HostState::reply_outstanding);
  host_tcp(Flag::SYN | Flag::ACK, 500);
  EXPECT_EQ(state(), HostState::connected);
  board_tcp(Flag::ACK, 101);
  EXPECT_EQ(state(), HostState::connected) << "an ACK asks for nothing";
  board_tcp(Flag::ACK, 101, "question");
  EXPECT_EQ(state(), HostState::reply_outstanding);
  host_tcp(Flag::ACK, 501);
  EXPECT_EQ(state(), HostState::reply_outstanding) << "slirp's own ACK is no answer of the host";
  host_tcp(Flag::ACK, 501, "answer");
  EXPECT_EQ(state(), HostState::connected);
  board_tcp(Flag::ACK, 101, "question");
  EXPECT_EQ(state(), HostState::connected) << "a retransmission asks nothing new";
  board_tcp(Flag::ACK | Flag::FIN, 109);
  EXPECT_EQ(state(), HostState::reply_outstanding) << "waits for the other FIN";
  host_tcp(Flag::ACK | Flag::FIN, 507);
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, SequenceNumbersWrap) {
  board_tcp(Flag::SYN, 0xfffffffe);
  host_tcp(Flag::SYN | Flag::ACK, 500);
  board_tcp(Flag::ACK, 0xffffffff, "ab");
  EXPECT_EQ(state(), HostState::reply_outstanding);
  host_tcp(Flag::ACK, 501, "x");
  board_tcp(Flag::ACK, 0xffffffff, "ab");
  EXPECT_EQ(state(), HostState::connected);
  board_tcp(Flag::ACK, 1, "c");
  EXPECT_EQ(state(), HostState::reply_outstanding);
}

TEST_F(FlowsTest, AResetEndsAConnectionFromEitherSide) {
  board_tcp(Flag::SYN, 100);
  host_tcp(Flag::RST | Flag::ACK, 0);
  EXPECT_EQ(state(), HostState::idle);
  board_tcp(Flag::SYN, 100);
  host_tcp(Flag::SYN | Flag::ACK, 500);
  board_tcp(Flag::RST, 101);
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, AConnectionOfTheHostIsNeverAwaited) {
  host_tcp(Flag::SYN, 500);
  EXPECT_EQ(state(), HostState::connected);
  board_tcp(Flag::SYN | Flag::ACK, 100);
  board_tcp(Flag::ACK, 101, "banner");
  EXPECT_EQ(state(), HostState::connected);
  host_tcp(Flag::ACK | Flag::FIN, 501);
  EXPECT_EQ(state(), HostState::connected);
  board_tcp(Flag::ACK | Flag::FIN, 107);
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, AHandshakeThatNobodyAnswersIsForgotten) {
  host_tcp(Flag::SYN, 500);
  pass(Duration::seconds(75));
  EXPECT_EQ(state(), HostState::connected);
  pass(Duration::milliseconds(1));
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, AnEstablishedConnectionIsNeverForgottenAndAHalfClosedOneIs) {
  host_tcp(Flag::SYN, 500);
  board_tcp(Flag::SYN | Flag::ACK, 100);
  pass(Duration::seconds(100'000));
  EXPECT_EQ(state(), HostState::connected);
  board_tcp(Flag::FIN | Flag::ACK, 101);
  pass(Duration::seconds(601));
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, ADatagramOfTheBoardIsAwaitedUntilTheAnswer) {
  board(Tins::IP("10.0.2.3", guest_ip) / Tins::UDP(53, 1000) / Tins::RawPDU("query"));
  EXPECT_EQ(state(), HostState::reply_outstanding);
  host(Tins::IP(guest_ip, "10.0.2.3") / Tins::UDP(1001, 53) / Tins::RawPDU("other"));
  EXPECT_EQ(state(), HostState::reply_outstanding) << "not this one's";
  host(Tins::IP(guest_ip, "10.0.2.3") / Tins::UDP(1000, 53) / Tins::RawPDU("answer"));
  pass(Duration::seconds(11));
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, AnErrorIsAnAnswer) {
  Tins::IP query = Tins::IP("10.0.2.3", guest_ip) / Tins::UDP(53, 1000) / Tins::RawPDU("query");
  board(query);
  Tins::ICMP error(Tins::ICMP::DEST_UNREACHABLE);
  error.code(0);
  host(Tins::IP(guest_ip, gateway_ip) / error / Tins::RawPDU(query.serialize()));
  EXPECT_EQ(state(), HostState::idle);

  Tins::IP syn = Tins::IP(server, guest_ip) / Tins::TCP(80, 5000);
  board_tcp(Flag::SYN, 100);
  EXPECT_EQ(state(), HostState::reply_outstanding);
  host(Tins::IP(guest_ip, gateway_ip) / error / Tins::RawPDU(syn.serialize()));
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, APingIsAwaitedUntilItsReply) {
  board(Tins::IP(server, guest_ip) / echo(Tins::ICMP::ECHO_REQUEST));
  EXPECT_EQ(state(), HostState::reply_outstanding);
  host(Tins::IP(guest_ip, server) / echo(Tins::ICMP::ECHO_REPLY));
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, GivingUpLastsUntilTheHostSpeaks) {
  const auto log = [this] { board(Tins::IP(server, guest_ip) / Tins::UDP(514, 514) / Tins::RawPDU("line")); };
  log();
  flows_.give_up_waiting();
  EXPECT_EQ(state(), HostState::idle);
  log();
  EXPECT_EQ(state(), HostState::idle) << "nobody answers there";
  board(Tins::IP("10.0.2.3", guest_ip) / Tins::UDP(53, 1000) / Tins::RawPDU("query"));
  EXPECT_EQ(state(), HostState::reply_outstanding) << "another conversation";
  host(Tins::IP(guest_ip, "10.0.2.3") / Tins::UDP(1000, 53) / Tins::RawPDU("answer"));
  host(Tins::IP(guest_ip, server) / Tins::UDP(514, 514) / Tins::RawPDU("who are you?"));
  log();
  EXPECT_EQ(state(), HostState::reply_outstanding);
}

TEST_F(FlowsTest, ADatagramOfTheHostLingersTenSeconds) {
  host(Tins::IP(guest_ip, gateway_ip) / Tins::UDP(7, 50'000) / Tins::RawPDU("hello"));
  EXPECT_EQ(state(), HostState::connected);
  board(Tins::IP(gateway_ip, guest_ip) / Tins::UDP(50'000, 7) / Tins::RawPDU("hello"));
  EXPECT_EQ(state(), HostState::connected);
  pass(Duration::seconds(10));
  EXPECT_EQ(state(), HostState::connected);
  pass(Duration::milliseconds(1));
  EXPECT_EQ(state(), HostState::idle);
}

TEST_F(FlowsTest, DhcpTftpAndGroupsAreNoConversations) {
  board(Tins::IP("255.255.255.255", "0.0.0.0") / Tins::UDP(67, 68) / Tins::RawPDU("discover"));
  board(Tins::IP(gateway_ip, guest_ip) / Tins::UDP(67, 68) / Tins::RawPDU("renew"));
  board(Tins::IP(gateway_ip, guest_ip) / Tins::UDP(69, 1000) / Tins::RawPDU("read"));
  board(Tins::IP("224.0.0.251", guest_ip) / Tins::UDP(5353, 5353) / Tins::RawPDU("mdns"));
  host(Tins::IP("255.255.255.255", gateway_ip) / Tins::UDP(68, 67) / Tins::RawPDU("offer"));
  EXPECT_EQ(state(), HostState::idle);
  EXPECT_EQ(flows_.size(), 0U);
}

TEST_F(FlowsTest, MakesRoomByForgettingWhatSlirpForgets) {
  for (std::uint16_t port = 1; port <= Flows::limit; ++port) {
    board(Tins::IP(server, guest_ip) / Tins::UDP(9, port) / Tins::RawPDU("x"));
  }
  Tins::IP next = Tins::IP(server, guest_ip) / Tins::UDP(9, 9999) / Tins::RawPDU("x");
  Tins::EthernetII frame = Tins::EthernetII() / next;
  const auto octets = frame.serialize();
  const auto packet = Packet::parse(std::span(octets).subspan(14));
  ASSERT_TRUE(packet);
  EXPECT_FALSE(flows_.has_room_for(*packet, now_));
  pass(Duration::seconds(241));
  EXPECT_TRUE(flows_.has_room_for(*packet, now_));
  EXPECT_EQ(flows_.size(), 0U);
}

}  // namespace
}  // namespace avrlan::net
