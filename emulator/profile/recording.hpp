#pragma once
// One observed run: what `avrlan run --profile --coverage` does with a machine.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/profile/code_map.hpp"
#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/frame_paths.hpp"
#include "emulator/profile/layers.hpp"
#include "emulator/profile/memory_profiler.hpp"
#include "emulator/profile/profiler.hpp"
#include "emulator/profile/timeline.hpp"

namespace avrlan::profile {

struct RecordingOptions {
  // Of the files that they ask for.
  std::vector<std::string> names() const;

  bool profile = true;  // callgrind.out, stacks.folded
  std::vector<CodeGroup> regions{};
  std::size_t timeline = 0;  // timeline.json with at most so many calls; 0: none
  bool coverage = false;     // coverage.info, memory.json; each load and store is looked at
};

class Recording {
 public:
  // Before the machine's first run. Both must outlive the recording, and the machine not run any more after it. Throws UsageError
  // when the machine's engine cannot be observed.
  Recording(Machine& machine, const Firmware& firmware, const RecordingOptions& options = {});

  // A frame has passed the wire at the chip: its last bit.
  void frame(bool to_board, std::size_t octets);
  void nic_event(const NicEvent& event);
  // The firmware has sent a byte by its UART.
  void uart(std::uint8_t byte) { timeline_->uart(byte, machine_.cycle().count); }

  // Up to now; call between two runs of the machine before reading anything below.
  void update();

  const FramePaths& paths() const { return *paths_; }
  const Profiler& profiler() const { return *profiler_; }
  const CodeMap& map() const { return map_; }
  const DebugInfo& debug() const { return debug_; }

  // Adds to run.json what the options ask for: `functions`, `inlined`, `flash {total, functions}`,
  // `layers`, `paths`,
  // `regions`, `ram {static, objects}`, `stack` (bytes, high water); `coverage`, `memory`.
  void add_to(nlohmann::ordered_json& run) const;
  // run.json's `functions`: one object each, most own cycles first. Own: cycles, instructions, sleep, wait.
  nlohmann::ordered_json functions() const;
  // run.json's `inlined`: functions that the compiler has put into others, with the cycles spent there.
  nlohmann::ordered_json inlined() const;
  // The files that the options ask for. Throws HostError.
  void write(const std::filesystem::path& directory, const std::string& command) const;

 private:
  Machine& machine_;
  const Firmware& firmware_;
  const RecordingOptions options_;
  CodeMap map_;
  DebugInfo debug_;
  std::unique_ptr<Profiler> profiler_;
  MemoryProfiler* memory_ = nullptr;  // the same, with coverage
  std::vector<Region> regions_;
  std::unique_ptr<FramePaths> paths_;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace avrlan::profile
