// Guest megahertz of a whole board, by either engine: the web image under load (a peer in virtual time fetches pages without a
// pause), and an idle firmware. Our own peripherals and chip in both; what differs is who executes the instructions. And what
// it costs to observe the web image, and to have gdb connected that lets it run.
// Usage: machine_bench FIRMWARE_DIR BENCH_DIR [ROUNDS]. Prints; asserts nothing.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/cli/simulation.hpp"
#include "emulator/debug/debugger.hpp"
#include "emulator/profile/recording.hpp"
#include "tests/bench/measure.hpp"
#include "tests/support/scripted_peer.hpp"

namespace {

using namespace avrlan;
using bench::cpu_seconds;
using bench::median;

double megahertz(Machine& machine, double start) {
  return static_cast<double>(machine.cycle().count) * 1e-6 / (cpu_seconds() - start);
}

// As far as the debugger knows, a gdb that has said `continue`.
class Continued {
 public:
  Continued(Simulation& simulation, const Firmware& firmware)
      : debugger_(simulation, firmware, debug::ServerOptions::parse("0"), -1),
        gdb_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::string& endpoint = debugger_.endpoint();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    constexpr std::string_view go = "$vCont;c#a8";
    if (::connect(gdb_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::send(gdb_, go.data(), go.size(), 0) != static_cast<ssize_t>(go.size()))
      throw std::runtime_error("no connection to " + endpoint);
  }
  ~Continued() { ::close(gdb_); }
  Continued(const Continued&) = delete;
  Continued& operator=(const Continued&) = delete;
  std::optional<MachineEnd> run_until(Instant limit) { return debugger_.run_until(limit); }

 private:
  debug::Debugger debugger_;
  int gdb_;
};

double web(const std::filesystem::path& elf, EngineKind engine, int pages,
           const profile::RecordingOptions* record = nullptr, bool gdb = false) {
  const Board& board = find_board("uno-enc28j60");
  const Firmware firmware = Firmware::load_elf(elf);
  SimulationOptions options;
  options.machine.engine = engine;
  test::ScriptedPeer* peer = nullptr;
  Simulation simulation(board, firmware, options, [&](Scheduler& scheduler, FrameSink& to_board) {
    auto made = std::make_unique<test::ScriptedPeer>(scheduler, to_board);
    peer = made.get();
    return made;
  });
  for (int page = 0; page < pages; ++page) {
    peer->get("/");
    peer->get("/bytes?n=20000");
  }
  Machine& machine = simulation.machine();
  std::optional<profile::Recording> recording;
  if (record != nullptr) {
    recording.emplace(machine, firmware, *record);
    simulation.on_frame([&](bool in, const EthernetFrame& frame) { recording->frame(in, frame.octets.size()); });
    simulation.on_nic_event([&](const NicEvent& event) { recording->nic_event(event); });
  }
  std::optional<Continued> continued;
  if (gdb) continued.emplace(simulation, firmware);
  const double start = cpu_seconds();
  while (!peer->done()) {
    const Instant until = machine.now() + Duration::milliseconds(10);
    if (continued ? continued->run_until(until) : machine.run_until(until))
      throw std::runtime_error("the firmware has ended");
  }
  const double result = megahertz(machine, start);
  for (const auto& exchange : peer->exchanges()) {
    if (!exchange.complete) throw std::runtime_error(exchange.name + " was not answered");
  }
  return result;
}

double idle(const std::filesystem::path& elf, EngineKind engine, Duration length) {
  const Firmware firmware = Firmware::load_elf(elf);
  Scheduler scheduler;
  MachineOptions options;
  options.engine = engine;
  Machine machine(find_board("uno-enc28j60"), firmware, scheduler, options);
  const double start = cpu_seconds();
  machine.run_until(Instant::at(length));
  return megahertz(machine, start);
}

template <class Run>
void compare(const char* title, int rounds, Run run) {
  std::vector<double> exact, simavr, ratio;
  for (int round = 0; round < rounds; ++round) {
    exact.push_back(run(EngineKind::exact));
    simavr.push_back(run(EngineKind::simavr));
    ratio.push_back(exact.back() / simavr.back());
  }
  std::printf("%-28s %10.0f %16.0f %9.1fx\n", title, median(exact), median(simavr), median(ratio));
}

// Each next to a run that nobody observes, in the same round.
void observe(const std::filesystem::path& elf, int rounds, int pages) {
  constexpr std::size_t timeline_size = 200'000;
  const profile::RecordingOptions profiled, timed{.timeline = timeline_size},
      covered{.profile = false, .coverage = true};
  std::vector<double> off, profile, timeline, coverage, gdb;
  for (int round = 0; round < rounds; ++round) {
    off.push_back(web(elf, EngineKind::exact, pages));
    const auto slower = [&](const profile::RecordingOptions& record) {
      return off.back() / web(elf, EngineKind::exact, pages, &record);
    };
    profile.push_back(slower(profiled));
    timeline.push_back(slower(timed));
    coverage.push_back(slower(covered));
    gdb.push_back(off.back() / web(elf, EngineKind::exact, pages, nullptr, true));
  }
  std::printf("%-28s %10.0f %10.2fx %15.2fx %10.2fx %10.2fx\n", "web image under load", median(off), median(profile),
              median(timeline), median(coverage), median(gdb));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: machine_bench FIRMWARE_DIR BENCH_DIR [ROUNDS]\n");
    return 64;
  }
  const std::filesystem::path firmware = argv[1];
  const std::filesystem::path bench = argv[2];
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  try {
    std::printf("uno-enc28j60, guest MHz, median of %d rounds\n", rounds);
    std::printf("%-28s %10s %16s %10s\n", "", "exact", "--engine simavr", "ratio");
    compare("web image under load", rounds,
            [&](EngineKind engine) { return web(firmware / "uno-enc28j60" / "web.elf", engine, 50); });
    compare("idle: timer and sleep", rounds, [&](EngineKind engine) {
      return idle(bench / "idle.elf", engine, Duration::seconds(engine == EngineKind::exact ? 500 : 100));
    });
    std::printf("\n%-28s %10s %11s %16s %11s %11s\n", "what observing costs", "off", "--profile", "and --timeline",
                "--coverage", "--gdb");
    observe(firmware / "uno-enc28j60" / "web.elf", rounds, 50);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "machine_bench: %s\n", error.what());
    return 1;
  }
}
