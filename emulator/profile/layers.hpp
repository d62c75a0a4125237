#pragma once
// Code by what it is for: the layers of a network stack, and regions that the user names.

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

// Of our stack, lwIP, uIP, UIPEthernet and EtherCard, in the order in which they are tried. The last, "other", has no patterns and takes the rest.
const std::vector<CodeGroup>& network_layers();

// One a word of flash: its layer, as an index.
std::vector<std::uint8_t> layer_of_words(const CodeMap& map, const DebugInfo& debug);

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

}  // namespace avrlan::profile
