// How many octets a second a firmware sends and receives by TCP against a peer that acknowledges at once, beside what the
// wire and the bus to the chip allow. Virtual time: the same figures on any machine. Usage: throughput DIRECTORY-OF-FIRMWARE

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/cli/simulation.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {
namespace {

constexpr std::size_t octets = 500'000;
constexpr std::size_t mss = ScriptedPeer::mss;

// 10 Mbit/s, half duplex: preamble, FCS and gap with each frame (IEEE 802.3), and the answer of 64 octets to each.
constexpr double octet_s = 800e-9, gap_s = 9.6e-6;
constexpr double segment_s = (static_cast<double>(mss) + 54 + 4 + 8) * octet_s + gap_s;
constexpr double acknowledgement_s = (64 + 8) * octet_s + gap_s;
constexpr double wire_ceiling = static_cast<double>(mss) / (segment_s + acknowledgement_s);
// `cycles` an octet (firmware/board/spi.hpp, bus.hpp), and 54 octets of headers with each segment.
struct Target {
  const char* board;
  double cycles;
  std::vector<const char*> images;
};
double bus_ceiling(const Board& board, const Target& target) {
  return static_cast<double>(board.hz) / target.cycles * static_cast<double>(mss) / (static_cast<double>(mss) + 54);
}

// NETIO's command (stack/app/netio.hpp).
enum class Netio : std::uint8_t { receive = 1, send = 2 };
std::string command(Netio what, std::size_t size) {
  std::string text(8, '\0');
  text[3] = static_cast<char>(what);
  for (std::size_t i = 0; i < 4; ++i) text[4 + i] = static_cast<char>(size >> (24 - 8 * i));
  return text;
}

// From the first frame of the exchange until `moved` says that so many octets have passed. 0: that did not happen.
double rate(const Board& board, const Firmware& firmware, const std::function<void(ScriptedPeer&)>& script,
            const std::function<std::size_t(const ScriptedPeer&)>& moved) {
  ScriptedPeer* peer = nullptr;
  Simulation simulation(board, firmware, SimulationOptions{}, [&](Scheduler& scheduler, FrameSink& to_board) {
    auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
    peer = made.get();
    return made;
  });
  script(*peer);
  Machine& machine = simulation.machine();
  const Instant limit = Instant::at(Duration::seconds(30));
  while (machine.now() < limit && !machine.run_until(machine.now() + Duration::milliseconds(1))) {
    if (peer->exchanges().empty() || moved(*peer) < octets) continue;
    return static_cast<double>(moved(*peer)) / (machine.now() - peer->exchanges().back().started).seconds();
  }
  return 0;
}

std::size_t replied(const ScriptedPeer& peer) {
  return peer.exchanges().back().reply.size();
}

double netio_rate(const Board& board, const Firmware& firmware, Netio what, std::size_t size) {
  constexpr std::uint16_t port = 18767;
  if (what == Netio::send)
    return rate(
        board, firmware, [&](ScriptedPeer& peer) { peer.tcp(port, command(what, size), octets + mss); }, replied);
  return rate(
      board, firmware,
      [&](ScriptedPeer& peer) { peer.stream(port, command(what, size) + std::string(2 * octets, '\0'), 0); },
      [](const ScriptedPeer& peer) { return peer.acknowledged(); });
}

void print(double kbytes) {
  if (kbytes == 0)
    std::printf(" - |");
  else
    std::printf(" %.0f |", kbytes / 1e3);
}
void print_shares(double best, const Board& board, const Target& target) {
  std::printf(" %.1f | %.0f %% | %.0f %% |\n", static_cast<double>(board.hz) / best, 100 * best / wire_ceiling,
              100 * best / bus_ceiling(board, target));
}

}  // namespace
}  // namespace avrlan::test

int main(int argc, char** argv) {
  using namespace avrlan;
  using namespace avrlan::test;
  if (argc != 2) {
    std::fprintf(stderr, "usage: throughput DIRECTORY, which has <board>/netio.elf and so on\n");
    return 64;
  }
  const std::string elfs = argv[1];
  constexpr std::array<std::size_t, 6> sizes{1, 2, 4, 8, 16, 32};
  const std::vector<Target> targets = {{"uno-enc28j60", 18, {"netio", "netio-interrupt", "netio-minimal"}},
                                       {"mega-enc28j60", 18, {"netio", "netio-interrupt", "netio-minimal"}},
                                       {"ethernut1", 8.5, {"netio-minimal"}}};
  std::printf("Ceilings: wire %.0f kB/s", wire_ceiling / 1e3);
  for (const Target& target : targets)
    std::printf(", bus of %s %.0f kB/s", target.board, bus_ceiling(find_board(target.board), target) / 1e3);
  std::printf(". In kB/s by the size of a write:\n\n");
  std::printf("| board | image | way |");
  for (const std::size_t size : sizes) std::printf(" %zuk |", size);
  std::printf(
      " cycles/octet | of the wire | of the bus |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Target& target : targets) {
    const char* name = target.board;
    const Board board = find_board(name);
    for (const char* image : target.images) {
      const Firmware firmware = Firmware::load_elf(elfs + "/" + name + "/" + image + ".elf");
      for (const Netio what : {Netio::send, Netio::receive}) {
        std::printf("| %s | %s | %s |", name, image, what == Netio::send ? "sends" : "receives");
        double last = 0;
        for (const std::size_t size : sizes) print(last = netio_rate(board, firmware, what, size * 1024));
        print_shares(last, board, target);
      }
    }
    const Firmware web = Firmware::load_elf(elfs + "/" + name + "/web.elf");
    const double page = rate(
        board, web, [](ScriptedPeer& peer) { peer.get("/bytes?n=" + std::to_string(2 * octets)); }, replied);
    std::printf("| %s | web | sends a page | | | | | |", name);
    print(page);
    print_shares(page, board, target);
  }
  return 0;
}
