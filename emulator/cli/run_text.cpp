#include "emulator/cli/run_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "emulator/cli/runner.hpp"
#include "emulator/profile/totals.hpp"

namespace avrlan {

namespace {

using profile::JsonValue;

// 12345678 -> "12,345,678"
std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string grouped(const JsonValue& value) {
  return grouped(value.count());
}

std::string ending(const JsonValue& result) {
  const std::string name = result["reason"].name();
  const auto is = [&](EndReason reason) { return name == to_string(reason); };
  if (is(EndReason::firmware_exit))
    return fmt::format("the firmware ended with status {}", result["firmware_status"].count());
  if (is(EndReason::sleep_for_ever)) return "the firmware sleeps with interrupts off";
  if (is(EndReason::command_register)) return "the firmware wrote simavr's command register";
  if (is(EndReason::expected_text)) return "the expected text was seen";
  if (is(EndReason::peers_done)) return "every client among the peers has ended";
  if (is(EndReason::failing_text)) return "the failing text was seen";
  if (is(EndReason::virtual_limit)) return "--timeout was reached";
  if (is(EndReason::wall_limit)) return "--wall-timeout was reached";
  if (is(EndReason::interrupted)) {
    const auto status = result["status"].count();
    return status == 143 ? "SIGTERM" : status == 129 ? "SIGHUP" : "SIGINT";
  }
  if (is(EndReason::diagnostic)) return "a diagnostic of severity error";
  if (is(EndReason::lab_ended)) return "with its lab";
  if (is(EndReason::power_off)) return "the power was switched off";
  if (is(EndReason::recording_end)) return "the recording ended";
  if (is(EndReason::replay_differs)) return "the firmware departed from the recording";
  return name;
}

std::string functions_text(const JsonValue& run, std::size_t top) {
  const std::int64_t active = run["cycles"]["active"].count();
  auto functions = run["functions"].items();
  std::stable_sort(functions.begin(), functions.end(),
                   [](const JsonValue& a, const JsonValue& b) { return a["cycles"].count() > b["cycles"].count(); });
  std::string text = fmt::format("{:>14} {:>6} {:>14} {:>14} {:>6} {:>10}  function\n", "cycles", "%", "of them wait",
                                 "with calls", "%", "calls");
  std::int64_t rest = 0;
  for (std::size_t n = 0; n < functions.size(); ++n) {
    const JsonValue& f = functions[n];
    const std::int64_t cycles = f["cycles"].count(), inclusive = f["inclusive"].count();
    if (n >= top) {
      rest += cycles;
      continue;
    }
    text += fmt::format("{:>14} {:>6.2f} {:>14} {:>14} {:>6.2f} {:>10}  {}\n", cycles, profile::percent(cycles, active),
                        f["wait"].count(), inclusive, profile::percent(inclusive, active), f["calls"].count(),
                        f["name"].name());
  }
  if (functions.size() > top) {
    text += fmt::format("{:>14} {:>6.2f} {:>47}  {} more\n", rest, profile::percent(rest, active), "",
                        functions.size() - top);
  }
  return text;
}

std::string step_text(const std::string& name, const JsonValue& step) {
  return fmt::format("{:<14} {:>12} {:>9.2f} {:>8} {:>9} {:>9} {:>9} {:>9}\n", name, step["cycles"].count(),
                     step["cycles_per_byte"].real(), step["frames"].count(), step["p50"].count(), step["p90"].count(),
                     step["p99"].count(), step["max"].count());
}

// Nothing when no frame came or went.
std::string paths_text(const JsonValue& paths) {
  if (paths["all"]["frames"].count() == 0) return {};
  std::string text = fmt::format("frames    {} received and answered, {} received, {} sent\n",
                                 paths["answered"].count(), paths["unanswered"].count(), paths["sent"].count());
  text += fmt::format("{:<14} {:>12} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9}\n", "step", "cycles", "a byte", "frames",
                      "median", "90 %", "99 %", "most");
  for (const JsonValue& step : paths["steps"].items()) text += step_text(step["name"].name(), step);
  return text + step_text("all", paths["all"]);
}

// Where a diagnostic's first occurrence was; nothing when no instruction did it.
std::string upper_case(std::string name) {
  for (char& letter : name) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return name;
}

std::string place_text(const JsonValue& first) {
  const auto calls = first["calls"].items();
  if (calls.empty()) return {};
  const JsonValue file = calls.front()["file"], function = calls.front()["function"];
  if (!file.is_null()) return fmt::format(" at {}:{}", file.text(), calls.front()["line"].count());
  return function.is_null() ? "" : " in " + function.text();
}

}  // namespace

std::string run_text(const JsonValue& run) {
  const JsonValue cycles = run["cycles"], nic = run["nic"], wire = run["wire"], log = run["diagnostics"];
  const std::int64_t total = cycles["total"].count();
  const double virtual_seconds = run["seconds"]["virtual"].real(), wall_seconds = run["seconds"]["wall"].real();
  const double pace = wall_seconds > 0 ? 1 / wall_seconds : 0;
  const auto share = [&](const char* part) { return profile::percent(cycles[part].count(), total); };
  std::string text = fmt::format("ended     {}\n", ending(run["result"]));
  text += fmt::format("time      {:.6f} s virtual, {:.3f} s wall: {:.2f} x real time, {:.1f} million cycles/s\n",
                      virtual_seconds, wall_seconds, virtual_seconds * pace, static_cast<double>(total) * pace / 1e6);
  text += fmt::format("cycles    {} total = {} active ({:.2f} %) + {} asleep ({:.2f} %); {} in interrupts ({:.2f} %)\n",
                      grouped(total), grouped(cycles["active"]), share("active"), grouped(cycles["sleep"]),
                      share("sleep"), grouped(cycles["interrupt"]), share("interrupt"));
  text += fmt::format("frames    {} in ({} bytes, {} accepted by the chip), {} out ({} bytes)\n",
                      grouped(wire["in_frames"]), grouped(wire["in_bytes"]), grouped(nic["rx_frames"]),
                      grouped(wire["out_frames"]), grouped(wire["out_bytes"]));
  std::string drops;
  for (const auto& [reason, count] : nic["drops"].members())
    drops += fmt::format("{}{} {}", drops.empty() ? "" : ", ", reason, grouped(count));
  text += fmt::format("drops     {}\n", drops.empty() ? "none" : drops);
  std::string leds;
  for (const auto& [name, led] : nic["leds"].members()) {
    leds += fmt::format("{}{} lit {:.6f} s in {} flashes", leds.empty() ? "" : ", ", upper_case(name),
                        led["lit_seconds"].real(), led["flashes"].count());
  }
  text += fmt::format("LEDs      {}\n", leds);
  const std::int64_t errors = log["error"].count(), warnings = log["warning"].count(), notes = log["note"].count();
  if (errors + warnings + notes != 0)
    text += fmt::format("diagnosed {} errors, {} warnings, {} notes\n", errors, warnings, notes);
  return text;
}

std::string profile_text(const JsonValue& run, std::size_t top) {
  std::string text = functions_text(run, top);
  for (const JsonValue& region : run["regions"].items()) {
    text += fmt::format("region {}: {} calls, {} cycles, {} bytes, {:.2f} cycles a byte\n", region["name"].name(),
                        region["calls"].count(), region["cycles"].count(), region["bytes"].count(),
                        region["cycles_per_byte"].real());
  }
  return text + paths_text(run["paths"]);
}

std::string coverage_text(const JsonValue& run) {
  std::string text = "coverage ";
  for (const auto& [what, share] : run["coverage"].members()) {
    const std::int64_t hit = share["hit"].count(), found = share["found"].count();
    text += fmt::format(" {} {} of {} ({:.1f} %)", what, hit, found, profile::percent(hit, found));
  }
  return text + "\n";
}

std::string diagnostics_text(const JsonValue& diagnostics, std::int64_t least) {
  std::string text;
  for (const JsonValue& entry : diagnostics["diagnostics"].items()) {
    if (entry["count"].count() < least) continue;
    text += fmt::format("{:>9} x {} {}{}, first at cycle {}\n", grouped(entry["count"]), entry["severity"].name(),
                        entry["name"].name(), place_text(entry["first"]), entry["first"]["cycle"].count());
  }
  return text;
}

std::string memory_text(const JsonValue& memory) {
  const JsonValue data = memory["static"], heap = memory["heap"];
  std::string text =
      fmt::format("memory    {} bytes of SRAM, {} data, {} bss, {} never used\n", memory["ram"]["size"].count(),
                  data["data"].count(), data["bss"].count(), memory["free"].count());
  if (!heap.is_null()) text += fmt::format("heap      {} bytes\n", heap["used"].count());
  for (const JsonValue& stack : memory["stacks"].items()) {
    const std::string used = stack.has("used") ? fmt::format("{} bytes, ", stack["used"].count()) : "";
    text += fmt::format("stack     {}down to 0x{:04x}, in\n", used, stack["lowest_sp"].count());
    for (const JsonValue& function : stack["chain"].items()) text += fmt::format("            {}\n", function.text());
  }
  for (const JsonValue& read : memory["never_written"].items()) {
    const std::string file = read["file"].text();
    text += fmt::format("read before any write: 0x{:04x} {} by {}{}, {} times\n", read["address"].count(),
                        read["object"].text(), read["function"].text(),
                        file.empty() ? "" : fmt::format(" ({}:{})", file, read["line"].count()), read["count"].count());
  }
  return text;
}

}  // namespace avrlan
