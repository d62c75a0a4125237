#include "tests/support/scripted_peer.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::test {
namespace {

using namespace net;
using Flag = Tins::TCP::Flags;

class ScriptedPeerTest : public testing::Test {
 protected:
  void pass(Duration time) { scheduler_.run_until(scheduler_.now() + time); }
  void send(const EthernetFrame& frame) {
    peer_.deliver(frame);
    pass(Duration());
  }
  // A segment of the board's connection with the peer's client port, as the last one heard said.
  void send_segment(std::uint16_t flags, std::uint32_t sequence, std::uint32_t acknowledgment,
                    const std::string& data = "") {
    send(tcp({.destination_port = client_port_,
              .source_port = 80,
              .sequence = sequence,
              .acknowledgment = acknowledgment,
              .flags = flags,
              .data = data}));
  }
  std::unique_ptr<Tins::EthernetII> segment() { return inbox_.take<Tins::TCP>(); }
  // Up to the board's SYN|ACK; returns the peer's next sequence number. The board's own next is 1001.
  std::uint32_t handshake() {
    send(arp_request(gateway_ip));
    auto syn = segment();
    if (!syn) return 0;
    client_port_ = syn->rfind_pdu<Tins::TCP>().sport();
    const std::uint32_t next = syn->rfind_pdu<Tins::TCP>().seq() + 1;
    send_segment(Flag::SYN | Flag::ACK, 1000, next);
    EXPECT_TRUE(segment()) << "the ACK";
    return next;
  }

  Scheduler scheduler_;
  Inbox inbox_;
  ScriptedPeer peer_{scheduler_, inbox_};
  std::uint16_t client_port_ = 0;
};

TEST_F(ScriptedPeerTest, GivesAnAddressThenBeginsTheScript) {
  peer_.ping("abcd");
  send(dhcp(Tins::DHCP::DISCOVER));
  auto offer = inbox_.take<Tins::UDP>();
  ASSERT_TRUE(offer);
  const auto& payload = offer->rfind_pdu<Tins::RawPDU>().payload();
  const Tins::DHCP message(payload.data(), static_cast<std::uint32_t>(payload.size()));
  EXPECT_EQ(message.type(), Tins::DHCP::OFFER);
  EXPECT_EQ(message.yiaddr(), guest_ip);
  EXPECT_EQ(message.server_identifier(), gateway_ip);
  send(dhcp(Tins::DHCP::REQUEST, guest_ip));
  ASSERT_TRUE(inbox_.take<Tins::UDP>());
  EXPECT_FALSE(peer_.board_has_address());
  pass(Duration::milliseconds(10));
  auto echo = inbox_.take<Tins::ICMP>();
  ASSERT_TRUE(echo);

  Tins::ICMP reply(Tins::ICMP::ECHO_REPLY);
  reply.id(echo->rfind_pdu<Tins::ICMP>().id());
  reply.sequence(1);
  Tins::EthernetII frame =
      Tins::EthernetII(gateway_mac, guest_mac) / Tins::IP(gateway_ip, guest_ip) / reply / Tins::RawPDU("abcd");
  send(to_frame(frame));
  ASSERT_TRUE(peer_.done());
  EXPECT_TRUE(peer_.exchanges()[0].complete);
  EXPECT_EQ(peer_.exchanges()[0].reply, "abcd");
}

TEST_F(ScriptedPeerTest, FetchesAPageThroughLossAndRepetition) {
  peer_.get("/");
  const std::uint32_t next = handshake();
  auto request = segment();
  ASSERT_TRUE(request);
  const std::string text = text_of(*request);
  EXPECT_EQ(text, "GET / HTTP/1.0\r\n\r\n");
  // The request is lost: again after a second.
  pass(Duration::milliseconds(999));
  EXPECT_FALSE(segment());
  pass(Duration::milliseconds(1));
  request = segment();
  ASSERT_TRUE(request);
  EXPECT_EQ(request->rfind_pdu<Tins::TCP>().seq(), next);

  const auto end = next + static_cast<std::uint32_t>(text.size());
  send_segment(Flag::ACK, 1001, end, "hello ");
  EXPECT_EQ(segment()->rfind_pdu<Tins::TCP>().ack_seq(), 1007U);
  send_segment(Flag::ACK, 1012, end, "!");  // a gap
  EXPECT_EQ(segment()->rfind_pdu<Tins::TCP>().ack_seq(), 1007U);
  send_segment(Flag::ACK, 1004, end, "lo world");  // overlaps
  EXPECT_EQ(segment()->rfind_pdu<Tins::TCP>().ack_seq(), 1012U);
  send_segment(Flag::ACK | Flag::FIN, 1012, end, "!");
  EXPECT_EQ(segment()->rfind_pdu<Tins::TCP>().ack_seq(), 1014U);
  auto fin = segment();
  ASSERT_TRUE(fin);
  EXPECT_TRUE(has_flags(*fin, Flag::FIN));
  EXPECT_FALSE(peer_.done());
  send_segment(Flag::ACK, 1014, end + 1);
  ASSERT_TRUE(peer_.done());
  EXPECT_TRUE(peer_.exchanges()[0].complete);
  EXPECT_EQ(peer_.exchanges()[0].reply, "hello world!");
}

TEST_F(ScriptedPeerTest, ClosesWhenTheReplyIsLongEnough) {
  peer_.tcp(80, "abc", 3);
  const std::uint32_t next = handshake();
  EXPECT_EQ(text_of(*segment()), "abc");
  send_segment(Flag::ACK, 1001, next + 3, "abc");
  ASSERT_TRUE(segment()) << "the ACK";
  auto fin = segment();
  ASSERT_TRUE(fin);
  EXPECT_TRUE(has_flags(*fin, Flag::FIN));
  send_segment(Flag::ACK | Flag::FIN, 1004, next + 4);
  EXPECT_EQ(segment()->rfind_pdu<Tins::TCP>().ack_seq(), 1005U);
  EXPECT_TRUE(peer_.done());
  EXPECT_TRUE(peer_.exchanges()[0].complete);

  send_segment(Flag::ACK | Flag::FIN, 1004, next + 4);  // the last ACK was lost
  auto reset = segment();
  ASSERT_TRUE(reset);
  EXPECT_TRUE(has_flags(*reset, Flag::RST));
}

TEST_F(ScriptedPeerTest, GivesUpOnASilentBoardAndGoesOn) {
  peer_.udp(7, "x");
  peer_.get("/");
  send(arp_request(gateway_ip));
  pass(Duration::milliseconds(11'999));
  EXPECT_EQ(peer_.exchanges().size(), 1U);
  pass(Duration::milliseconds(1));
  ASSERT_EQ(peer_.exchanges().size(), 2U);
  EXPECT_FALSE(peer_.exchanges()[0].complete);
  EXPECT_EQ(peer_.exchanges()[1].name, "get /");
}

}  // namespace
}  // namespace avrlan::test
