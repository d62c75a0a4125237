#pragma once
// Diagnostics for people, for editors, for GitHub, and as diagnostics.json.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "emulator/cli/diagnostic_log.hpp"

namespace avrlan {

enum class DiagnosticFormat : std::uint8_t {
  gcc,    // "file:line: warning: text [name]" and the calls below it
  github  // "::warning file=...,line=...,title=name::text"
};

// "file:12: main+0x1c".
std::string to_text(const DiagnosticLog::CodeLine& line);

// Ended by a newline.
std::string to_text(const DiagnosticLog::Entry& entry, const Firmware& firmware, DiagnosticFormat format);

// {"schema": "avrlan-diagnostics-1", "firmware": path, "diagnostics": [{"name", "severity", "message", "count",
//  "first": {"cycle", "calls": [{"pc", "function", "file", "line"}, ...]}}, ...]}: in the order of their first occurrence;
// "calls" as CodePlace::pcs, "function", "file" and "line" null where unknown.
nlohmann::ordered_json diagnostics_json(const DiagnosticLog& log, const Firmware& firmware);

}  // namespace avrlan
