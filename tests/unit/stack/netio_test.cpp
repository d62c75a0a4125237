#include "stack/app/netio.hpp"

#include "tests/unit/stack/bench.hpp"

namespace avrlan::test {
namespace {

struct Config : tcpip::Minimal {
  using Device = RamDevice;
  static constexpr bool split_segments = false;
  using TcpApplications = tcpip::List<tcpip::NetioServer>;
};

struct NetioTest : testing::Test {
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench, 18767};
  uint32_t seq = 1;
  uint32_t got = 0;    // octets of the stream
  std::string stream;  // what came of it

  NetioTest() {
    bench.introduce();
    peer.open();
  }

  static std::string command(uint32_t code, uint32_t size) {
    std::string text;
    for (const uint32_t value : {code, size})
      for (int shift = 24; shift >= 0; shift -= 8) text.push_back(static_cast<char>(value >> shift));
    return text;
  }
  void send(const std::string& data) {
    peer.send("ACK PSH", seq, 1 + got, data);
    seq += static_cast<uint32_t>(data.size());
  }
  // Takes one segment and acknowledges it. False: there is none with data.
  bool take() {
    const std::string segment = peer.next();
    if (peer.data.empty()) return false;
    EXPECT_EQ(segment.find(std::to_string(1 + got) + "+"), segment.find_first_of("0123456789")) << segment;
    got += static_cast<uint32_t>(peer.data.size());
    stream += peer.data;
    peer.send("ACK", seq, 1 + got);
    return true;
  }
};

TEST_F(NetioTest, TakesBlocksUntilTheLastAndThenCommands) {
  send(command(1, 1000));
  std::string blocks(3000, 'x');
  blocks[0] = blocks[1000] = 0;
  for (size_t at = 0; at < 2999; at += 700) send(blocks.substr(at, std::min<size_t>(700, 2999 - at)));
  EXPECT_EQ(stream, "");
  // The last octet of the last block, the next command, and a block of one octet that is the last.
  send("x" + command(1, 1) + "y" + command(0, 0));
  std::string last;
  while (!bench.silent()) last = peer.next();
  EXPECT_NE(last.find("FIN"), std::string::npos) << last;
}

TEST_F(NetioTest, SendsBlocksForSixSecondsAndMarksTheLast) {
  const uint32_t size = 1000;
  send(command(2, size));
  const uint32_t start = bench.now;
  while (bench.now - start < 10'000) {
    take();
    bench.run_for(50);
  }
  ASSERT_GT(stream.size(), 50'000u);
  ASSERT_EQ(stream.size() % size, 0u);
  for (size_t block = 0; block < stream.size(); block += size)
    ASSERT_EQ(stream[block], block + size == stream.size()) << block;
  send(command(2, 10));
  EXPECT_TRUE(take());
}

TEST_F(NetioTest, BlocksThatAreLostComeAgain) {
  send(command(2, 64));
  ASSERT_EQ(peer.next(), "PSH ACK 1+1460 ack 9 win 1452");
  const std::string first = peer.data;
  bench.run_for(1'100);
  ASSERT_EQ(peer.next(), "PSH ACK 1+1460 ack 9 win 1452");
  EXPECT_EQ(peer.data, first);
}

TEST_F(NetioTest, AClientThatClosesOrSpeaksWhileItIsSentToIsCutOff) {
  send(command(2, 64));
  peer.next();
  peer.send("FIN ACK", seq, 1);
  std::string last;
  while (!bench.silent()) last = peer.next();
  EXPECT_EQ(last.substr(0, 3), "RST") << last;
}

TEST_F(NetioTest, CommandsThatAreUnknownCloseTheConnection) {
  send(command(3, 64));
  EXPECT_EQ(peer.next().substr(0, 7), "FIN ACK");
}

TEST_F(NetioTest, NothingHasBlocksOfNoOctets) {
  send(command(1, 0));
  EXPECT_EQ(peer.next().substr(0, 7), "FIN ACK");
}

}  // namespace
}  // namespace avrlan::test
