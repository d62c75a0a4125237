// Random and mutated frames through the guard into libslirp, with a host that talks back. Crashes end the program; what
// else counts as a failure: a broken frame to the board, and a contact with the host's loopback that was not allowed.
//
//   fuzz_gateway [--runs N] [--seed S]
//
// Runs in a network namespace of its own, where nothing but its own servers can be reached; where that is not allowed,
// with slirp in restricted mode.

#include <cstdio>
#include <cstdlib>

#include "emulator/net/gateway.hpp"
#include "tests/fuzz/gateway_frames.hpp"
#include "tests/fuzz/gateway_host.hpp"
#include "tests/fuzz/options.hpp"

namespace avrlan::fuzz {
namespace {

constexpr std::uint64_t frames_per_session = 4000;

// Where the gateway's frames arrive; each must be one that a network could carry.
class Board : public FrameSink {
 public:
  explicit Board(FrameMaker& maker) : maker_(maker) {}
  void deliver(const EthernetFrame& frame) override {
    ++received;
    if (!sound(frame)) ++broken;
    maker_.learn(frame);
  }
  std::uint64_t received = 0;
  std::uint64_t broken = 0;

 private:
  static bool sound(const EthernetFrame& frame) {
    if (!frame.fcs_ok() || frame.octets.size() < min_frame_octets || frame.octets.size() > max_frame_octets) {
      return false;
    }
    const std::uint16_t type = net::read16(frame.octets, 12);
    if (type != net::ethertype_ipv4) return type == net::ethertype_arp;
    return net::Packet::parse(std::span(frame.octets).subspan(net::ethernet_header)).has_value();
  }
  FrameMaker& maker_;
};

struct Tally {
  std::uint64_t failed = 0;
  std::uint64_t passed_guard = 0;
  std::uint64_t to_board = 0;
};

// One gateway from power-on to its end.
void session(Dice& dice, std::uint64_t frames, bool isolated, Tally& tally) {
  Scheduler scheduler;
  FrameMaker maker(dice);
  Board board(maker);
  Host host(dice);
  net::GatewayOptions options;
  options.restricted = !isolated;
  options.host_access = dice.one_in(2);
  options.forwards.push_back(net::HostForward::parse("tcp::0-:80"));
  if (dice.one_in(2)) options.forwards.push_back(net::HostForward::parse("udp::0-:7"));
  net::Gateway gateway(scheduler, board, options);
  const std::uint16_t tcp = gateway.forwards().front().host_port;
  const std::uint16_t udp = gateway.forwards().back().host_port;

  for (std::uint64_t i = 0; i < frames; ++i) {
    const std::uint64_t before = board.broken + (options.host_access ? 0 : host.loopback_contacts());
    gateway.deliver(maker.next());
    if (dice.one_in(4)) scheduler.run_until(scheduler.now() + Duration::microseconds(100));
    if (dice.one_in(16)) {
      host.act(tcp, udp);
      gateway.poll_host(0);
    }
    if (dice.one_in(200)) {
      scheduler.run_until(scheduler.now() + Duration::milliseconds(static_cast<std::int64_t>(dice.below(20'000))));
    }
    if (dice.one_in(500)) gateway.give_up_waiting();
    (void)gateway.host_state();
    if (board.broken + (options.host_access ? 0 : host.loopback_contacts()) != before) ++tally.failed;
  }
  tally.passed_guard += frames - gateway.drops().total();
  tally.to_board += board.received;
}

int run(std::uint64_t runs, std::uint64_t seed) {
  const bool isolated = enter_empty_network();
  if (!isolated) std::puts("no network namespace: slirp in restricted mode");
  Dice dice(seed);
  Tally tally;
  for (std::uint64_t done = 0; done < runs;) {
    const std::uint64_t frames = std::min(frames_per_session, runs - done);
    session(dice, frames, isolated, tally);
    done += frames;
  }
  const auto print = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("%llu frames passed the guard, %llu came back\n", print(tally.passed_guard), print(tally.to_board));
  std::printf("%llu passed, %llu failed\n", print(runs - tally.failed), print(tally.failed));
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace avrlan::fuzz

// libslirp 4.7.0 forgets, at its end, frames that still wait for an ARP reply. Only it allocates through GLib here.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:g_malloc";
}

int main(int argc, char** argv) {
  std::uint64_t runs = 100'000;
  std::uint64_t seed = 1;
  avrlan::fuzz::read_options(argc, argv, {{"--runs", &runs}, {"--seed", &seed}});
  return avrlan::fuzz::run(runs, seed);
}
