#include <fmt/format.h>

#include <map>

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

// What an instruction cost itself, and its calls by callee.
struct Calls {
  std::int64_t count = 0;
  Cost cost{};
};
struct Executed {
  Cost own{};
  std::map<std::uint32_t, Calls> calls{};
};

class Writer {
 public:
  Writer(const Profiler& profiler, const DebugInfo& debug) : profiler_(profiler), map_(profiler.map()), debug_(debug) {
    collect_costs();
    collect_calls();
  }
  std::string write(const std::string& command, const std::string& elf);

 private:
  void collect_costs();
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
  std::vector<std::map<std::uint32_t, Executed>> code_{map_.functions().size()};  // by function, then word
  Names file_names_;
  Names function_names_;
  std::string text_;
};

void Writer::collect_costs() {
  for (std::uint32_t word = 0; word < map_.flash_words(); ++word) {
    const Place place = profiler_.place(word);
    if (place.count == 0 && place.cycles == 0) continue;
    code_[map_.function_of(word)][word].own = {place.cycles, place.count, 0, map_.waits(word) ? place.cycles : 0};
  }
  for (const auto& [word, cycles] : profiler_.sleep_by_word()) code_[map_.function_of(word)][word].own.sleep += cycles;
}

void Writer::collect_calls() {
  const auto& nodes = profiler_.nodes();
  const auto inclusive = inclusive_costs(nodes);
  for (std::uint32_t at = 1; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.parent == 0) continue;
    Calls& calls = code_[nodes[node.parent].function][node.site].calls[node.function];
    calls.count += node.calls;
    if (!is_recursive(nodes, at)) calls.cost += inclusive[at];
  }
}

void Writer::write_function(std::uint32_t function) {
  if (code_[function].empty()) return;
  const std::uint32_t home = home_file(function);
  text_ += fmt::format("\nfl={}\nfn={}\n", file_names_(file(home)), function_names_(map_.functions()[function].name));
  std::uint32_t current = home;
  for (const auto& [word, executed] : code_[function]) {
    const SourceLine line = debug_.line_of(2 * word);
    if (line.file != current) {
      text_ += fmt::format("{}={}\n", line.file == home ? "fe" : "fi", file_names_(file(line.file)));
      current = line.file;
    }
    const std::string position = fmt::format("{:#x} {}", 2 * word, line.line);
    text_ += fmt::format("{} {}\n", position, numbers(executed.own));
    for (const auto& [callee, calls] : executed.calls) {
      const Function& called = map_.functions()[callee];
      const SourceLine entry = debug_.line_of(called.address);
      text_ += fmt::format("cfi={}\ncfn={}\ncalls={} {:#x} {}\n{} {}\n", file_names_(file(entry.file)),
                           function_names_(called.name), calls.count, called.address, entry.line, position,
                           numbers(calls.cost));
    }
  }
}

std::string Writer::write(const std::string& command, const std::string& elf) {
  Cost total{};
  for (const auto& code : code_) {
    for (const auto& [word, executed] : code) total += executed.own;
  }
  text_ = fmt::format(
      "# callgrind format\nversion: 1\ncreator: avrlan\npid: 1\ncmd: {}\npart: 1\n\n"
      "desc: Trigger: Program termination\n\npositions: instr line\n"
      "event: Cycles : clock cycles\nevent: Instructions : instructions\nevent: Sleep : cycles asleep\n"
      "event: Wait : clock cycles in loops that wait\nevents: Cycles Instructions Sleep Wait\nsummary: {}\n\nob={}\n",
      command, numbers(total), elf);
  for (std::uint32_t function = 0; function < map_.functions().size(); ++function) write_function(function);
  text_ += fmt::format("\ntotals: {}\n", numbers(total));
  return std::move(text_);
}

}  // namespace

std::string callgrind(const Profiler& profiler, const DebugInfo& debug, const std::string& command,
                      const std::string& elf) {
  return Writer(profiler, debug).write(command, elf);
}

}  // namespace avrlan::profile
