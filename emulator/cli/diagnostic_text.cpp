#include "emulator/cli/diagnostic_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/board/escape.hpp"

namespace avrlan {

namespace {

using Json = nlohmann::ordered_json;

// Where it happened, below the line that says what.
std::string calls_of(const DiagnosticLog::Entry& entry) {
  if (entry.lines.empty()) return fmt::format("  cycle {}, by no instruction\n", entry.first.cycle.count);
  const auto& line = entry.lines.front();
  std::string text =
      fmt::format("  in {}, pc {:#06x}, cycle {}\n", line.function.empty() ? "code without a symbol" : line.function,
                  line.pc, entry.first.cycle.count);
  for (std::size_t n = 1; n < entry.lines.size(); ++n) text += fmt::format("  from {}\n", to_text(entry.lines[n]));
  return text;
}

Json null_or(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

std::string to_text(const DiagnosticLog::CodeLine& line) {
  const std::string source = line.source ? fmt::format("{}:{}: ", line.source->file, line.source->line) : std::string();
  return source + (line.function.empty() ? "code without a symbol" : line.function);
}

std::string to_text(const DiagnosticLog::Entry& entry, const Firmware& firmware, DiagnosticFormat format) {
  const std::optional<SourceLine> source = entry.lines.empty() ? std::nullopt : entry.lines.front().source;
  const std::string file = source ? source->file : printable(firmware.path.filename().string());
  const Diagnostic& what = entry.diagnostic;
  if (format == DiagnosticFormat::gcc) {
    const std::string line = source ? fmt::format(":{}", source->line) : std::string();
    return fmt::format("{}{}: {}: {} [{}]\n{}", file, line, to_string(what.severity), what.message, what.code,
                       calls_of(entry));
  }
  const std::string_view command = what.severity == Severity::note ? "notice" : to_string(what.severity);
  const std::string line = source ? fmt::format(",line={}", source->line) : std::string();
  return fmt::format("::{} file={}{},title={}::{}\n", command, workflow_property(file), line, what.code,
                     workflow_message(what.message + '\n' + calls_of(entry)));
}

Json diagnostics_json(const DiagnosticLog& log, const Firmware& firmware) {
  Json all = Json::array();
  for (const auto& entry : log.entries()) {
    Json calls = Json::array();
    for (const auto& line : entry.lines) {
      calls.push_back({{"pc", line.pc},
                       {"function", null_or(line.function)},
                       {"file", line.source ? Json(line.source->file) : Json(nullptr)},
                       {"line", line.source ? Json(line.source->line) : Json(nullptr)}});
    }
    all.push_back({{"name", entry.diagnostic.code},
                   {"severity", to_string(entry.diagnostic.severity)},
                   {"message", entry.diagnostic.message},
                   {"count", entry.count},
                   {"first", {{"cycle", entry.first.cycle.count}, {"calls", calls}}}});
  }
  return {{"schema", "avrlan-diagnostics-1"}, {"firmware", firmware.path.string()}, {"diagnostics", all}};
}

}  // namespace avrlan
