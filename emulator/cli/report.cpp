#include "emulator/cli/report.hpp"

#include <csignal>
#include <nlohmann/json.hpp>

#include "emulator/cli/board_file.hpp"

namespace avrlan {

namespace {

nlohmann::ordered_json leds_json(const Simulation& simulation) {
  auto leds = nlohmann::ordered_json::object();
  const auto names = simulation.nic().led_names();
  for (std::size_t number = 0; number < names.size(); ++number) {
    const LedCount led = simulation.led(number);
    leds[std::string(names[number])] = {{"flashes", led.flashes}, {"lit_seconds", led.lit.seconds()}};
  }
  return leds;
}

}  // namespace

nlohmann::ordered_json drops_json(const DropCounters& drops) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < static_cast<std::size_t>(DropReason::count_); ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (drops.of(reason) != 0) json[std::string(to_string(reason))] = drops.of(reason);
  }
  return json;
}

Determinism determinism(const RunEnd& end) {
  if (end.reason == EndReason::interrupted || end.reason == EndReason::wall_limit || end.reason == EndReason::killed) {
    return {false, "the run was ended from outside, at a moment of wall-clock time"};
  }
  if (end.hold_limit_hit) return {false, "a reply from the host was not waited for: the hold limit was hit"};
  if (!end.host.empty()) return {false, end.host + " took part"};
  return {};
}

nlohmann::ordered_json run_json(const Simulation& simulation, const Board& board, const Firmware& firmware,
                                const RunEnd& end) {
  const auto& machine = simulation.machine();
  const auto totals = machine.totals();
  const auto& nic = simulation.nic().counters();
  const auto fixed = determinism(end);
  const auto& log = simulation.diagnostics();
  nlohmann::ordered_json json = {
      {"schema", "avrlan-run-1"},
      {"firmware",
       {{"path", firmware.path.string()}, {"sha256", firmware.sha256}, {"mcu", machine.mcu()}, {"hz", machine.hz()}}},
      {"board", board.name},
      {"engine", to_string(machine.engine())},
      {"result",
       {{"reason", to_string(end.reason)},
        {"status", exit_status(end)},
        {"firmware_status", end.reason == EndReason::firmware_exit ? nlohmann::ordered_json(end.firmware_status)
                                                                   : nlohmann::ordered_json(nullptr)}}},
      {"cycles",
       {{"total", totals.total.count},
        {"active", totals.active.count},
        {"sleep", totals.sleep.count},
        {"interrupt", totals.interrupt.count}}},
      {"seconds",
       {{"virtual", (machine.now() - Instant{}).seconds()}, {"wall", std::chrono::duration<double>(end.wall).count()}}},
      {"deterministic", {{"value", fixed.value}, {"why", fixed.why}}},
      {"nic",
       {{"chip", simulation.nic().name()},
        {"rx_frames", nic.rx_frames},
        {"tx_frames", nic.tx_frames},
        {"rx_bytes", nic.rx_bytes},
        {"tx_bytes", nic.tx_bytes},
        {"drops", drops_json(simulation.drops())},
        {"leds", leds_json(simulation)}}},
      {"wire",
       {{"in_frames", simulation.frames_in().frames},
        {"in_bytes", simulation.frames_in().bytes},
        {"out_frames", simulation.frames_out().frames},
        {"out_bytes", simulation.frames_out().bytes}}},
      {"diagnostics",
       {{"note", log.count(Severity::note)},
        {"warning", log.count(Severity::warning)},
        {"error", log.count(Severity::error)}}},
  };
  if (!is_built_in(board)) json["board_toml"] = to_toml(board);
  return json;
}

int exit_status(const RunEnd& end) {
  switch (end.reason) {
    case EndReason::firmware_exit:
      return end.firmware_status > 31 ? 31 : end.firmware_status;
    case EndReason::sleep_for_ever:
    case EndReason::command_register:
    case EndReason::expected_text:
    case EndReason::lab_ended:
    case EndReason::power_off:
    case EndReason::recording_end:
    case EndReason::peers_done:
      return 0;
    case EndReason::replay_differs:
    case EndReason::failing_text:
      return 1;
    case EndReason::virtual_limit:
    case EndReason::wall_limit:
      return 42;
    case EndReason::interrupted:
      return 128 + end.signal;
    case EndReason::killed:
      return 128 + SIGKILL;
    case EndReason::diagnostic:
      return 70;
  }
  return 71;
}

}  // namespace avrlan
