#pragma once
// --diag: which diagnostics are told, and how severe they are.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/board/machine.hpp"
#include "nic-model/core/diagnostics.hpp"

namespace avrlan {

// Everything that a run can report, sorted by name.
const std::vector<DiagnosticKind>& diagnostic_kinds();

class DiagnosticPolicy {
 public:
  // Adds rules, WHAT=SEVERITY with commas between them. WHAT is a name, a pattern with * at its end, `all`, or one of
  // note, warning and error for everything that has this severity of its own; SEVERITY is ignore, note, warning or error.
  // Later rules win; what the firmware cannot go on after (illegal-opcode, outside-flash) stays an error. Throws UsageError
  // that says what the names are.
  void add(std::string_view rules);

  // Says which engine it is for, after the last rule. Throws UsageError when a rule names what that never reports, or cannot go
  // on after. The exact one, unless said.
  void use(EngineKind engine);

  // What add() takes for the same rules; empty without any.
  std::string text() const;

  // nullopt: not to be told.
  std::optional<Severity> severity(std::string_view name, Severity own) const;

 private:
  struct Rule {
    std::string what;
    std::optional<Severity> severity;
  };
  std::vector<Rule> rules_;
  EngineKind engine_ = EngineKind::exact;
};

}  // namespace avrlan
