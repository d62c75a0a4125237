#include "emulator/cli/report_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "emulator/board/host_error.hpp"
#include "emulator/profile/compare.hpp"
#include "emulator/profile/frame_paths.hpp"
#include "emulator/profile/totals.hpp"

namespace avrlan {

namespace {

using Json = nlohmann::ordered_json;

struct ReportArguments {
  std::filesystem::path directory;
  std::size_t top = 15;
  bool text = false;
};

constexpr const char* examples = R"(
Examples:
  avrlan run web.elf --profile --coverage --timeout 5s --out run
  avrlan report run                    functions, layers, drops, diagnostics, memory, coverage: as far as the run has them
  avrlan report --text run --top 40)";

// Nothing when the run did not leave it.
std::optional<Json> load(const std::filesystem::path& path, std::string_view schema) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  Json json = Json::parse(in, nullptr, false);
  if (!json.is_object() || json.value("schema", Json()) != schema) {
    throw UsageError(fmt::format("{} is damaged, or of another version (not {})", path.string(), schema),
                     "record it again with this avrlan");
  }
  return json;
}

std::int64_t number(const Json& object, const char* name) {
  return object.at(name).get<std::int64_t>();
}

std::string text(const Json& object, const char* name) {
  const Json& value = object.at(name);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string run_section(const Json& run) {
  const Json &firmware = run.at("firmware"), &cycles = run.at("cycles"), &wire = run.at("wire");
  const std::int64_t total = number(cycles, "total");
  std::string out = fmt::format("{} on {} ({}, {} Hz), engine {}\n", text(firmware, "path"), text(run, "board"),
                                text(firmware, "mcu"), number(firmware, "hz"), text(run, "engine"));
  out += fmt::format("ended     {}, status {}\n", text(run.at("result"), "reason"), text(run.at("result"), "status"));
  out += fmt::format("cycles    {} total", total);
  for (const char* part : {"active", "sleep", "interrupt"}) {
    out += fmt::format(", {} {} ({:.2f} %)", number(cycles, part), part, profile::percent(number(cycles, part), total));
  }
  out += fmt::format("\nwire      {} frames in ({} bytes), {} out ({} bytes)\n", number(wire, "in_frames"),
                     number(wire, "in_bytes"), number(wire, "out_frames"), number(wire, "out_bytes"));
  out += "drops     ";
  const Json& drops = run.at("nic").at("drops");
  for (const auto& [reason, count] : drops.items()) out += fmt::format("{} {}, ", reason, count.get<std::int64_t>());
  if (drops.empty()) return out + "none\n";
  out.resize(out.size() - 2);
  return out + "\n";
}

std::string functions_section(const Json& run, std::size_t top) {
  if (!run.contains("functions")) return "\nno functions: the run was made without --profile\n";
  const std::int64_t active = number(run.at("cycles"), "active");
  std::vector<Json> functions = run["functions"].get<std::vector<Json>>();
  std::stable_sort(functions.begin(), functions.end(),
                   [](const Json& a, const Json& b) { return number(a, "cycles") > number(b, "cycles"); });
  std::string out = fmt::format("\n{:>12} {:>6} {:>12} {:>12} {:>8}  {}\n", "cycles", "%", "of them wait", "with calls",
                                "calls", "function");
  const std::size_t shown = std::min(top, functions.size());
  std::int64_t rest = 0;
  for (std::size_t n = 0; n < functions.size(); ++n) {
    const Json& f = functions[n];
    const std::int64_t cycles = number(f, "cycles");
    if (n >= shown) {
      rest += cycles;
      continue;
    }
    out += fmt::format("{:>12} {:>6.2f} {:>12} {:>12} {:>8}  {}\n", cycles, profile::percent(cycles, active),
                       number(f, "wait"), number(f, "inclusive"), number(f, "calls"), text(f, "name"));
  }
  if (functions.size() > shown) {
    out += fmt::format("{:>12} {:>6.2f} {:>34}  {} more\n", rest, profile::percent(rest, active), "",
                       functions.size() - shown);
  }
  return out;
}

std::string paths_section(const Json& run) {
  std::string out;
  if (run.contains("paths")) out += "\n" + profile::path_table(run["paths"]);
  if (run.contains("regions")) {
    for (const auto& region : run["regions"]) {
      out += fmt::format("region {}: {} calls, {} cycles, {} bytes, {:.2f} cycles a byte\n", text(region, "name"),
                         number(region, "calls"), number(region, "cycles"), number(region, "bytes"),
                         region.at("cycles_per_byte").get<double>());
    }
  }
  return out;
}

std::string diagnostics_section(const Json& diagnostics) {
  if (diagnostics.at("diagnostics").empty()) return "\ndiagnostics: none\n";
  std::string out = "\ndiagnostics\n";
  for (const auto& entry : diagnostics["diagnostics"]) {
    const Json& calls = entry.at("first").at("calls");
    std::string place;
    if (!calls.empty() && calls.front().at("file").is_string()) {
      place = fmt::format(" at {}:{}", text(calls.front(), "file"), text(calls.front(), "line"));
    } else if (!calls.empty() && calls.front().at("function").is_string()) {
      place = " in " + text(calls.front(), "function");
    }
    out += fmt::format("{:>9} x {} {}{}, first at cycle {}\n", number(entry, "count"), text(entry, "severity"),
                       text(entry, "name"), place, number(entry.at("first"), "cycle"));
  }
  return out;
}

std::string memory_section(const Json& memory) {
  std::string out =
      fmt::format("\nmemory: {} bytes of SRAM, {} data, {} bss, {} never used\n", number(memory.at("ram"), "size"),
                  number(memory.at("static"), "data"), number(memory.at("static"), "bss"), number(memory, "free"));
  if (memory.at("heap").is_object()) out += fmt::format("heap      {} bytes\n", number(memory["heap"], "used"));
  for (const auto& stack : memory.at("stacks")) {
    if (stack.contains("used"))
      out += fmt::format("stack     {} bytes", number(stack, "used"));
    else
      out += "stack    ";
    out += fmt::format(", down to 0x{:04x}, in\n", number(stack, "lowest_sp"));
    for (const auto& function : stack.at("chain")) out += fmt::format("            {}\n", function.get<std::string>());
  }
  for (const auto& read : memory.at("never_written")) {
    out += fmt::format("read before any write: 0x{:04x} {} by {} ({}:{}), {} times\n", number(read, "address"),
                       text(read, "object"), text(read, "function"), text(read, "file"), text(read, "line"),
                       number(read, "count"));
  }
  return out;
}

std::string coverage_section(const Json& run) {
  if (!run.contains("coverage")) return {};
  std::string out = "\ncoverage ";
  for (const auto& [what, share] : run["coverage"].items()) {
    out += fmt::format(" {} {} of {} ({:.1f} %)", what, number(share, "hit"), number(share, "found"),
                       profile::percent(number(share, "hit"), number(share, "found")));
  }
  return out + "\n";
}

void report(const ReportArguments& args) {
  if (!std::filesystem::is_directory(args.directory)) {
    throw UsageError(fmt::format("{} is no directory", args.directory.string()),
                     "give what --out named in `avrlan run`");
  }
  try {
    const Json run = profile::load_run(args.directory / "run.json");
    const auto diagnostics = load(args.directory / "diagnostics.json", "avrlan-diagnostics-1");
    const auto memory = load(args.directory / "memory.json", "avrlan-memory-1");
    std::string out = run_section(run) + functions_section(run, args.top) + paths_section(run);
    if (diagnostics) out += diagnostics_section(*diagnostics);
    if (memory) out += memory_section(*memory);
    fmt::print("{}{}", out, coverage_section(run));
  } catch (const nlohmann::json::exception&) {
    throw UsageError(fmt::format("a file of {} is damaged: something is missing in it", args.directory.string()),
                     "record it again with this avrlan");
  }
}

}  // namespace

void add_report_command(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("report", "what a run with --out has left: functions, layers, drops, diagnostics, memory");
  auto args = std::make_shared<ReportArguments>();
  command->add_option("DIR", args->directory, "the directory that --out named")->required()->type_name("DIR");
  command->add_flag("--text", args->text, "as text for a terminal (the only form, and the default)");
  command->add_option("--top", args->top, "how many functions")->type_name("N")->capture_default_str();
  command->footer(examples);
  command->callback([args] { report(*args); });
}

}  // namespace avrlan
