// How many octets a second a firmware sends and receives by TCP against a peer that acknowledges at once, beside what the
// wire and the bus to the chip allow; then where the cycles of an octet go. Virtual time: the same figures on any machine.
// Usage: throughput DIRECTORY-OF-FIRMWARE

#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/cli/simulation.hpp"
#include "emulator/profile/recording.hpp"
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
// `cycles` an octet (firmware/board/spi.hpp, bus.hpp, port_bus.hpp), and 54 octets of headers with each segment.
struct Target {
  const char* board;
  double cycles;
  const char* bus;  // its source
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

using Regions = std::vector<profile::CodeGroup>;
// Of each of the regions; the last: of all.
using RegionCycles = std::vector<double>;

RegionCycles cycles_of(profile::Recording& recording, const Machine& machine) {
  recording.update();
  nlohmann::ordered_json json;
  recording.add_to(json);
  RegionCycles cycles;
  for (const auto& region : json["regions"]) cycles.push_back(region["cycles"].get<double>());
  cycles.push_back(static_cast<double>(machine.totals().active.count));
  return cycles;
}

// From the first frame of the exchange until `moved` says that so many octets have passed. 0: that did not happen. With
// `spent`, the cycles an octet that the regions take meanwhile.
double rate(const Board& board, const Firmware& firmware, const std::function<void(ScriptedPeer&)>& script,
            const std::function<std::size_t(const ScriptedPeer&)>& moved, const Regions& regions = {},
            RegionCycles* spent = nullptr) {
  ScriptedPeer* peer = nullptr;
  Simulation simulation(board, firmware, SimulationOptions{}, [&](Scheduler& scheduler, FrameSink& to_board) {
    auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
    peer = made.get();
    return made;
  });
  script(*peer);
  Machine& machine = simulation.machine();
  std::optional<profile::Recording> recording;
  if (spent != nullptr) recording.emplace(machine, firmware, profile::RecordingOptions{.regions = regions});
  RegionCycles before;
  const Instant limit = Instant::at(Duration::seconds(30));
  while (machine.now() < limit && !machine.run_until(machine.now() + Duration::milliseconds(1))) {
    if (peer->exchanges().empty()) continue;
    if (recording && before.empty()) before = cycles_of(*recording, machine);
    if (moved(*peer) < octets) continue;
    if (recording) {
      *spent = cycles_of(*recording, machine);
      for (std::size_t n = 0; n < spent->size(); ++n)
        (*spent)[n] = ((*spent)[n] - before[n]) / static_cast<double>(moved(*peer));
    }
    return static_cast<double>(moved(*peer)) / (machine.now() - peer->exchanges().back().started).seconds();
  }
  return 0;
}

std::size_t replied(const ScriptedPeer& peer) {
  return peer.exchanges().back().reply.size();
}

double netio_rate(const Board& board, const Firmware& firmware, Netio what, std::size_t size,
                  const Regions& regions = {}, RegionCycles* spent = nullptr) {
  constexpr std::uint16_t port = 18767;
  if (what == Netio::send)
    return rate(
        board, firmware, [&](ScriptedPeer& peer) { peer.tcp(port, command(what, size), octets + mss); }, replied,
        regions, spent);
  return rate(
      board, firmware,
      [&](ScriptedPeer& peer) { peer.stream(port, command(what, size) + std::string(2 * octets, '\0'), 0); },
      [](const ScriptedPeer& peer) { return peer.acknowledged(); }, regions, spent);
}

// By the files that the code is from, whoever has it inlined.
void print_where(const std::string& elfs, const Target& target) {
  const Regions regions = {{"the bus to the chip, data summed on the way", {target.bus}},
                           {"the chip's driver", {"stack/drivers/*"}},
                           {"TCP", {"stack/tcp/*"}},
                           {"IP, ARP, Ethernet", {"stack/netif/*"}},
                           {"application, reader and writer", {"stack/app/*", "stack/base/stream.hpp"}},
                           {"sums of headers", {"stack/base/checksum.hpp"}}};
  const Board& board = find_board(target.board);
  std::vector<RegionCycles> columns;
  std::printf("\n| %s |", target.board);
  for (const char* image : {"netio", "netio-minimal"}) {
    const Firmware firmware = Firmware::load_elf(elfs + "/" + target.board + "/" + image + ".elf");
    for (const Netio what : {Netio::send, Netio::receive}) {
      std::printf(" %s %s |", image, what == Netio::send ? "sends" : "receives");
      netio_rate(board, firmware, what, 32 * 1024, regions, &columns.emplace_back());
    }
  }
  std::printf("\n|---|---:|---:|---:|---:|\n");
  for (std::size_t row = 0; row <= regions.size() + 1; ++row) {
    std::printf("| %s |", row < regions.size()    ? regions[row].name.c_str()
                          : row == regions.size() ? "main loop, clock, the rest"
                                                  : "all, without what it sleeps");
    for (const RegionCycles& column : columns) {
      double value = row < regions.size() ? column[row] : column.back();
      for (std::size_t n = 0; row == regions.size() && n < regions.size(); ++n) value -= column[n];
      std::printf(" %.1f |", value);
    }
    std::printf("\n");
  }
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
  const std::vector<Target> targets = {
      {"uno-enc28j60", 18, "firmware/board/spi.hpp", {"netio", "netio-interrupt", "netio-minimal"}},
      {"mega-enc28j60", 18, "firmware/board/spi.hpp", {"netio", "netio-interrupt", "netio-minimal"}},
      {"ethernut1", 8.5, "firmware/board/bus.hpp", {"netio", "netio-interrupt", "netio-minimal"}},
      {"mega128-rtl8019as", 8, "firmware/board/port_bus.hpp", {"netio", "netio-interrupt", "netio-minimal"}}};
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
  std::printf("\nCycles an octet of blocks of 32k:\n");
  for (const Target& target : targets) print_where(elfs, target);
  return 0;
}
