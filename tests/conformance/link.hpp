#pragma once
// The wire between a rule and the stack that it is about, in virtual time, whatever runs the stack: the host's build
// (host_link.cpp) or the AVR's ELF on the emulator (avr_link.cpp).

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::test {

using Octets = std::vector<std::uint8_t>;

enum class Profile : std::uint8_t { minimal, full };
enum class Build : std::uint8_t { host, avr };
// How the stack has its address: by hand, or by DHCP.
enum class Setup : std::uint8_t { configured, dhcp };

constexpr Duration ms(std::int64_t n) {
  return Duration::milliseconds(n);
}
constexpr Duration s(std::int64_t n) {
  return Duration::seconds(n);
}

// The wire. The stack is 10.0.0.1/24, see stack/app/test_services.hpp.
constexpr MacAddress our_mac{0x02, 0x41, 0x56, 0x52, 0x4C, 0x4E};
constexpr MacAddress peer_mac{0x02, 0, 0, 0, 0, 0x99};
constexpr MacAddress gateway_mac{0x02, 0, 0, 0, 0, 0xfe};
constexpr MacAddress everybody{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
constexpr std::uint32_t our_ip = 0x0a000001;
constexpr std::uint32_t peer_ip = 0x0a000009;
constexpr std::uint32_t dead_ip = 0x0a00004d;  // nobody has it
constexpr std::uint32_t gateway_ip = 0x0a0000fe;
constexpr std::uint32_t far_ip = 0xc0000201;  // 192.0.2.1, behind the gateway
constexpr std::uint32_t our_broadcast = 0x0a0000ff;
constexpr std::uint32_t broadcast_ip = 0xffffffff;

// What a rule throws when it is broken.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};
inline void require(bool met, const std::string& otherwise) {
  if (!met) throw Broken(otherwise);
}

class Link {
 public:
  struct Frame {
    Instant at;
    Octets octets;
  };

  explicit Link(Profile of) : profile(of) {}
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  const Profile profile;

  // Puts a frame, without FCS and as short as it is, on the wire.
  void send(const Octets& frame);
  virtual Instant now() const = 0;
  // A command to the test services (stack/app/test_services.hpp), and their reports since the start.
  void command(char what);
  virtual const std::string& reports() const = 0;
  // What the stack did wrong that is not seen on the wire: accesses outside of a frame, diagnostics of the emulator, a
  // program that ended. Empty: nothing.
  virtual std::string trouble() = 0;

  void run_for(Duration d);
  // The next frame of the stack. Requests of the known hosts' addresses are answered and not told, see asked.
  std::optional<Frame> next(Duration within);
  // The next frame that `wanted` is true of; the others before it are forgotten.
  std::optional<Frame> find(Duration within, const std::function<bool(const Frame&)>& wanted);
  // Throws when the stack sends anything during d, or has sent it before.
  void silence(Duration d);
  // Forgets what the stack has sent up to now.
  void forget() { frames_.clear(); }
  // Whether the reports get to be `text` within d.
  bool reported(const std::string& text, Duration within);

  // Throws when a frame of the stack, since the start, is malformed, or an ICMP or UDP message has octets in it that the
  // stack was not sent. Forgets them.
  void expect_no_leak();

  // A port that no peer has had.
  std::uint16_t fresh_port() { return ++last_port_; }

  // Called for each frame to or of the stack, and for each command.
  std::function<void(bool to_stack, const Octets&)> on_frame;
  std::function<void(char)> on_command;

  // Who answers ARP requests.
  std::map<std::uint32_t, MacAddress> hosts{{peer_ip, peer_mac}, {gateway_ip, gateway_mac}};
  // Every ARP request of the stack: when, and for which address.
  struct Asked {
    Instant at;
    std::uint32_t address;
  };
  std::vector<Asked> asked;

 protected:
  virtual void transmit(const Octets& frame) = 0;
  virtual void execute(char command) = 0;
  // Runs the stack for d, which is short; its frames go to arrived() as they come.
  virtual void advance(Duration d) = 0;
  void arrived(Instant at, const Octets& frame);

 private:
  bool wait_for(Instant end, const std::function<bool()>& done);

  std::uint16_t last_port_ = 40'000;
  std::deque<Frame> frames_;
  std::vector<Octets> sent_to_, sent_by_;  // the stack
  std::string broken_;                     // why a frame was wrong
};

// A stack that has just been started.
std::unique_ptr<Link> make_link(Build build, Profile profile, Setup setup);
std::unique_ptr<Link> make_host_link(Profile profile, Setup setup);
std::unique_ptr<Link> make_avr_link(Profile profile, Setup setup);

}  // namespace avrlan::test
