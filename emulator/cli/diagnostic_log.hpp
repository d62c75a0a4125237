#pragma once
// Collects diagnostics, with the place in the firmware that caused them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/cli/diagnostic_policy.hpp"
#include "emulator/profile/debug_info.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

struct SourceLine {
  std::string file;  // relative to the current directory when it is below that
  std::uint32_t line = 0;
};

// When something happened, and through which instructions.
struct CodePlace {
  Cycles cycle;  // at which the instruction began
  // Byte addresses: the instruction that did it, the call of its function, the call of that one's, ... Empty: no
  // instruction did it, but the network or a timer.
  std::vector<std::uint32_t> pcs;
};

class DiagnosticLog : public DiagnosticSink {
 public:
  struct CodeLine {
    std::uint32_t pc = 0;
    std::string function;  // demangled, with the offset in it: "main+0x1c"; empty when no symbol covers the place
    std::optional<SourceLine> source;
  };
  // One kind of mistake at one place, however often it was made.
  struct Entry {
    Diagnostic diagnostic;  // the first one, with the severity that the policy gives it
    CodePlace first;
    std::vector<CodeLine> lines;  // of first.pcs
    std::uint64_t count = 1;
  };

  explicit DiagnosticLog(const Firmware& firmware, DiagnosticPolicy policy = {})
      : firmware_(firmware), policy_(std::move(policy)) {}

  void locate(std::function<CodePlace()> here) { here_ = std::move(here); }
  // Called for the first of each entry.
  void on_first(std::function<void(const Entry&)> notify) { notify_ = std::move(notify); }

  // At the place that locate() tells.
  void report(const Diagnostic& diagnostic) override;
  void report(const Diagnostic& diagnostic, const CodePlace& place);

  // Of byte addresses.
  std::vector<CodeLine> lines(const std::vector<std::uint32_t>& pcs);
  const std::vector<Entry>& entries() const { return entries_; }
  // Occurrences of a severity, repeats included.
  std::uint64_t count(Severity severity) const;

 private:
  std::optional<SourceLine> source_line(std::uint32_t pc);

  const Firmware& firmware_;
  DiagnosticPolicy policy_;
  std::optional<profile::DebugInfo> debug_info_;  // read when there is something to tell
  std::function<CodePlace()> here_;
  std::function<void(const Entry&)> notify_;
  std::vector<Entry> entries_;
};

}  // namespace avrlan
