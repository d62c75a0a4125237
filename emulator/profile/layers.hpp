#pragma once
// Code by what it is for: the layers of a network stack, regions that the user names, and what a frame costs in each.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

// Shell patterns. One with a slash is matched with the source file of each line, inlined code by its own; one without with
// the names of functions, inlined ones too, demangled and as in the ELF.
struct CodeGroup {
  std::string name;
  std::vector<std::string> patterns;

  // NAME='pattern,pattern'. Throws UsageError.
  static CodeGroup parse(const std::string& text);
};

// Of our stack, lwIP and uIP, in the order in which they are tried; what none fits is the layer "other".
const std::vector<CodeGroup>& network_layers();

// One a word of flash: whether the group has it.
std::vector<bool> words_of(const CodeGroup& group, const CodeMap& map, const DebugInfo& debug);

// Cycles of code that a group's words are executed in. `calls` are calls, and entries by interrupt or jump, of functions
// that lie in the region, from outside of it. `bytes` are those that are loaded (or stored, whatever is more) with a
// pointer that moves on: what a checksum or a copy goes through; 0 where nothing does.
class Region {
 public:
  // Throws UsageError when nothing in the firmware fits one of the group's patterns.
  Region(CodeGroup group, const CodeMap& map, const DebugInfo& debug);
  nlohmann::ordered_json json(const Profiler& profiler) const;

 private:
  CodeGroup group_;
  std::vector<bool> words_;
};

// What a frame costs. The path of a frame that arrives at the chip is the work, sleep not counted, from its last bit to that
// of the last frame which the firmware sends before the next one arrives, or, when it sends none, to the next one's last
// bit: its answers are included, and whatever else it did meanwhile. An unanswered frame at the end of the run has no path.
class FramePaths {
 public:
  FramePaths(const Profiler& profiler, const DebugInfo& debug);

  void frame_in(std::size_t octets);
  void frame_out(std::size_t octets);
  // Ends the last path, if it can be told how long it was.
  void finish();

  // run.json's `layers`: name, cycles (of the whole run), and for the paths: p50, p90, p99, max, cycles a byte.
  nlohmann::ordered_json layers() const;
  // run.json's `paths`: count, octets in and out, and the same for all layers together.
  nlohmann::ordered_json paths() const;
  std::string table() const;

 private:
  struct Path {
    std::vector<std::int64_t> cycles;  // by layer
    std::int64_t octets = 0;
  };
  // Of one layer, or of all.
  struct Spread {
    std::int64_t sum = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
    double per_byte = 0;
  };

  std::vector<std::int64_t> cycles_by_layer() const;
  void end_path();
  template <class Value>
  Spread spread(Value value) const;

  const Profiler& profiler_;
  std::vector<std::uint8_t> layer_of_;  // by word of the image
  std::vector<std::int64_t> at_cut_;
  std::vector<Path> paths_;
  std::int64_t octets_in_ = 0;
  std::int64_t octets_out_ = 0;
  bool open_ = false;
};

}  // namespace avrlan::profile
