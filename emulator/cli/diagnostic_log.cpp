#include "emulator/cli/diagnostic_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/board/demangle.hpp"

namespace avrlan {

void DiagnosticLog::report(const Diagnostic& diagnostic) {
  const CodePlace place = here_ ? here_() : CodePlace{};
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return e.first.pc == place.pc && e.diagnostic.code == diagnostic.code;
  });
  if (known != entries_.end()) {
    ++known->count;
    return;
  }
  Entry entry{diagnostic, place, {}};
  if (const Symbol* symbol = firmware_.function_at(place.pc)) {
    entry.function = fmt::format("{}+{:#x}", demangled(symbol->name), place.pc - symbol->address);
  }
  entries_.push_back(std::move(entry));
  if (notify_) notify_(entries_.back());
}

std::uint64_t DiagnosticLog::count(Severity severity) const {
  std::uint64_t n = 0;
  for (const auto& entry : entries_) {
    if (entry.diagnostic.severity == severity) n += entry.count;
  }
  return n;
}

}  // namespace avrlan
