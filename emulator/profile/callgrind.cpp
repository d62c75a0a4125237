#include <fmt/format.h>

#include <map>
#include <tuple>

#include "emulator/profile/outputs.hpp"
#include "emulator/profile/totals.hpp"

namespace avrlan::profile {

namespace {

// fl=(1) path the first time, fl=(1) from then on.
class Names {
 public:
  std::string operator()(const std::string& name) {
    const auto [at, is_new] = ids_.try_emplace(name, ids_.size() + 1);
    return is_new ? fmt::format("({}) {}", at->second, name) : fmt::format("({})", at->second);
  }

 private:
  std::map<std::string, std::size_t> ids_;
};

std::string numbers(const Cost& cost) {
  return fmt::format("{} {} {} {}", cost.cycles, cost.instructions, cost.sleep, cost.wait);
}

// Own costs by function, then file and line.
using Lines = std::map<std::pair<std::uint32_t, std::uint32_t>, Cost>;
// Calls by function, then line of the call and callee.
struct Calls {
  std::int64_t count = 0;
  Cost cost{};
};
using Edges = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Calls>;  // file, line, callee

class Writer {
 public:
  Writer(const Profiler& profiler, const DebugInfo& debug) : profiler_(profiler), map_(profiler.map()), debug_(debug) {
    lines_.resize(map_.functions().size());
    edges_.resize(map_.functions().size());
    collect_lines();
    collect_calls();
  }
  std::string write(const std::string& command);

 private:
  void collect_lines();
  void collect_calls();
  void write_function(std::uint32_t function);
  const std::string& file(std::uint32_t index) const {
    static const std::string unknown = "???";
    return index == 0 ? unknown : debug_.files()[index];
  }
  std::uint32_t home_file(std::uint32_t function) const {
    return debug_.line_of(map_.functions()[function].address).file;
  }

  const Profiler& profiler_;
  const CodeMap& map_;
  const DebugInfo& debug_;
  std::vector<Lines> lines_;
  std::vector<Edges> edges_;
  Names file_names_;
  Names function_names_;
  std::string text_;
};

void Writer::collect_lines() {
  for (std::uint32_t word = 0; word < map_.flash_words(); ++word) {
    const Place place = profiler_.place(word);
    if (place.count == 0 && place.cycles == 0) continue;
    const SourceLine line = debug_.line_of(2 * word);
    Cost& cost = lines_[map_.function_of(word)][{line.file, line.line}];
    cost += {place.cycles, place.count, 0, map_.waits(word) ? place.cycles : 0};
  }
  for (const auto& [word, cycles] : profiler_.sleep_by_word()) {
    const SourceLine line = debug_.line_of(2 * word);
    lines_[map_.function_of(word)][{line.file, line.line}].sleep += cycles;
  }
}

void Writer::collect_calls() {
  const auto& nodes = profiler_.nodes();
  const auto inclusive = inclusive_costs(nodes);
  for (std::uint32_t at = 1; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.parent == 0) continue;
    const SourceLine line = debug_.line_of(2 * node.site);
    Calls& calls = edges_[nodes[node.parent].function][{line.file, line.line, node.function}];
    calls.count += node.calls;
    if (!is_recursive(nodes, at)) calls.cost += inclusive[at];
  }
}

void Writer::write_function(std::uint32_t function) {
  if (lines_[function].empty() && edges_[function].empty()) return;
  const std::uint32_t home = home_file(function);
  text_ += fmt::format("\nfl={}\nfn={}\n", file_names_(file(home)), function_names_(map_.functions()[function].name));
  std::uint32_t current = home;
  const auto in_file = [&](std::uint32_t index) {
    if (index != current) text_ += fmt::format("{}={}\n", index == home ? "fe" : "fi", file_names_(file(index)));
    current = index;
  };
  for (const auto& [line, cost] : lines_[function]) {
    in_file(line.first);
    text_ += fmt::format("{} {}\n", line.second, numbers(cost));
  }
  for (const auto& [edge, calls] : edges_[function]) {
    const auto& [file_index, line, callee] = edge;
    in_file(file_index);
    const SourceLine entry = debug_.line_of(map_.functions()[callee].address);
    text_ +=
        fmt::format("cfi={}\ncfn={}\ncalls={} {}\n{} {}\n", file_names_(file(entry.file)),
                    function_names_(map_.functions()[callee].name), calls.count, entry.line, line, numbers(calls.cost));
  }
}

std::string Writer::write(const std::string& command) {
  Cost total{};
  for (const auto& lines : lines_) {
    for (const auto& [line, cost] : lines) total += cost;
  }
  text_ = fmt::format(
      "# callgrind format\nversion: 1\ncreator: avrlan\npid: 1\ncmd: {}\npart: 1\n\n"
      "desc: Trigger: Program termination\n\npositions: line\n"
      "event: Cycles : clock cycles\nevent: Instructions : instructions\nevent: Sleep : cycles asleep\n"
      "event: Wait : clock cycles in loops that wait\nevents: Cycles Instructions Sleep Wait\nsummary: {}\n",
      command, numbers(total));
  for (std::uint32_t function = 0; function < map_.functions().size(); ++function) write_function(function);
  text_ += fmt::format("\ntotals: {}\n", numbers(total));
  return std::move(text_);
}

}  // namespace

std::string callgrind(const Profiler& profiler, const DebugInfo& debug, const std::string& command) {
  return Writer(profiler, debug).write(command);
}

}  // namespace avrlan::profile
