// The stack against Linux's TCP: a TAP device in a network namespace of this process's own, a stream each way to a socket
// there. Linux keeps its own time, so the stack is given the host's; nothing depends on how long anything takes.
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <chrono>
#include <cstring>

#include "tests/system/bulk_socket.hpp"
#include "tests/unit/stack/link_end.hpp"

namespace avrlan::test {
namespace {

// Linux's end of the cable. `problem` says why there is none.
class Tap : public FrameSink {
 public:
  std::string problem;

  Tap() { set_up(); }
  ~Tap() override {
    if (fd_ >= 0) ::close(fd_);
  }
  Tap(const Tap&) = delete;
  Tap& operator=(const Tap&) = delete;

  void deliver(const EthernetFrame& frame) override {
    EXPECT_EQ(::write(fd_, frame.octets.data(), frame.octets.size()), static_cast<ssize_t>(frame.octets.size()));
  }
  // Hands over what Linux has sent, and waits at most a millisecond for it.
  void forward(FrameSink& to) {
    pollfd p{fd_, POLLIN, 0};
    ::poll(&p, 1, 1);
    uint8_t octets[1514];
    for (ssize_t n; (n = ::read(fd_, octets, sizeof octets)) > 0;)
      to.deliver(EthernetFrame::padded(std::span(octets, static_cast<size_t>(n))));
  }

 private:
  void set_up() {
    if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
      return fail("a network namespace");
    fd_ = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    if (fd_ < 0) return fail("/dev/net/tun");
    ifreq request = named();
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (::ioctl(fd_, TUNSETIFF, &request) != 0) return fail("a TAP device");
    const int control = ::socket(AF_INET, SOCK_DGRAM, 0);
    set_address(control, SIOCSIFADDR, "10.0.0.9");
    set_address(control, SIOCSIFNETMASK, "255.255.255.0");
    request = named();
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    if (::ioctl(control, SIOCSIFFLAGS, &request) != 0) fail("to set up the TAP device");
    ::close(control);
  }
  static ifreq named() {
    ifreq request{};
    std::strcpy(request.ifr_name, "avrlan0");
    return request;
  }
  void set_address(int control, unsigned long what, const char* address) {
    ifreq request = named();
    sockaddr_in name{};
    name.sin_family = AF_INET;
    ::inet_pton(AF_INET, address, &name.sin_addr);
    std::memcpy(&request.ifr_addr, &name, sizeof name);
    if (::ioctl(control, what, &request) != 0) fail("to set the TAP device's address");
  }
  void fail(const char* what) { problem = std::string("needs ") + what + ": " + std::strerror(errno); }

  int fd_ = -1;
};

template <class Profile>
class StackTapTest : public testing::Test {
 protected:
  Tap tap;
  LinkEnd<Profile> end{Ipv4Address{{10, 0, 0, 1}}, 0, 0};
  BulkSocket linux_end{1};

  void SetUp() override {
    if (!tap.problem.empty()) GTEST_SKIP() << tap.problem;
    end.attach(tap);
  }
  void exchange() {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto ms = [&] {
      return static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
    };
    while (!(end.app().ended && linux_end.done()) && ms() < 120'000) {
      tap.forward(end);
      end.poll(ms());
      linux_end.pump();
    }
    end.expect_everything();
    linux_end.expect_everything();
  }
};
using Profiles = testing::Types<tcpip::Minimal, tcpip::Full>;
TYPED_TEST_SUITE(StackTapTest, Profiles);

TYPED_TEST(StackTapTest, ConnectsToLinux) {
  const uint16_t port = this->linux_end.listen("10.0.0.9");
  ASSERT_NE(this->end.stack.template connect<Bulk>(Ipv4Address{{10, 0, 0, 9}}, port), nullptr);
  this->exchange();
}

TYPED_TEST(StackTapTest, IsConnectedToByLinux) {
  this->linux_end.connect("10.0.0.1", Bulk::port);
  this->exchange();
}

}  // namespace
}  // namespace avrlan::test
