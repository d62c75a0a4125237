// How many octets a second a firmware sends and receives by TCP against a peer that acknowledges at once, beside what the
// wire and SPI allow. Virtual time: the same figures on any machine. Usage: throughput DIRECTORY-OF-FIRMWARE

#include <cstdio>
#include <string>

#include "emulator/cli/simulation.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {
namespace {

constexpr double hz = 16e6;

// One exchange and the octets it moved.
void measure(const std::string& elfs, const std::string& board, const std::string& image, const std::string& what,
             std::size_t octets, const std::function<void(ScriptedPeer&)>& script) {
  ScriptedPeer* peer = nullptr;
  const Firmware firmware = Firmware::load_elf(elfs + "/" + board + "/" + image + ".elf");
  Simulation simulation(find_board(board), firmware, SimulationOptions{},
                        [&](Scheduler& scheduler, FrameSink& to_board) {
                          auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
                          peer = made.get();
                          return made;
                        });
  script(*peer);
  const Instant limit = Instant::at(Duration::seconds(30));
  while (!peer->done() && simulation.machine().now() < limit &&
         !simulation.machine().run_until(simulation.machine().now() + Duration::milliseconds(10))) {
  }
  std::printf("| %s | %s | %s |", board.c_str(), image.c_str(), what.c_str());
  if (!peer->done() || peer->exchanges().empty() || !peer->exchanges().back().complete) {
    std::printf(" not completed | |\n");
    return;
  }
  const ScriptedPeer::Exchange& exchange = peer->exchanges().back();
  const double rate = static_cast<double>(octets) / (exchange.ended - exchange.started).seconds();
  std::printf(" %.0f | %.1f |\n", rate / 1e3, hz / rate);
}

}  // namespace
}  // namespace avrlan::test

int main(int argc, char** argv) {
  using namespace avrlan::test;
  if (argc != 2) {
    std::fprintf(stderr, "usage: throughput DIRECTORY, which has <board>/netio.elf and so on\n");
    return 64;
  }
  std::printf("| board | image | what | kB/s | cycles/octet |\n|---|---|---|---:|---:|\n");
  constexpr std::size_t octets = 1'000'000;
  for (const char* board : {"uno-enc28j60", "mega-enc28j60"}) {
    measure(argv[1], board, "web", "sends a page of 1 MB", octets,
            [](ScriptedPeer& peer) { peer.get("/bytes?n=" + std::to_string(octets)); });
  }
  return 0;
}
