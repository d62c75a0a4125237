#include "emulator/net/far_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"

namespace avrlan::net {
namespace {

using testing::HasSubstr;

template <class Options>
Options parsed(const std::string& text) {
  return std::get<Options>(parse_far_end(text));
}

TEST(FarEndText, NoneAndUser) {
  EXPECT_TRUE(std::holds_alternative<std::monostate>(parse_far_end("none")));
  EXPECT_FALSE(parsed<GatewayOptions>("user").restricted);
  EXPECT_TRUE(parsed<GatewayOptions>("user,restrict=on").restricted);
  EXPECT_FALSE(parsed<GatewayOptions>("user,restrict=off").restricted);
}

TEST(FarEndText, Tap) {
  EXPECT_EQ(parsed<TapOptions>("tap").interface, "avrlan0");
  EXPECT_FALSE(parsed<TapOptions>("tap").address);
  const auto tap = parsed<TapOptions>("tap,addr=10.0.2.2/8,ifname=tap-7.x_");
  EXPECT_EQ(tap.interface, "tap-7.x_");
  EXPECT_EQ(tap.address->address, 0x0a000202U);
  EXPECT_EQ(tap.address->prefix_length, 8U);
  EXPECT_EQ(tap.address->to_string(), "10.0.2.2/8");
}

TEST(FarEndText, SocketsOfEachKind) {
  const auto listener = parsed<SocketOptions>("socket,listen=:0");
  EXPECT_EQ(listener.kind, SocketOptions::Kind::listen);
  EXPECT_EQ(listener.local.to_string(), "127.0.0.1:0");

  const auto client = parsed<SocketOptions>("socket,connect=[::1]:5001,reconnect=2");
  EXPECT_EQ(client.kind, SocketOptions::Kind::connect);
  EXPECT_EQ(client.remote.host, "::1");
  EXPECT_EQ(client.remote.to_string(), "[::1]:5001");
  EXPECT_EQ(client.reconnect, Duration::seconds(2));
  EXPECT_FALSE(parsed<SocketOptions>("socket,connect=localhost:5001").reconnect);

  const auto datagrams = parsed<SocketOptions>("socket,remote=unix:/tmp/b,local=unix:/tmp/a");
  EXPECT_EQ(datagrams.kind, SocketOptions::Kind::datagram);
  EXPECT_EQ(datagrams.local.path, "/tmp/a");
  EXPECT_EQ(datagrams.remote.to_string(), "unix:/tmp/b");
}

TEST(FarEndText, WhatKeepsTheWallClocksTime) {
  EXPECT_FALSE(needs_real_pace(parse_far_end("none")));
  EXPECT_FALSE(needs_real_pace(parse_far_end("user")));
  EXPECT_TRUE(needs_real_pace(parse_far_end("tap")));
  EXPECT_TRUE(needs_real_pace(parse_far_end("socket,listen=:0")));
}

struct Wrong {
  std::string text, why, hint;
};

class WrongFarEnd : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFarEnd, IsToldWithWhatToWrite) {
  try {
    parse_far_end(GetParam().text);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--net " + GetParam().text + ": "));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().why));
    EXPECT_THAT(error.hint(), HasSubstr(GetParam().hint));
  }
}

const std::string long_path = "socket,listen=unix:/" + std::string(107, 'x');

INSTANTIATE_TEST_SUITE_P(
    Texts, WrongFarEnd,
    testing::Values(
        Wrong{"", "there is no ''", "user, none, peers, tap or socket"},
        Wrong{"slirp", "there is no 'slirp'", "user, none"}, Wrong{"none,x=1", "no key 'x'", "without any"},
        Wrong{"user,", "'' is not of the form key=value", "tap,ifname="},
        Wrong{"user,restrict=yes", "cannot be 'yes'", "restrict=on"},
        Wrong{"user,restrict=on,mtu=1", "'mtu'", "restrict"},
        Wrong{"tap,ifname", "'ifname' is not of the form", "tap,ifname="},
        Wrong{"tap,ifname=", "'' is no name", "1 to 15"}, Wrong{"tap,ifname=a/b", "'a/b'", "1 to 15"},
        Wrong{"tap,ifname=..", "'..'", "1 to 15"}, Wrong{"tap,ifname=tap%d", "'tap%d'", "1 to 15"},
        Wrong{"tap,ifname=sixteen-letters-", "sixteen-letters-", "1 to 15"},
        Wrong{"tap,ifname=a,ifname=b", "ifname is given twice", "keep one ifname="},
        Wrong{"tap,vnet_hdr=on", "'vnet_hdr'", "ifname, addr"}, Wrong{"tap,addr=10.0.2.2", "'10.0.2.2'", "10.0.2.2/24"},
        Wrong{"tap,addr=10.0.2.2/33", "10.0.2.2/33", "10.0.2.2/24"}, Wrong{"tap,addr=10.0.2.2/0", "/0", "10.0.2.2/24"},
        Wrong{"tap,addr=10.0.2/24", "10.0.2/24", "10.0.2.2/24"}, Wrong{"tap,addr=10.0.2.2/24x", "24x", "10.0.2.2/24"},
        Wrong{"socket", "which one?", "socket,listen=ADDRESS"},
        Wrong{"socket,reconnect=1", "which one?", "socket,connect="},
        Wrong{"socket,listen=5001", "'5001' is no address", "127.0.0.1:5001"},
        Wrong{"socket,listen=:65536", "':65536'", "unix:/tmp/cable"}, Wrong{"socket,listen=:", "':'", "HOST:PORT"},
        Wrong{"socket,listen=::1:5001", "'::1:5001'", "HOST:PORT"},
        Wrong{"socket,listen=unix:", "'unix:'", "unix:/tmp"}, Wrong{long_path, "is no address", "unix:/tmp/cable"},
        Wrong{"socket,listen=:0,reconnect=1", "no key 'reconnect'", "keys: listen"},
        Wrong{"socket,listen=:0,connect=:1", "no key 'connect'", "keys: listen"},
        Wrong{"socket,connect=:0", "nobody at port 0", "127.0.0.1:5001"},
        Wrong{"socket,connect=:1,reconnect=0", "cannot be '0'", "1 to 3600"},
        Wrong{"socket,connect=:1,reconnect=1s", "cannot be '1s'", "1 to 3600"},
        Wrong{"socket,local=:1", "remote= is missing", "remote=ADDRESS"},
        Wrong{"socket,remote=:1", "local= is missing", "local=ADDRESS"},
        Wrong{"socket,local=:1,remote=unix:/a", "one end is a file", "both a file"},
        Wrong{"socket,local=:1,remote=:0", "nobody at port 0", "HOST:PORT"}));

}  // namespace
}  // namespace avrlan::net
