#include "emulator/profile/memory_report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "emulator/board/demangle.hpp"

namespace avrlan::profile {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t unused = 0xFFFF;

Json names(const CodeMap& map, const std::vector<std::uint32_t>& functions) {
  auto list = Json::array();
  for (const std::uint32_t function : functions) list.push_back(map.functions()[function].name);
  return list;
}

std::vector<std::uint32_t> chain_of(const std::vector<Node>& nodes, std::uint32_t node) {
  std::vector<std::uint32_t> chain;
  for (; node != 0; node = nodes[node].parent) chain.insert(chain.begin(), nodes[node].function);
  return chain;
}

Json objects(const Firmware& firmware) {
  auto sorted = firmware.objects;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Symbol& a, const Symbol& b) { return a.size > b.size; });
  auto list = Json::array();
  for (const Symbol& object : sorted)
    list.push_back({{"name", demangled(object.name)}, {"address", object.address}, {"size", object.size}});
  return list;
}

std::string object_at(const Firmware& firmware, std::uint16_t address) {
  for (const Symbol& object : firmware.objects) {
    if (address - object.address < object.size) return demangled(object.name);
  }
  return {};
}

Json stacks(const Profiler& profiler, const MemoryMap& memory) {
  auto list = Json::array();
  for (const StackUse& use : profiler.stacks()) {
    if (use.lowest_sp == unused) continue;
    Json stack{{"lowest_sp", use.lowest_sp}};
    if (list.empty()) stack["used"] = memory.ram_last - use.lowest_sp;
    stack["chain"] = names(profiler.map(), use.chain);
    list.push_back(std::move(stack));
  }
  return list;
}

Json deepest_by_function(const Profiler& profiler) {
  const auto& nodes = profiler.nodes();
  std::map<std::uint32_t, std::uint32_t> deepest;  // function to node
  for (std::uint32_t at = 1; at < nodes.size(); ++at) {
    if (nodes[at].lowest_sp == unused) continue;
    const auto known = deepest.try_emplace(nodes[at].function, at).first;
    if (nodes[at].lowest_sp < nodes[known->second].lowest_sp) known->second = at;
  }
  std::vector<std::uint32_t> order;
  for (const auto& [function, node] : deepest) order.push_back(node);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return nodes[a].lowest_sp < nodes[b].lowest_sp; });
  auto list = Json::array();
  for (const std::uint32_t node : order) {
    list.push_back({{"name", profiler.map().functions()[nodes[node].function].name},
                    {"lowest_sp", nodes[node].lowest_sp},
                    {"chain", names(profiler.map(), chain_of(nodes, node))}});
  }
  return list;
}

Json never_written(const MemoryProfiler& profiler, const DebugInfo& debug, const Firmware& firmware) {
  auto list = Json::array();
  for (const auto& [word, reads] : profiler.never_written()) {
    const SourceLine line = debug.line_of(2 * word);
    list.push_back({{"pc", 2 * word},
                    {"function", profiler.map().functions()[profiler.map().function_of(word)].name},
                    {"file", debug.files()[line.file]},
                    {"line", line.line},
                    {"address", reads.address},
                    {"object", object_at(firmware, reads.address)},
                    {"first_cycle", reads.cycle},
                    {"count", reads.count}});
  }
  return list;
}

}  // namespace

Json memory_json(const MemoryProfiler& profiler, const DebugInfo& debug, const Firmware& firmware,
                 const MemoryMap& memory) {
  const std::uint32_t static_end = std::max<std::uint32_t>(firmware.data_end, memory.ram_first);
  const auto heap_end = profiler.highest_heap_end();
  Json heap = nullptr;
  if (heap_end) heap = {{"start", static_end}, {"highest_end", *heap_end}, {"used", *heap_end - static_end}};
  const std::int64_t lowest = std::min(profiler.stacks().front().lowest_sp, memory.ram_last);
  return {{"schema", "avrlan-memory-1"},
          {"ram",
           {{"first", memory.ram_first}, {"last", memory.ram_last}, {"size", memory.ram_last - memory.ram_first + 1}}},
          {"static", {{"data", firmware.data_bytes}, {"bss", firmware.bss_bytes}, {"end", static_end}}},
          {"heap", heap},
          {"free", lowest + 1 - std::max<std::int64_t>(static_end, heap_end.value_or(0))},
          {"stacks", stacks(profiler, memory)},
          {"functions", deepest_by_function(profiler)},
          {"objects", objects(firmware)},
          {"never_written", never_written(profiler, debug, firmware)}};
}

}  // namespace avrlan::profile
