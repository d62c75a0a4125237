#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/board/firmware.hpp"
#include "emulator/net/gateway.hpp"

namespace avrlan::net {
namespace {

using testing::HasSubstr;

TEST(HostForward, ReadsQemusSyntax) {
  const auto forward = HostForward::parse("udp:192.168.1.2:5000-10.0.2.20:69");
  EXPECT_TRUE(forward.udp);
  EXPECT_EQ(forward.host_address, 0xc0a80102U);
  EXPECT_EQ(forward.host_port, 5000);
  EXPECT_EQ(forward.guest_address, 0x0a000214U);
  EXPECT_EQ(forward.guest_port, 69);
  EXPECT_EQ(forward.to_string(), "udp 192.168.1.2:5000 -> 10.0.2.20:69");
}

TEST(HostForward, WhatIsLeftOutIsTheLoopbackAndTheFirstLease) {
  const auto forward = HostForward::parse("tcp::8080-:80");
  EXPECT_EQ(forward.to_string(), "tcp 127.0.0.1:8080 -> 10.0.2.15:80");
  EXPECT_FALSE(HostForward::parse("::0-:80").udp) << "as in QEMU, the protocol may be left out";
  EXPECT_EQ(HostForward::parse("tcp::0-:80").host_port, 0);
  EXPECT_EQ(HostForward::parse("tcp::65535-:65535").guest_port, 65535);
}

struct Mistake {
  const char* text;
  const char* says;
};

class HostForwardMistake : public testing::TestWithParam<Mistake> {};

TEST_P(HostForwardMistake, ShowsTheRightForm) {
  try {
    HostForward::parse(GetParam().text);
    FAIL() << GetParam().text << " was taken";
  } catch (const HostError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().says));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().text));
    EXPECT_THAT(error.hint(), HasSubstr("tcp:127.0.0.1:8080-:80"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostForwardMistake,
                         testing::Values(Mistake{"", "no ':'"}, Mistake{"tcp", "no ':'"}, Mistake{"8080", "no ':'"},
                                         Mistake{"8080:80", "no '-'"}, Mistake{"tcp::8080:80", "no '-'"},
                                         Mistake{"sctp::8080-:80", "'sctp' is neither tcp nor udp"},
                                         Mistake{"tcp:8080-:80", "host part is not"},
                                         Mistake{"tcp::8080-80", "guest part is not"},
                                         Mistake{"tcp::-:80", "'' is not a host port"},
                                         Mistake{"tcp::8080-:", "'' is not a guest port"},
                                         Mistake{"tcp::8080-:0", "'0' is not a guest port (1 to 65535)"},
                                         Mistake{"tcp::65536-:80", "'65536' is not a host port (0 to 65535)"},
                                         Mistake{"tcp::80x-:80", "'80x' is not a host port"},
                                         Mistake{"tcp:localhost:8080-:80", "'localhost' is not an IPv4 address"},
                                         Mistake{"tcp:[::1]:8080-:80", "'[::1]' is not an IPv4 address"},
                                         Mistake{"tcp:127.0.0.1:8080-10.0.2:80", "'10.0.2' is not an IPv4 address"}));

}  // namespace
}  // namespace avrlan::net
