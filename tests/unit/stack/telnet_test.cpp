#include "stack/app/telnet.hpp"

#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

// Answers each line with itself.
struct Console {
  std::vector<std::string> lines;

  void command(const char* line, tcpip::TelnetReply& reply) {
    lines.push_back(line ? line : "greeting");
    reply.argument = static_cast<uint32_t>(lines.size() - 1);
    reply.close = lines.back() == "quit";
  }
  template <class Text>
  void print(const tcpip::TelnetReply& reply, Text& out) {
    out << "<" << lines[reply.argument].c_str() << ">";
  }
};

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  using TcpApplications = tcpip::List<tcpip::TelnetServer<Console>>;
};

struct TelnetTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench, 23};
  uint32_t seq = 1;
  uint32_t got = 0;

  TelnetTest() {
    bench.introduce();
    peer.open();
    EXPECT_EQ(replies(), "<greeting>");
  }

  void send(const std::string& data) {
    peer.send("ACK PSH", seq, 1 + got, data);
    seq += static_cast<uint32_t>(data.size());
  }
  // All that comes, acknowledged as it comes.
  std::string replies() {
    std::string all;
    while (!bench.silent()) {
      last = peer.next();
      if (peer.data.empty()) continue;
      all += peer.data;
      got += static_cast<uint32_t>(peer.data.size());
      peer.send("ACK", seq, 1 + got);
    }
    return all;
  }
  std::string last;
};

TEST_F(TelnetTest, AnswersLineByLine) {
  send("one\r\n");
  EXPECT_EQ(replies(), "<one>");
  send("tw");
  EXPECT_EQ(replies(), "");
  send("o\r");
  EXPECT_EQ(replies(), "<two>");
  send("\n");
  EXPECT_EQ(replies(), "") << "of the line before";
  send(std::string("three\r\0four\n", 12));
  EXPECT_EQ(replies(), "<three><four>");
  send("\r\n");
  EXPECT_EQ(replies(), "<>");
}

TEST_F(TelnetTest, AnswersAreMadeAgainWhenTheyAreLost) {
  send("one\r\ntwo\r\n");
  peer.next();
  EXPECT_EQ(peer.data, "<one>");
  bench.sent().clear();
  bench.run_for(1'200);
  peer.next();
  EXPECT_EQ(peer.data, "<one>");
  peer.send("ACK", seq, 1 + got + 2);  // a part of it
  bench.sent().clear();
  bench.run_for(3'000);
  peer.next();
  EXPECT_EQ(peer.data, "ne>");
  got += 5;
  peer.send("ACK", seq, 1 + got);
  EXPECT_EQ(replies(), "<two>");
}

// RFC 854: an option is refused once, and a refusal is not answered.
TEST_F(TelnetTest, RefusesEveryOption) {
  send("\xff\xfb\x01\xff\xfd\x03");
  EXPECT_EQ(replies(), "\xff\xfe\x01\xff\xfc\x03");
  send("\xff\xfc\x01\xff\xfe\x03");
  EXPECT_EQ(replies(), "");
  send(std::string("a\xff\xfa\x18\0x\xff\xff\r\n\xff\xf0z\xff\xf1\xff\xff\r\n", 19));
  EXPECT_EQ(replies(), "<az>") << "subnegotiations, NOP and octet 255 are passed over";
}

TEST_F(TelnetTest, LinesCanBeEditedAndAreCut) {
  send("hexx\b\x7flp\x01\t\xe4\r\n");
  EXPECT_EQ(replies(), "<help>");
  send("\b\b\bx\r\n");
  EXPECT_EQ(replies(), "<x>");
  send("123456789012345678901234");
  send("567\r\n");
  EXPECT_EQ(replies(), "<12345678901234567890123>");
}

TEST_F(TelnetTest, ClosesAfterTheAnswer) {
  send("quit\r\nmore\r\n");
  EXPECT_EQ(replies(), "<quit>");
  EXPECT_NE(last.find("FIN"), std::string::npos) << last;
}

TEST_F(TelnetTest, AnswersWhatCameBeforeThePeerClosed) {
  peer.send("ACK PSH FIN", seq, 1 + got, "one\ntwo\n");
  seq += 9;
  EXPECT_EQ(replies(), "<one><two>");
  EXPECT_NE(last.find("FIN"), std::string::npos) << last;
}

}  // namespace
}  // namespace avrlan::test
