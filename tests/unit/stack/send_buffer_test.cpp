#include "stack/tcp/send_buffer.hpp"

#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/notes.hpp"

namespace avrlan::test {
namespace {

struct Sender : tcpip::TcpApplication {
  static constexpr uint16_t port = 80;
  struct State {
    tcpip::SendBuffer<> out;
  };
  State* state = nullptr;
  tcpip::Connection* connection = nullptr;

  void event(tcpip::Connection& c, State& s, tcpip::TcpEvent event) {
    state = &s;
    connection = &c;
    if (event == tcpip::TcpEvent::acked) s.out.release(c.acknowledged());
  }
  template <class Writer>
  void produce(tcpip::Connection&, State& s, uint32_t offset, Writer& writer) {
    s.out.produce(offset, writer);
  }
};

template <class Profile>
struct SendBufferTest : testing::Test {
  struct Config : Profile {
    using Device = RamDevice;
    using TcpApplications = tcpip::List<Sender>;
    static constexpr bool split_segments = false;
  };
  Bench<Config> bench;
  TcpPeer<Bench<Config>> peer{bench};

  SendBufferTest() {
    bench.introduce();
    peer.open();
  }
  Sender& app() { return bench.stack.template tcp_application<Sender>(); }
  void wake() {
    app().connection->wake();
    bench.stack.poll(bench.now);
  }
};
using Profiles = testing::Types<tcpip::Minimal, tcpip::Full>;
TYPED_TEST_SUITE(SendBufferTest, Profiles);

TYPED_TEST(SendBufferTest, PiecesGoInOneSegmentAndAgain) {
  auto& out = this->app().state->out;
  EXPECT_TRUE(out.is_empty());
  EXPECT_TRUE(out.add("hello ", 6));
  EXPECT_TRUE(out.add("world", 5));
  EXPECT_TRUE(out.is_full());
  EXPECT_FALSE(out.add("!", 1));
  this->wake();
  this->peer.next();
  EXPECT_EQ(this->peer.data, "hello world");
  this->peer.send("ACK", 1, 4);
  EXPECT_TRUE(out.is_full());
  this->bench.run_for(1100);
  this->peer.next();
  EXPECT_EQ(this->peer.data, "lo world");
  this->peer.send("ACK", 1, 9);
  EXPECT_FALSE(out.is_full());
  EXPECT_TRUE(out.add("!", 1));
  this->peer.send("ACK", 1, 12);
  EXPECT_EQ(this->peer.next(), "PSH ACK 12+1 ack 1 win " + std::to_string(TypeParam::receive_window));
  EXPECT_EQ(this->peer.data, "!");
  this->peer.send("ACK", 1, 13);
  EXPECT_TRUE(out.is_empty());
}

}  // namespace
}  // namespace avrlan::test
