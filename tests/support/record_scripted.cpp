// Records an image's exchange with the scripted peer, which needs no network and is the same on any machine:
//   record_scripted BOARD ELF FILE SECONDS [STEP...]
// STEP is get:PATH, tcp:PORT:HEX:OCTETS (sends the octets, and closes when so many have come back; 0: when the board does),
// udp:PORT:TEXT or ping:OCTETS. Steps are done one after the other, as soon as the board has its address.
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "emulator/cli/trace_header.hpp"
#include "emulator/cli/trace_writer.hpp"
#include "tests/support/scripted_peer.hpp"

namespace avrlan::test {
namespace {

std::string octets(const std::string& hex) {
  std::string text;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    text += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  return text;
}

void add_step(ScriptedPeer& peer, const std::string& step) {
  const auto colon = step.find(':');
  const std::string what = step.substr(0, colon), rest = step.substr(colon + 1);
  if (what == "get") return peer.get(rest);
  if (what == "ping") return peer.ping(std::string(std::stoul(rest), 'p'));
  const auto second = rest.find(':');
  const auto port = static_cast<std::uint16_t>(std::stoul(rest));
  const std::string text = rest.substr(second + 1);
  if (what == "udp") return peer.udp(port, text);
  if (what != "tcp") throw std::invalid_argument("no step: " + step);
  const auto third = text.find(':');
  peer.tcp(port, octets(text.substr(0, third)), std::stoul(text.substr(third + 1)));
}

int record(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) throw std::invalid_argument("usage: record_scripted BOARD ELF FILE SECONDS [STEP...]");
  const Board& board = find_board(arguments[0]);
  const Firmware firmware = Firmware::load_elf(arguments[1]);
  const SimulationOptions options;
  ScriptedPeer* peer = nullptr;
  Simulation simulation(board, firmware, options, [&](Scheduler& scheduler, FrameSink& to_board) {
    auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
    peer = made.get();
    return made;
  });
  for (std::size_t n = 4; n < arguments.size(); ++n) add_step(*peer, arguments[n]);
  TraceWriter writer(simulation, arguments[2], trace_header(board, firmware, options, "a scripted peer"));
  RunLimits limits;
  limits.virtual_time = Duration::seconds(std::stol(arguments[3]));
  Runner runner(simulation, Pace::max, limits, -1);
  simulation.machine().on_uart([&](std::uint16_t frame) { writer.uart(static_cast<std::uint8_t>(frame)); });
  const RunEnd end = runner.run();
  writer.finish(to_string(end.reason), end.firmware_status);
  if (!peer->done()) throw std::runtime_error("the board has not done all steps");
  return 0;
}

}  // namespace
}  // namespace avrlan::test

int main(int count, char** arguments) {
  try {
    return avrlan::test::record({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
