#pragma once
// What a profile leaves in --out: files for the tools that people have. All sums are the run's.

#include <string>
#include <vector>

#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

// For callgrind_annotate and KCachegrind: events Cycles, Instructions, Sleep, Wait; own costs by instruction and line, calls
// with what they cost inclusively. A call of a function by itself, direct or not, is given without costs, so that no cycle
// counts twice. Without lines, positions are line 0. `command` says what was run, `elf` where the instructions are.
std::string callgrind(const Profiler& profiler, const DebugInfo& debug, const std::string& command,
                      const std::string& elf);

// One line a chain of calls, "main;f;g 1234" in cycles, sleep as a frame "[sleep]"; for flame graphs and speedscope. An
// interrupt's handler begins a chain. `;` and blanks in names become `:` and `_`.
std::string folded_stacks(const Profiler& profiler);

}  // namespace avrlan::profile
