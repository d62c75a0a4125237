#include "emulator/profile/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/board/demangle.hpp"
#include "emulator/board/escape.hpp"
#include "emulator/board/write_file.hpp"
#include "emulator/profile/coverage.hpp"
#include "emulator/profile/memory_report.hpp"
#include "emulator/profile/outputs.hpp"
#include "emulator/profile/totals.hpp"

namespace avrlan::profile {

std::vector<std::string> RecordingOptions::names() const {
  std::vector<std::string> names;
  if (profile) names.insert(names.end(), {"callgrind.out", "stacks.folded"});
  if (timeline != 0) names.push_back("timeline.json");
  if (coverage) names.insert(names.end(), {"coverage.info", "memory.json"});
  return names;
}

Recording::Recording(Machine& machine, const Firmware& firmware, const RecordingOptions& options)
    : machine_(machine),
      firmware_(firmware),
      options_(options),
      map_(firmware, machine.memory_map()),
      debug_(DebugInfo::load(firmware.path)) {
  for (const CodeGroup& group : options_.regions) regions_.emplace_back(group, map_, debug_);
  const std::vector<std::uint8_t> layers = layer_of_words(map_, debug_);
  if (options_.coverage) {
    auto memory = std::make_unique<MemoryProfiler>(map_, machine.memory_map(), firmware, layers);
    memory_ = memory.get();
    machine_.observe(instrument_of(*memory_));
    profiler_ = std::move(memory);
  } else {
    profiler_ = std::make_unique<Profiler>(map_, machine.memory_map().pc_bytes, layers);
    machine_.observe(instrument_of(*profiler_));
  }
  paths_ = std::make_unique<FramePaths>(*profiler_);
  profiler_->on_sleep([this](std::int64_t from, std::int64_t to) {
    paths_->slept(from, to);
    timeline_->slept(from, to);
  });
  timeline_ = std::make_unique<Timeline>(*profiler_, machine.hz(), options_.timeline);
}

void Recording::frame(bool to_board, std::size_t octets) {
  timeline_->frame(to_board, octets, machine_.cycle().count);
}

void Recording::nic_event(const NicEvent& event) {
  const std::int64_t cycle = machine_.cycle().count;
  paths_->nic_event(event, cycle, machine_.now());
  timeline_->nic_event(event, cycle);
}

void Recording::update() {
  profiler_->charge(machine_.totals().total.count);
  paths_->finish();
}

void Recording::add_to(nlohmann::ordered_json& run) const {
  if (options_.profile) {
    run["functions"] = functions();
    run["inlined"] = inlined();
    run["layers"] = paths_->layers();
    run["paths"] = paths_->json();
    run["regions"] = nlohmann::ordered_json::array();
    for (const Region& region : regions_) run["regions"].push_back(region.json(*profiler_));
    run["flash"] = {{"total", firmware_.flash.size()}, {"functions", nlohmann::ordered_json::array()}};
    for (const Symbol& function : firmware_.functions) {
      if (function.size != 0)
        run["flash"]["functions"].push_back({{"name", demangled(function.name)}, {"size", function.size}});
    }
    run["ram"] = {{"static", firmware_.data_bytes + firmware_.bss_bytes}, {"objects", nlohmann::ordered_json::array()}};
    for (const Symbol& object : firmware_.objects) {
      if (object.size != 0) run["ram"]["objects"].push_back({{"name", demangled(object.name)}, {"size", object.size}});
    }
    run["stack"] = machine_.memory_map().ram_last -
                   std::min(profiler_->stacks().front().lowest_sp, machine_.memory_map().ram_last);
  }
  if (memory_ == nullptr) return;
  const Coverage coverage(*profiler_, debug_);
  const auto share = [](const Coverage::Share& s) {
    return nlohmann::ordered_json{{"found", s.found}, {"hit", s.hit}};
  };
  run["coverage"] = {{"lines", share(coverage.lines())},
                     {"functions", share(coverage.functions())},
                     {"branches", share(coverage.branches())}};
  const auto memory = memory_json(*memory_, debug_, firmware_, machine_.memory_map());
  run["memory"] = {{"static", memory["static"]}, {"heap", memory["heap"]}, {"free", memory["free"]}};
  run["memory"]["stack"] = memory["stacks"].empty() ? nlohmann::ordered_json() : memory["stacks"][0]["used"];
  run["memory"]["never_written"] = memory["never_written"].size();
}

nlohmann::ordered_json Recording::functions() const {
  auto list = nlohmann::ordered_json::array();
  for (const FunctionTotals& totals : function_totals(*profiler_)) {
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
    for (const std::uint32_t word : places) cycles += profiler_->place(word).cycles;
    if (cycles == 0) continue;
    list.push_back({{"name", key.first}, {"in", map_.functions()[key.second].name}, {"cycles", cycles}});
  }
  return list;
}

void Recording::write(const std::filesystem::path& directory, const std::string& command) const {
  if (options_.profile) {
    write_file(directory / "callgrind.out",
               callgrind(*profiler_, debug_, command, printable(std::filesystem::absolute(firmware_.path).string())));
    write_file(directory / "stacks.folded", folded_stacks(*profiler_));
  }
  if (!timeline_->empty()) write_file(directory / "timeline.json", timeline_->json(machine_.totals().total.count));
  if (memory_ != nullptr) {
    write_file(directory / "coverage.info", Coverage(*profiler_, debug_).lcov());
    write_file(directory / "memory.json",
               memory_json(*memory_, debug_, firmware_, machine_.memory_map())
                       .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                   "\n");
  }
}

}  // namespace avrlan::profile
