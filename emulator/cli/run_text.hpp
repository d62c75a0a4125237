#pragma once
// What `avrlan run` says at its end and `avrlan report` later, from the same files. Text of lines, each ended by a newline;
// names in it are printable. All throw UsageError where a file is damaged.

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/profile/json_file.hpp"

namespace avrlan {

// Of run.json: how it ended, time, cycles, frames each way, drops by reason, LEDs, how many diagnostics.
std::string run_text(const profile::JsonValue& run);

// Of run.json of a run with --profile: the `top` functions with the most own cycles, regions, the steps of
// frames.
std::string profile_text(const profile::JsonValue& run, std::size_t top);

// Of run.json of a run with --coverage: what share was executed.
std::string coverage_text(const profile::JsonValue& run);

// Of diagnostics.json: one line for each place where one has occurred `least` times or more.
std::string diagnostics_text(const profile::JsonValue& diagnostics, std::int64_t least);

// Of memory.json.
std::string memory_text(const profile::JsonValue& memory);

}  // namespace avrlan
