#include "emulator/net/frame_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "tests/unit/emulator/net/guest.hpp"

namespace avrlan::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint8_t S = tcp_flag::syn, A = tcp_flag::ack, F = tcp_flag::fin, R = tcp_flag::rst;
constexpr std::uint16_t board_port = 1025, peer_port = 7;

class FrameCheckTest : public testing::Test, private DiagnosticSink {
 protected:
  void send(const EthernetFrame& frame) { out_.deliver(frame); }
  void send(const Tins::PDU& pdu) { send(padded(pdu)); }
  static EthernetFrame padded(const Tins::PDU& pdu) {
    auto copy = std::unique_ptr<Tins::PDU>(pdu.clone());
    return EthernetFrame::padded(copy->serialize());
  }
  static Tins::EthernetII packet(const std::string& to, const std::string& from, const Tins::PDU& payload) {
    return Tins::EthernetII(gateway_mac, guest_mac) / Tins::IP(to, from) / payload;
  }
  static Tins::EthernetII udp(std::size_t n = 20) {
    return packet(gateway_ip, guest_ip, Tins::UDP(7, 7) / Tins::RawPDU(std::string(n, 'u')));
  }
  // With octets behind the Ethernet header changed and nothing mended.
  static EthernetFrame broken(const Tins::PDU& pdu, std::size_t at, std::vector<std::uint8_t> octets) {
    std::vector<std::uint8_t> changed = padded(pdu).octets;
    std::copy(octets.begin(), octets.end(), changed.begin() + static_cast<std::ptrdiff_t>(ethernet_header + at));
    return EthernetFrame::with_fcs(changed);
  }

  static Tins::TCP segment(std::uint16_t to, std::uint16_t from, std::uint8_t flags, std::uint32_t sequence,
                           std::uint32_t acknowledgment, std::uint16_t window) {
    Tins::TCP tcp(to, from);
    tcp.flags(flags);
    tcp.seq(sequence);
    tcp.ack_seq(acknowledgment);
    tcp.window(window);
    return tcp;
  }
  void board(std::uint8_t flags, std::uint32_t sequence, std::uint32_t acknowledgment, const std::string& data = "") {
    const auto tcp = segment(peer_port, board_port, flags, sequence, acknowledgment, 500);
    send(data.empty() ? packet(gateway_ip, guest_ip, tcp) : packet(gateway_ip, guest_ip, tcp / Tins::RawPDU(data)));
  }
  void peer(std::uint8_t flags, std::uint32_t sequence, std::uint32_t acknowledgment, std::uint16_t window,
            const std::string& data = "") {
    const auto tcp = segment(board_port, peer_port, flags, sequence, acknowledgment, window);
    const auto ip = Tins::IP(guest_ip, gateway_ip) / tcp;
    const auto ethernet = Tins::EthernetII(guest_mac, gateway_mac);
    in_.deliver(padded(data.empty() ? ethernet / ip : ethernet / (ip / Tins::RawPDU(data))));
  }
  // The board connects: its next octet is `mine` + 1, the peer's `theirs` + 1.
  void connect(std::uint32_t mine = 100, std::uint32_t theirs = 5000, std::uint16_t window = 1000) {
    board(S, mine, 0);
    peer(S | A, theirs, mine + 1, window);
    board(A, mine + 1, theirs + 1);
  }
  void in_frame(const Tins::TCP& tcp) {
    in_.deliver(padded(Tins::EthernetII(guest_mac, gateway_mac) / Tins::IP(guest_ip, gateway_ip) / tcp));
  }
  // Since it was last asked.
  std::vector<std::string> told() { return std::exchange(codes_, {}); }

  void arrive(const EthernetFrame& frame) { in_.deliver(frame); }

  Inbox network_, board_;

 private:
  void report(const Diagnostic& diagnostic) override { codes_.push_back(diagnostic.code); }

  std::vector<std::string> codes_;
  FrameCheck check_{*this};
  FrameSink& out_ = check_.outbound(network_);
  FrameSink& in_ = check_.inbound(board_);
};

TEST_F(FrameCheckTest, PassesEverythingOnUnchanged) {
  const EthernetFrame bad = broken(udp(), 8, {1});
  send(bad);
  peer(S, 1, 0, 100);
  ASSERT_EQ(network_.frames.size(), 1u);
  EXPECT_EQ(network_.frames[0], bad);
  EXPECT_EQ(board_.frames.size(), 1u);
}

TEST_F(FrameCheckTest, HasNothingToSayOfRightFrames) {
  send(arp_request(gateway_ip).octets.size() < 60 ? EthernetFrame::padded(arp_request(gateway_ip).octets)
                                                  : arp_request(gateway_ip));
  send(udp());
  send(udp(1472));
  send(broken(packet(gateway_ip, guest_ip, Tins::UDP(7, 7) / Tins::RawPDU("x")), 26, {0, 0}));  // no checksum was made
  send(EthernetFrame::padded(ping(gateway_ip, 1, 1, "ping").octets));
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, TellsWrongChecksums) {
  send(broken(udp(), 8, {1}));  // TTL
  EXPECT_THAT(told(), ElementsAre("wire-ipv4-checksum"));
  send(broken(udp(), 28, {1}));
  EXPECT_THAT(told(), ElementsAre("wire-udp-checksum"));
  send(broken(packet(gateway_ip, guest_ip, segment(7, 7, S, 0, 0, 0)), 34, {1}));
  EXPECT_THAT(told(), ElementsAre("wire-tcp-checksum"));
  send(broken(packet(gateway_ip, guest_ip, Tins::ICMP()), 24, {1}));
  EXPECT_THAT(told(), ElementsAre("wire-icmp-checksum"));
}

TEST_F(FrameCheckTest, TellsAnotherStationWithTheSameMacAddress) {
  const EthernetFrame theirs = arp_request(gateway_ip);
  arrive(theirs);
  EXPECT_THAT(told(), IsEmpty());  // the board has said nothing yet
  send(theirs);
  in_frame(segment(7, 7, S, 0, 0, 0));
  EXPECT_THAT(told(), IsEmpty());  // from the gateway's
  arrive(theirs);
  EXPECT_THAT(told(), ElementsAre("wire-duplicate-mac"));
}

TEST_F(FrameCheckTest, TellsAWrongFcsButNotOfAFrameThatTheChipGaveUp) {
  EthernetFrame frame = padded(udp());
  frame.fcs ^= 1;
  send(frame);
  EXPECT_THAT(told(), ElementsAre("wire-fcs"));
  frame.fcs = ~ethernet_crc(frame.octets);
  send(frame);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, TellsSizesThatSwitchesDrop) {
  send(EthernetFrame::with_fcs(std::vector<std::uint8_t>(59)));
  EXPECT_THAT(told(), ElementsAre("wire-frame-size"));
  send(EthernetFrame::with_fcs(std::vector<std::uint8_t>(1515)));
  EXPECT_THAT(told(), ElementsAre("wire-frame-size"));
  send(EthernetFrame::with_fcs({}));
  EXPECT_THAT(told(), ElementsAre("wire-frame-size"));
}

TEST_F(FrameCheckTest, TellsLengthsThatDisagree) {
  const Tins::EthernetII good = udp(30);
  send(broken(good, 0, {0x44}));   // IHL 4
  send(broken(good, 0, {0x65}));   // version 6
  send(broken(good, 2, {0, 19}));  // total length
  send(broken(good, 2, {1, 0}));
  EXPECT_THAT(told(), ElementsAre("wire-length", "wire-length", "wire-length", "wire-length"));
  send(broken(good, 24, {0, 7}));   // UDP length
  send(broken(good, 24, {0, 37}));  // one less than there is
  send(broken(good, 24, {0, 39}));
  EXPECT_THAT(told(), ElementsAre("wire-length", "wire-length", "wire-length"));
  const auto tcp = packet(gateway_ip, guest_ip, segment(7, 7, S, 0, 0, 0));
  send(broken(tcp, 32, {0x40}));
  send(broken(tcp, 32, {0x60}));
  EXPECT_THAT(told(), ElementsAre("wire-length", "wire-length"));
  send(patched_ip(padded(udp(0)), 9, {1}));  // 8 octets of UDP as ICMP are long enough
  EXPECT_THAT(told(), ElementsAre("wire-icmp-checksum"));
  send(patched_ip(padded(udp(0)), 2, {0, 27}));
  EXPECT_THAT(told(), ElementsAre("wire-length"));
}

TEST_F(FrameCheckTest, HasNothingToSayOfAConnection) {
  connect();
  peer(A, 5001, 101, 1000, "request");
  board(A, 101, 5008, "answer");
  board(A, 101, 5008, "answer");        // again
  board(A, 104, 5008, "wer and more");  // again in part
  peer(A, 5008, 116, 4);
  board(A, 116, 5008, "full");
  board(A, 120, 5008, "p");  // probes the closed window
  peer(A, 5008, 120, 100);
  board(A, 120, 5008, "p");
  board(F | A, 121, 5008);
  board(F | A, 121, 5008);
  peer(F | A, 5008, 122, 100);
  board(A, 122, 5009);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, CountsAcrossZero) {
  connect(0xFFFFFFF0, 0xFFFFFFFE);
  peer(A, 0xFFFFFFFF, 0xFFFFFFF1, 1000, "abc");
  board(A, 0xFFFFFFF1, 2, std::string(40, 'x'));
  board(A, 0xFFFFFFF1, 2, std::string(40, 'x'));
  EXPECT_THAT(told(), IsEmpty());
  board(A, 0x19, 3);
  EXPECT_THAT(told(), ElementsAre("wire-tcp-ack"));
}

TEST_F(FrameCheckTest, TellsAnAckOfWhatWasNeverSent) {
  connect();
  board(A, 101, 5002);
  EXPECT_THAT(told(), ElementsAre("wire-tcp-ack"));
  peer(A, 5001, 101, 1000, "x");
  board(A, 101, 5002);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, TellsDataBeyondEveryWindow) {
  connect(100, 5000, 10);
  board(A, 101, 5001, "0123456789");
  EXPECT_THAT(told(), IsEmpty());
  peer(A, 5001, 101, 5);  // a window that has shrunk was once larger
  board(A, 101, 5001, "0123456789");
  EXPECT_THAT(told(), IsEmpty());
  board(A, 101, 5001, "0123456789a");
  EXPECT_THAT(told(), ElementsAre("wire-tcp-window"));
}

TEST_F(FrameCheckTest, ScalesAWindowOnlyWhenBothEndsOfferedIt) {
  for (const bool both : {true, false}) {
    auto syn = segment(peer_port, board_port, S, 100, 0, 500);
    if (both) syn.winscale(0);
    send(packet(gateway_ip, guest_ip, syn));
    auto answer = segment(board_port, peer_port, S | A, 5000, 101, 10);
    answer.winscale(2);
    in_frame(answer);
    board(A, 101, 5001);
    peer(A, 5001, 101, 10);
    board(A, 101, 5001, std::string(40, 'x'));
    EXPECT_EQ(told().empty(), both);
    board(R, 141, 0);
  }
}

TEST_F(FrameCheckTest, TellsOctetsThatChangeWhenTheyAreSentAgain) {
  connect();
  board(A, 101, 5001, "hello");
  board(A, 103, 5001, "LLo");
  EXPECT_THAT(told(), ElementsAre("wire-tcp-resend"));
  peer(A, 5001, 106, 1000);
  board(A, 101, 5001, "x");  // acknowledged: a keep-alive may send what it likes
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, TellsAGapAndGoesOnFromThere) {
  connect();
  board(A, 111, 5001, "later");
  EXPECT_THAT(told(), ElementsAre("wire-tcp-sequence"));
  board(A, 116, 5001, "more");
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, BeginsAnewWithEverySyn) {
  connect();
  board(A, 101, 5001, "one");
  connect(900'000, 77);
  board(A, 900'001, 78, "two");
  EXPECT_THAT(told(), IsEmpty());
  peer(S, 1'000'000, 0, 100);  // the peer connects from the same port
  board(S | A, 3, 1'000'001);
  board(S | A, 3, 1'000'001);
  peer(A, 1'000'001, 4, 100);
  board(A, 4, 1'000'001, "three");
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(FrameCheckTest, SaysNothingOfConnectionsWhoseSynItHasNotSeen) {
  board(A, 1, 1, "data");
  peer(A, 1, 1, 0, "data");
  board(R, 77, 0);
  EXPECT_THAT(told(), IsEmpty());
}

}  // namespace
}  // namespace avrlan::net
