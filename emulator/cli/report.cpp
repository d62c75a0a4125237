#include "emulator/cli/report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "emulator/profile/totals.hpp"

namespace avrlan {

namespace {

// 12345678 -> "12,345,678"
std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string grouped(Cycles c) {
  return grouped(static_cast<std::uint64_t>(c.count));
}

double share(Cycles part, Cycles whole) {
  return profile::percent(part.count, whole.count);
}

std::string ending(const RunEnd& end) {
  switch (end.reason) {
    case EndReason::firmware_exit:
      return fmt::format("the firmware ended with status {}", end.firmware_status);
    case EndReason::sleep_for_ever:
      return "the firmware sleeps with interrupts off";
    case EndReason::command_register:
      return "the firmware wrote simavr's command register";
    case EndReason::expected_text:
      return "the expected text was seen";
    case EndReason::failing_text:
      return "the failing text was seen";
    case EndReason::virtual_limit:
      return "--timeout was reached";
    case EndReason::wall_limit:
      return "--wall-timeout was reached";
    case EndReason::interrupted:
      return end.signal == SIGTERM ? "SIGTERM" : "SIGINT";
    case EndReason::diagnostic:
      return "a diagnostic of severity error";
  }
  return {};
}

std::string drop_list(const DropCounters& drops) {
  std::string list;
  for (std::size_t i = 0; i < static_cast<std::size_t>(DropReason::count_); ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (drops.of(reason) == 0) continue;
    if (!list.empty()) list += ", ";
    list += fmt::format("{} {}", to_string(reason), grouped(drops.of(reason)));
  }
  return list.empty() ? "none" : list;
}

nlohmann::ordered_json led_json(const LedCount& led) {
  return {{"flashes", led.flashes}, {"lit_seconds", led.lit.seconds()}};
}

}  // namespace

Determinism determinism(const RunEnd& end) {
  if (end.reason == EndReason::interrupted || end.reason == EndReason::wall_limit) {
    return {false, "the run was ended from outside, at a moment of wall-clock time"};
  }
  if (end.hold_limit_hit) return {false, "a reply from the host was not waited for: the hold limit was hit"};
  if (end.host_spoke) return {false, "sockets of the host took part"};
  return {};
}

std::string summary(const Simulation& simulation, const RunEnd& end) {
  const auto totals = simulation.machine().totals();
  const double virtual_seconds = (simulation.machine().now() - Instant{}).seconds();
  const double wall_seconds = std::chrono::duration<double>(end.wall).count();
  const auto& nic = simulation.nic().counters();
  std::string text;
  text += fmt::format("ended     {}\n", ending(end));
  text += fmt::format("time      {:.6f} s virtual, {:.3f} s wall: {:.2f} x real time, {:.1f} million cycles/s\n",
                      virtual_seconds, wall_seconds, wall_seconds > 0 ? virtual_seconds / wall_seconds : 0.0,
                      wall_seconds > 0 ? static_cast<double>(totals.total.count) / wall_seconds / 1e6 : 0.0);
  text += fmt::format("cycles    {} total = {} active ({:.2f} %) + {} asleep ({:.2f} %); {} in interrupts ({:.2f} %)\n",
                      grouped(totals.total), grouped(totals.active), share(totals.active, totals.total),
                      grouped(totals.sleep), share(totals.sleep, totals.total), grouped(totals.interrupt),
                      share(totals.interrupt, totals.total));
  text +=
      fmt::format("frames    {} in ({} bytes, {} accepted by the chip), {} out ({} bytes)\n",
                  grouped(simulation.frames_in().frames), grouped(simulation.frames_in().bytes), grouped(nic.rx_frames),
                  grouped(simulation.frames_out().frames), grouped(simulation.frames_out().bytes));
  text += fmt::format("drops     {}\n", drop_list(simulation.drops()));
  const LedCount a = simulation.led(Enc28j60::Led::a), b = simulation.led(Enc28j60::Led::b);
  text += fmt::format("LEDs      A lit {:.6f} s in {} flashes, B lit {:.6f} s in {} flashes\n", a.lit.seconds(),
                      a.flashes, b.lit.seconds(), b.flashes);
  const auto& log = simulation.diagnostics();
  if (!log.entries().empty()) {
    text += fmt::format("diagnosed {} errors, {} warnings, {} notes at {} places\n", log.count(Severity::error),
                        log.count(Severity::warning), log.count(Severity::note), log.entries().size());
    for (const auto& entry : log.entries()) {
      if (entry.count == 1) continue;
      const auto* line = entry.lines.empty() ? nullptr : &entry.lines.front();
      const std::string place = line == nullptr || !line->source
                                    ? std::string()
                                    : fmt::format(" at {}:{}", line->source->file, line->source->line);
      text += fmt::format("          {} x {}{}\n", grouped(entry.count), entry.diagnostic.code, place);
    }
  }
  return text;
}

nlohmann::ordered_json run_json(const Simulation& simulation, const Board& board, const Firmware& firmware,
                                const RunEnd& end) {
  const auto& machine = simulation.machine();
  const auto totals = machine.totals();
  const auto& nic = simulation.nic().counters();
  const auto fixed = determinism(end);
  const auto& log = simulation.diagnostics();
  auto drops = nlohmann::ordered_json::object();
  const auto dropped = simulation.drops();
  for (std::size_t i = 0; i < static_cast<std::size_t>(DropReason::count_); ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (dropped.of(reason) != 0) drops[std::string(to_string(reason))] = dropped.of(reason);
  }
  return {
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
        {"drops", drops},
        {"leds",
         {{"a", led_json(simulation.led(Enc28j60::Led::a))}, {"b", led_json(simulation.led(Enc28j60::Led::b))}}}}},
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
}

int exit_status(const RunEnd& end) {
  switch (end.reason) {
    case EndReason::firmware_exit:
      return end.firmware_status > 31 ? 31 : end.firmware_status;
    case EndReason::sleep_for_ever:
    case EndReason::command_register:
    case EndReason::expected_text:
      return 0;
    case EndReason::failing_text:
      return 1;
    case EndReason::virtual_limit:
    case EndReason::wall_limit:
      return 42;
    case EndReason::interrupted:
      return 128 + end.signal;
    case EndReason::diagnostic:
      return 70;
  }
  return 71;
}

}  // namespace avrlan
