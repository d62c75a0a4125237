#include "emulator/debug/packet.hpp"

#include <gtest/gtest.h>

namespace avrlan::debug {
namespace {

// What the channel makes of `octets`, given whole or octet by octet.
std::vector<std::string> packets_of(std::string_view octets, std::size_t piece, std::string* answer = nullptr) {
  PacketChannel channel;
  for (std::size_t at = 0; at < octets.size(); at += piece) channel.receive(octets.substr(at, piece));
  std::vector<std::string> all;
  while (auto packet = channel.next_packet()) all.push_back(*packet);
  if (answer != nullptr) *answer = channel.take_output();
  return all;
}

TEST(PacketChannel, TakesPacketsSplitAndJoined) {
  const std::string_view octets = "+$g#67+$m800100,2#f4$?#3f";
  const std::vector<std::string> expected = {"g", "m800100,2", "?"};
  for (std::size_t piece = 1; piece <= octets.size(); ++piece) EXPECT_EQ(packets_of(octets, piece), expected) << piece;
}

TEST(PacketChannel, RefusesAWrongChecksum) {
  std::string answer;
  EXPECT_EQ(packets_of("$g#66$g#6x$g#67", 100, &answer), std::vector<std::string>{"g"});
  EXPECT_EQ(answer, "--+");
}

TEST(PacketChannel, BeginsAnewAtADollar) {
  EXPECT_EQ(packets_of("$m80010$g#67", 100), std::vector<std::string>{"g"});
}

TEST(PacketChannel, DoesNotKeepWhatNeverEnds) {
  std::string octets = "$" + std::string(longest_packet + 10, 'a');
  octets += "#00$g#67";
  std::string answer;
  EXPECT_EQ(packets_of(octets, 5000, &answer), std::vector<std::string>{"g"});
  EXPECT_EQ(answer, "-+");
}

TEST(PacketChannel, SaysItAgain) {
  PacketChannel channel;
  channel.send("OK");
  EXPECT_EQ(channel.take_output(), "$OK#9a");
  channel.receive("-");
  EXPECT_EQ(channel.take_output(), "$OK#9a");
  channel.receive(std::string(100000, '-'));
  EXPECT_EQ(channel.take_output(), "$OK#9a") << "once, however often it is asked for";
}

TEST(PacketChannel, AcknowledgesNothingWhenToldSo) {
  PacketChannel channel;
  channel.stop_acknowledging();
  channel.receive("$g#67-$g#66");
  EXPECT_EQ(channel.take_output(), "");
  EXPECT_TRUE(channel.next_packet());
  EXPECT_FALSE(channel.next_packet());
}

// Behind a packet it is for the run that this packet begins; before one it came too late.
TEST(PacketChannel, KeepsInterruptsInTheirPlace) {
  PacketChannel channel;
  channel.receive("\x03$g#67\x03");
  EXPECT_EQ(channel.next_packet(), "g");
  EXPECT_TRUE(channel.take_interrupt());
  EXPECT_FALSE(channel.take_interrupt());
  channel.receive("$g#67\x03$p0#a0");
  EXPECT_TRUE(channel.take_interrupt()) << "whatever is waiting for the stop";
  EXPECT_EQ(channel.next_packet(), "g");
  EXPECT_EQ(channel.next_packet(), "p0");
  channel.receive("$a\x03#64");
  EXPECT_FALSE(channel.take_interrupt()) << "inside a packet it is an octet like any other";
  EXPECT_EQ(channel.next_packet(), "a\x03");
}

TEST(Packet, Escapes) {
  EXPECT_EQ(escape("a#b$c}d*"),
            "a}\x03"
            "b}\x04"
            "c}]d}\x0a");
  EXPECT_EQ(unescape("a}\x03"
                     "b}]"),
            (std::vector<std::uint8_t>{'a', '#', 'b', '}'}));
  EXPECT_FALSE(unescape("a}"));
}

}  // namespace
}  // namespace avrlan::debug
