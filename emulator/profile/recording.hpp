#pragma once
// One profiled run: what `avrlan run --profile` does with a machine.

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/profile/code_map.hpp"
#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

class Recording {
 public:
  // Before the machine's first run. `machine` must outlive the recording, and not run any more after it. Throws UsageError
  // when the machine's engine cannot be observed.
  Recording(Machine& machine, const Firmware& firmware);

  // Up to now; call between two runs of the machine before reading anything below.
  void update();

  const Profiler& profiler() const { return profiler_; }
  const CodeMap& map() const { return map_; }
  const DebugInfo& debug() const { return debug_; }

  // run.json's `functions`: one object each, most own cycles first. Own: cycles, instructions, sleep, wait.
  nlohmann::ordered_json functions() const;
  // run.json's `inlined`: functions that the compiler has put into others, with the cycles spent there.
  nlohmann::ordered_json inlined() const;
  // For people: the `count` functions with the most own cycles.
  std::string table(std::size_t count) const;
  // callgrind.out and stacks.folded. Throws HostError.
  void write(const std::filesystem::path& directory, const std::string& command) const;

 private:
  Machine& machine_;
  CodeMap map_;
  DebugInfo debug_;
  Profiler profiler_;
};

}  // namespace avrlan::profile
