#pragma once
// Collects diagnostics, with the place in the firmware that caused them.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

// Byte address of an instruction and the cycle at which it started.
struct CodePlace {
  std::uint32_t pc = 0;
  Cycles cycle;
};

class DiagnosticLog : public DiagnosticSink {
 public:
  // One kind of mistake at one place, however often it was made.
  struct Entry {
    Diagnostic diagnostic;
    CodePlace first;
    std::string function;  // demangled, with the offset in it: "main+0x1c"; empty when no symbol covers the place
    std::uint64_t count = 1;
  };

  explicit DiagnosticLog(const Firmware& firmware) : firmware_(firmware) {}

  void locate(std::function<CodePlace()> here) { here_ = std::move(here); }
  // Called for the first of each entry.
  void on_first(std::function<void(const Entry&)> notify) { notify_ = std::move(notify); }

  void report(const Diagnostic& diagnostic) override;

  const std::vector<Entry>& entries() const { return entries_; }
  // Occurrences of a severity, repeats included.
  std::uint64_t count(Severity severity) const;

 private:
  const Firmware& firmware_;
  std::function<CodePlace()> here_;
  std::function<void(const Entry&)> notify_;
  std::vector<Entry> entries_;
};

}  // namespace avrlan
