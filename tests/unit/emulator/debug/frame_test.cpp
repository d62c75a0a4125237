// What is said of a frame, and which frames a breakpoint stops at.
#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"
#include "emulator/debug/frame_filter.hpp"
#include "emulator/debug/frame_text.hpp"
#include "emulator/net/packet.hpp"

namespace avrlan::debug {
namespace {

constexpr MacAddress board = {2, 0, 0, 0, 0, 1}, host = {2, 0, 0, 0, 0, 2};
constexpr std::uint32_t board_ip = 0x0A00020F, host_ip = 0x0A000202;

// From port 40000 to port 80, sequence number 1, with these flags.
EthernetFrame segment(std::uint8_t flags) {
  std::vector<std::uint8_t> tcp = {0x9C, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, flags, 0x04, 0x00, 0, 0, 0, 0};
  const std::uint32_t pseudo = net::pseudo_header_sum(host_ip, board_ip, net::protocol_tcp, tcp.size());
  net::write16(tcp, 16, net::internet_checksum(tcp, pseudo));
  return EthernetFrame::padded(net::make_ipv4_frame(board, host, host_ip, board_ip, net::protocol_tcp, tcp));
}

TEST(FrameFilter, TakesPcapsLanguageAndTcpFlags) {
  const EthernetFrame syn = segment(net::tcp_flag::syn);
  const EthernetFrame ack = segment(net::tcp_flag::ack);
  EXPECT_TRUE(FrameFilter("tcp port 80").matches(true, ack));
  EXPECT_FALSE(FrameFilter("tcp port 81").matches(true, ack));
  EXPECT_TRUE(FrameFilter("tcp port 80 syn").matches(true, syn));
  EXPECT_FALSE(FrameFilter("tcp port 80 syn").matches(true, ack));
  EXPECT_FALSE(FrameFilter("tcp port 81 or tcp port 80 syn fin").matches(true, ack)) << "flags are for all of it";
  EXPECT_TRUE(FrameFilter("syn").matches(true, syn));
  EXPECT_TRUE(FrameFilter("tcp psh").matches(true, segment(0x08)));
  EXPECT_TRUE(FrameFilter("fin rst").matches(true, segment(net::tcp_flag::rst)));
  EXPECT_TRUE(FrameFilter("in tcp").matches(true, syn));
  EXPECT_FALSE(FrameFilter("out tcp").matches(true, syn));
  EXPECT_TRUE(FrameFilter("out tcp").matches(false, syn));
  EXPECT_THROW(FrameFilter("tcp prot 80"), UsageError);
}

TEST(FrameText, SaysWhatAPersonWantsToKnow) {
  EXPECT_EQ(frame_text(segment(net::tcp_flag::syn)),
            "10.0.2.2:40000 > 10.0.2.15:80 tcp SYN seq 1 ack 0 win 1024 data 0, 60 octets");
  EthernetFrame damaged = segment(net::tcp_flag::syn);
  damaged.octets[30] ^= 1;
  EXPECT_EQ(frame_text(damaged), "ip, damaged, 60 octets, wrong FCS");
  EXPECT_EQ(frame_text(EthernetFrame::with_fcs(std::vector<std::uint8_t>(13))), "too short, 13 octets");
  std::vector<std::uint8_t> arp(60);
  net::write16(arp, 12, net::ethertype_arp);
  net::write16(arp, 20, 1);
  net::write32(arp, 28, host_ip);
  net::write32(arp, 38, board_ip);
  EXPECT_EQ(frame_text(EthernetFrame::with_fcs(arp)), "arp who has 10.0.2.15, tell 10.0.2.2, 60 octets");
}

}  // namespace
}  // namespace avrlan::debug
