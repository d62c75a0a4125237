#include "emulator/profile/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace avrlan::profile {

namespace {

void count(Coverage::Share& share, bool hit) {
  ++share.found;
  if (hit) ++share.hit;
}

}  // namespace

Coverage::Coverage(const Profiler& profiler, const DebugInfo& debug) {
  const CodeMap& map = profiler.map();
  for (std::uint32_t word = 0; word < map.flash_words(); ++word) {
    const SourceLine line = debug.line_of(2 * word);
    if (line.file == 0 || line.line == 0) continue;
    File& file = files_[debug.files()[line.file]];
    const Place place = profiler.place(word);
    std::int64_t& executed = file.lines[line.line];
    executed = std::max(executed, place.count);
    if (map.instruction(word).conditional) {
      file.branches[word] = {line.line, place.count, place.taken};
    }
  }
  for (const Function& function : map.functions()) {
    const SourceLine line = debug.line_of(function.address);
    if (line.file == 0 || line.line == 0) continue;
    auto& functions = files_[debug.files()[line.file]].functions;
    std::string symbol = function.symbol;
    for (unsigned n = 2; functions.contains(symbol); ++n) symbol = fmt::format("{}.{}", function.symbol, n);
    functions[symbol] = {line.line, profiler.place(function.address / 2).count};
  }
  for (const auto& [name, file] : files_) {
    for (const auto& [line, executed] : file.lines) count(lines_, executed != 0);
    for (const auto& [symbol, called] : file.functions) count(functions_, called.calls != 0);
    for (const auto& [word, branch] : file.branches) {
      count(branches_, branch.taken != 0);
      count(branches_, branch.count != branch.taken);
    }
  }
}

std::string Coverage::lcov() const {
  std::string text = "TN:\n";
  for (const auto& [name, file] : files_) {
    Share functions, branches, lines;
    text += fmt::format("SF:{}\n", name);
    for (const auto& [symbol, called] : file.functions) text += fmt::format("FN:{},{}\n", called.line, symbol);
    for (const auto& [symbol, called] : file.functions) {
      text += fmt::format("FNDA:{},{}\n", called.calls, symbol);
      count(functions, called.calls != 0);
    }
    text += fmt::format("FNF:{}\nFNH:{}\n", functions.found, functions.hit);
    for (const auto& [word, branch] : file.branches) {
      const bool reached = branch.count != 0;
      const std::int64_t ways[] = {branch.taken, branch.count - branch.taken};
      for (unsigned way = 0; way < 2; ++way) {
        text += fmt::format("BRDA:{},{},{},{}\n", branch.line, word, way, reached ? fmt::to_string(ways[way]) : "-");
        count(branches, ways[way] != 0);
      }
    }
    text += fmt::format("BRF:{}\nBRH:{}\n", branches.found, branches.hit);
    for (const auto& [line, executed] : file.lines) {
      text += fmt::format("DA:{},{}\n", line, executed);
      count(lines, executed != 0);
    }
    text += fmt::format("LF:{}\nLH:{}\nend_of_record\n", lines.found, lines.hit);
  }
  return text;
}

}  // namespace avrlan::profile
