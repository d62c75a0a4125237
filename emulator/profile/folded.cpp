#include <fmt/format.h>

#include <map>

#include "emulator/profile/outputs.hpp"

namespace avrlan::profile {

namespace {

std::string frame_name(std::string name) {
  for (char& c : name) {
    if (c == ';') c = ':';
    if (c == ' ') c = '_';
  }
  return name;
}

}  // namespace

std::string folded_stacks(const Profiler& profiler) {
  const auto& nodes = profiler.nodes();
  std::vector<std::string> chains(nodes.size());
  std::map<std::string, std::int64_t> cycles;
  for (std::size_t at = 1; at < nodes.size(); ++at) {
    const Node& node = nodes[at];
    if (node.parent != 0) chains[at] = chains[node.parent] + ";";
    chains[at] += frame_name(profiler.map().functions()[node.function].name);
    if (node.own.cycles != 0) cycles[chains[at]] += node.own.cycles;
    if (node.own.sleep != 0) cycles[chains[at] + ";[sleep]"] += node.own.sleep;
  }
  std::string text;
  for (const auto& [chain, count] : cycles) text += fmt::format("{} {}\n", chain, count);
  return text;
}

}  // namespace avrlan::profile
