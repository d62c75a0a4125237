#include "emulator/cli/diagnostic_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/board/demangle.hpp"

namespace avrlan {

void DiagnosticLog::report(const Diagnostic& diagnostic) {
  report(diagnostic, here_ ? here_() : CodePlace{});
}

void DiagnosticLog::report(const Diagnostic& diagnostic, const CodePlace& place) {
  const std::optional<Severity> severity = policy_.severity(diagnostic.code, diagnostic.severity);
  if (!severity) return;
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.first.pcs == place.pcs && e.diagnostic.code == diagnostic.code;
  });
  if (known != entries_.end()) {
    ++known->count;
    return;
  }
  Entry entry{diagnostic, place, {}};
  entry.diagnostic.severity = *severity;
  entry.lines = lines(place.pcs);
  entries_.push_back(std::move(entry));
  if (notify_) notify_(entries_.back());
}

std::vector<DiagnosticLog::CodeLine> DiagnosticLog::lines(const std::vector<std::uint32_t>& pcs) {
  std::vector<CodeLine> all;
  for (const std::uint32_t pc : pcs) {
    CodeLine line{pc, {}, source_line(pc)};
    if (const Symbol* symbol = firmware_.function_at(pc)) {
      line.function = fmt::format("{}+{:#x}", demangled(symbol->name), pc - symbol->address);
    }
    all.push_back(std::move(line));
  }
  return all;
}

// What editors and GitHub can open.
std::optional<SourceLine> DiagnosticLog::source_line(std::uint32_t pc) {
  if (!debug_info_) debug_info_ = profile::DebugInfo::load(firmware_.path);
  const profile::SourceLine known = debug_info_->line_of(pc);
  if (known.line == 0) return std::nullopt;
  std::filesystem::path path = debug_info_->files()[known.file];
  if (path.is_absolute()) {
    const auto below = path.lexically_relative(std::filesystem::current_path());
    if (!below.empty() && *below.begin() != "..") path = below;
  }
  return SourceLine{path.string(), known.line};
}

std::uint64_t DiagnosticLog::count(Severity severity) const {
  std::uint64_t n = 0;
  for (const auto& entry : entries_) {
    if (entry.diagnostic.severity == severity) n += entry.count;
  }
  return n;
}

}  // namespace avrlan
