// Two stacks at the two ends of a link that loses, delays and reorders.
#include "emulator/net/link.hpp"
#include "tests/unit/stack/link_end.hpp"

namespace avrlan::test {
namespace {

// Polls its stack when a frame comes and every 8 ms.
template <class Profile>
class Station : public LinkEnd<Profile> {
 public:
  Station(Scheduler& scheduler, uint8_t us)
      : LinkEnd<Profile>(Ipv4Address{{10, 0, 0, us}}, us, 0), scheduler_(scheduler) {}

  void start(FrameSink& link) {
    this->attach(link);
    tick();
  }
  void deliver(const EthernetFrame& frame) override {
    LinkEnd<Profile>::deliver(frame);
    poll_now();
  }

 private:
  void tick() {
    poll_now();
    scheduler_.after(Duration::milliseconds(8), [this] { tick(); });
  }
  void poll_now() { this->poll(static_cast<uint32_t>(scheduler_.now().since_start().milliseconds())); }

  Scheduler& scheduler_;
};

// Bulk each way. Returns how many octets were made again; `held`: frames that A preloaded.
template <class A, class B>
uint32_t exchange(uint64_t seed, const std::string& link, uint32_t* held = nullptr) {
  Scheduler scheduler;
  Station<A> a(scheduler, 0);
  Station<B> b(scheduler, 1);
  net::LinkOptions options = net::LinkOptions::parse(link);
  options.seed = seed;
  net::Link to_b(scheduler, b, options, 0), to_a(scheduler, a, options, 1);
  a.start(to_b);
  b.start(to_a);
  EXPECT_NE(a.stack.template connect<Bulk>(b.stack.address(), Bulk::port), nullptr);
  const auto limit = Instant() + Duration::seconds(600);
  while (!(a.app().ended && b.app().ended) && scheduler.now() < limit)
    scheduler.run_until(scheduler.now() + Duration::milliseconds(100));
  a.expect_everything();
  b.expect_everything();
  if (held) *held = a.stack.device().holds;
  return a.app().produced + b.app().produced - 2 * bulk_length;
}

template <class First, class Second>
struct Pair {
  using A = First;
  using B = Second;
};
template <class Pair>
struct TcpPairTest : testing::Test {
  static uint32_t exchange_bulk(uint64_t seed, const std::string& link) {
    return exchange<typename Pair::A, typename Pair::B>(seed, link);
  }
};
using Pairs = testing::Types<Pair<tcpip::Minimal, tcpip::Minimal>, Pair<tcpip::Minimal, tcpip::Full>,
                             Pair<tcpip::Full, tcpip::Full>>;
TYPED_TEST_SUITE(TcpPairTest, Pairs);

TYPED_TEST(TcpPairTest, OneMegabyteEachWayThroughLossDelayAndReordering) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_GT(this->exchange_bulk(seed, "rate=10M,delay=20ms,loss=1%,reorder=1%,dup=0.5%,jitter=2ms"), 0u)
        << "nothing was lost?";
    ASSERT_FALSE(this->HasFailure()) << seed;
  }
}

TYPED_TEST(TcpPairTest, NothingIsSentTwiceWhenNothingIsLost) {
  EXPECT_EQ(this->exchange_bulk(1, "rate=10M,delay=20ms"), 0u);
}

struct Preloading : tcpip::Minimal {
  static constexpr bool preload = true;
};

// On a link that is short enough for the peer to acknowledge at once.
TEST(TcpPreloadPairTest, OneMegabyteEachWayThroughLossAndReordering) {
  const std::string link = "rate=10M,delay=1ms,loss=1%,reorder=1%,dup=0.5%";
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    uint32_t held = 0;
    exchange<Preloading, Preloading>(seed, link, &held);
    EXPECT_GT(held, 100u);
    exchange<Preloading, tcpip::Full>(seed, link);
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

}  // namespace
}  // namespace avrlan::test
