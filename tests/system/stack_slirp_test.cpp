// The stack against libslirp's TCP, which has nothing in common with it: a stream each way through the gateway to a socket
// of the host. The stack and slirp run on virtual time; the host's socket is looked at without waiting.
#include <fcntl.h>
#include <poll.h>

#include "emulator/net/gateway.hpp"
#include "emulator/net/link.hpp"
#include "tests/system/bulk_socket.hpp"
#include "tests/unit/stack/link_end.hpp"

namespace avrlan::test {
namespace {

template <class Profile>
struct StackSlirpTest : testing::Test {};
using Profiles = testing::Types<tcpip::Minimal, tcpip::Full>;
TYPED_TEST_SUITE(StackSlirpTest, Profiles);

// Until both are done, a virtual millisecond at a time.
template <class Profile>
void exchange(Scheduler& scheduler, net::Gateway& gateway, LinkEnd<Profile>& end, BulkSocket& host) {
  for (int ms = 0; ms < 600'000 && !(end.app().ended && host.done()); ++ms) {
    gateway.poll_host(0);
    scheduler.run_until(scheduler.now() + Duration::milliseconds(1));
    end.poll(static_cast<uint32_t>(scheduler.now().since_start().milliseconds()));
    host.pump();
  }
  end.expect_everything();
  host.expect_everything();
}

constexpr Ipv4Address guest = {{10, 0, 2, 15}};

TYPED_TEST(StackSlirpTest, ConnectsToTheHost) {
  Scheduler scheduler;
  LinkEnd<TypeParam> end(guest, 0, 0);
  net::GatewayOptions options;
  options.host_access = true;
  net::Gateway gateway(scheduler, end, options);
  end.attach(gateway);
  BulkSocket host(1);
  const uint16_t port = host.listen("127.0.0.1");
  ASSERT_NE(end.stack.template connect<Bulk>(Ipv4Address{{10, 0, 2, 2}}, port), nullptr);
  exchange(scheduler, gateway, end, host);
}

TYPED_TEST(StackSlirpTest, IsConnectedToByTheHost) {
  Scheduler scheduler;
  LinkEnd<TypeParam> end(guest, 0, 0);
  net::GatewayOptions options;
  options.forwards.push_back(net::HostForward::parse("tcp:127.0.0.1:0-:5001"));
  net::Gateway gateway(scheduler, end, options);
  end.attach(gateway);
  BulkSocket host(1);
  host.connect("127.0.0.1", gateway.forwards().front().host_port);
  exchange(scheduler, gateway, end, host);
}

TYPED_TEST(StackSlirpTest, SurvivesLossDelayAndReordering) {
  Scheduler scheduler;
  LinkEnd<TypeParam> end(guest, 0, 0);
  const auto faults = net::LinkOptions::parse("rate=10M,delay=20ms,loss=1%,reorder=1%");
  net::Link to_end(scheduler, end, faults, 1);
  net::GatewayOptions options;
  options.host_access = true;
  net::Gateway gateway(scheduler, to_end, options);
  net::Link to_gateway(scheduler, gateway, faults, 0);
  end.attach(to_gateway);
  BulkSocket host(1);
  const uint16_t port = host.listen("127.0.0.1");
  ASSERT_NE(end.stack.template connect<Bulk>(Ipv4Address{{10, 0, 2, 2}}, port), nullptr);
  exchange(scheduler, gateway, end, host);
}

}  // namespace
}  // namespace avrlan::test
