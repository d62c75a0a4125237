#include "emulator/profile/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/profile/outputs.hpp"
#include "emulator/profile/totals.hpp"

namespace avrlan::profile {

namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw HostError(fmt::format("cannot write {}", path.string()), std::strerror(errno));
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Recording::Recording(Machine& machine, const Firmware& firmware)
    : machine_(machine),
      map_(firmware, machine.memory_map()),
      debug_(DebugInfo::load(firmware.path)),
      profiler_(map_, machine.memory_map().pc_bytes) {
  machine_.observe(instrument_of(profiler_));
}

void Recording::update() {
  profiler_.charge(machine_.totals().total.count);
}

nlohmann::ordered_json Recording::functions() const {
  auto list = nlohmann::ordered_json::array();
  for (const FunctionTotals& totals : function_totals(profiler_)) {
    const Function& function = map_.functions()[totals.function];
    const SourceLine line = debug_.line_of(function.address);
    list.push_back({{"name", function.name},
                    {"address", function.address},
                    {"size", function.size},
                    {"file", debug_.files()[line.file]},
                    {"line", line.line},
                    {"calls", totals.calls},
                    {"cycles", totals.own.cycles},
                    {"instructions", totals.own.instructions},
                    {"sleep", totals.own.sleep},
                    {"wait", totals.own.wait},
                    {"inclusive", totals.inclusive.cycles}});
  }
  return list;
}

nlohmann::ordered_json Recording::inlined() const {
  std::map<std::pair<std::string, std::uint32_t>, std::set<std::uint32_t>> words;
  for (const Inlined& range : debug_.inlined()) {
    for (std::uint32_t word = range.first / 2; word < range.end / 2 && word < map_.flash_words(); ++word)
      words[{range.name, map_.function_of(word)}].insert(word);
  }
  auto list = nlohmann::ordered_json::array();
  for (const auto& [key, places] : words) {
    std::int64_t cycles = 0;
    for (const std::uint32_t word : places) cycles += profiler_.place(word).cycles;
    if (cycles == 0) continue;
    list.push_back({{"name", key.first}, {"in", map_.functions()[key.second].name}, {"cycles", cycles}});
  }
  return list;
}

std::string Recording::table(std::size_t count) const {
  const auto totals = function_totals(profiler_);
  const std::int64_t active = machine_.totals().active.count;
  std::string text =
      fmt::format("{:>14} {:>6} {:>14} {:>6} {:>10}  {}\n", "cycles", "%", "with calls", "%", "calls", "function");
  for (std::size_t i = 0; i < std::min(count, totals.size()); ++i) {
    const FunctionTotals& f = totals[i];
    text += fmt::format("{:>14} {:>6.2f} {:>14} {:>6.2f} {:>10}  {}\n", f.own.cycles, percent(f.own.cycles, active),
                        f.inclusive.cycles, percent(f.inclusive.cycles, active), f.calls,
                        map_.functions()[f.function].name);
  }
  if (totals.size() > count) {
    std::int64_t rest = 0;
    for (std::size_t i = count; i < totals.size(); ++i) rest += totals[i].own.cycles;
    text += fmt::format("{:>14} {:>6.2f} {:>33} {} more\n", rest, percent(rest, active), "", totals.size() - count);
  }
  return text;
}

void Recording::write(const std::filesystem::path& directory, const std::string& command) const {
  write_file(directory / "callgrind.out", callgrind(profiler_, debug_, command));
  write_file(directory / "stacks.folded", folded_stacks(profiler_));
}

}  // namespace avrlan::profile
