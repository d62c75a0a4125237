// The stack compiled for the host, over a driver whose frames are vectors of their exact size.

#include <gtest/gtest-spi.h>

#include <algorithm>

#include "stack/app/test_services.hpp"
#include "tests/conformance/link.hpp"
#include "tests/unit/stack/ram_device.hpp"

namespace avrlan::test {
namespace {

struct Report {
  static inline std::string all;
  static void put(char what) { all += what; }
};

template <class Config>
class HostLink final : public Link {
 public:
  HostLink(Profile of, bool configured) : Link(of) {
    static const std::uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    Report::all.clear();
    tcpip::MacAddress mac;
    std::copy(our_mac.begin(), our_mac.end(), mac.octet);
    stack_.begin(mac, secret, milliseconds());
    if (configured)
      stack_.configure(tcpip::test_services::own_address, tcpip::test_services::own_mask,
                       tcpip::test_services::own_gateway);
  }

  // What chips drop never gets as far as the stack.
  void transmit(const Octets& frame) override {
    if (frame.size() <= max_frame_octets) stack_.device().waiting.push_back(frame);
  }
  Instant now() const override { return now_; }
  void execute(char what) override {
    tcpip::test_services::command<Report>(stack_, what);
    take_frames();
  }
  const std::string& reports() const override { return Report::all; }
  std::string trouble() override {
    std::string all;
    for (int n = 0; n < failures_.size(); ++n) all += failures_.GetTestPartResult(n).summary() + std::string("; ");
    return all;
  }

 private:
  std::uint32_t milliseconds() const { return static_cast<std::uint32_t>(now_.since_start().milliseconds()); }

  void advance(Duration d) override {
    stack_.poll(milliseconds());
    take_frames();
    now_ += d;
  }
  void take_frames() {
    auto& sent = stack_.device().sent;
    while (!sent.empty()) {
      const Octets frame = sent.front();
      sent.pop_front();
      arrived(now_, frame);
    }
  }

  // RamDevice tells of its troubles by failures.
  testing::TestPartResultArray failures_;
  testing::ScopedFakeTestPartResultReporter reporter_{&failures_};
  tcpip::Stack<Config> stack_;
  Instant now_ = Instant::at(s(1));
};

template <class P>
std::unique_ptr<Link> make(Profile profile, Setup setup) {
  using namespace tcpip::test_services;
  if (setup == Setup::dhcp) return std::make_unique<HostLink<DhcpConfig<P, RamDevice, Report>>>(profile, false);
  return std::make_unique<HostLink<Config<P, RamDevice, Report>>>(profile, true);
}

}  // namespace

std::unique_ptr<Link> make_host_link(Profile profile, Setup setup) {
  return profile == Profile::minimal ? make<tcpip::Minimal>(profile, setup) : make<tcpip::Full>(profile, setup);
}

}  // namespace avrlan::test
