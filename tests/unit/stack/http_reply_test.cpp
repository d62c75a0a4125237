#include "stack/app/http_reply.hpp"

#include <gtest/gtest.h>

#include <string>

namespace avrlan::test {
namespace {

std::string body_of(tcpip::HttpReply& reply, const std::string& octets) {
  std::string body;
  for (const char octet : octets)
    if (reply.take(octet)) body += octet;
  return body;
}

TEST(HttpReply, TellsStatusAndBody) {
  tcpip::HttpReply reply;
  EXPECT_EQ(body_of(reply, "HTTP/1.0 200 OK\r\nServer: x\r\nA:b\r\n\r\nline\r\n\r\nmore"), "line\r\n\r\nmore");
  EXPECT_EQ(reply.status(), 200);
  EXPECT_TRUE(reply.has_body());
  EXPECT_EQ(reply.body_octets(), 12U);
}

TEST(HttpReply, TakesLineFeedsAloneAndAStatusWithoutReason) {
  tcpip::HttpReply reply;
  EXPECT_EQ(body_of(reply, "HTTP/1.1 404\n\nno"), "no");
  EXPECT_EQ(reply.status(), 404);
}

TEST(HttpReply, HasNoBodyBeforeTheHeaderEnds) {
  tcpip::HttpReply reply;
  EXPECT_EQ(body_of(reply, "HTTP/1.0 200 OK\r\nServer: x\r\n"), "");
  EXPECT_EQ(reply.status(), 200);
  EXPECT_FALSE(reply.has_body());
}

TEST(HttpReply, HasNoStatusWhenItIsNoneOfHttp) {
  for (const char* text :
       {"", "hello\r\n\r\nbody", "HTTP/1.0 20 OK\r\n\r\nbody", "HTTP/1.0 ok\r\n\r\nbody", "HTTP/1.0 2"}) {
    tcpip::HttpReply reply;
    EXPECT_EQ(body_of(reply, text), "") << text;
    EXPECT_EQ(reply.status(), 0) << text;
  }
}

}  // namespace
}  // namespace avrlan::test
