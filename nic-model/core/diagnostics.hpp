#pragma once
// What a guest does wrong is data: a diagnostic, or a drop with a reason. Never an exception.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace avrlan {

enum class Severity { note, warning, error };

// "note", "warning", "error".
std::string_view to_string(Severity severity);

struct Diagnostic {
  Severity severity = Severity::warning;
  // Stable kebab-case name, for example "enc28j60-rx-pointer-even"; what --diag and tests name.
  std::string code;
  // One sentence: what was done, what silicon makes of it, what to do instead.
  std::string message;
};

// One kind of diagnostic that a part can report, for lists and for options that name it.
struct DiagnosticKind {
  std::string_view name;
  Severity severity;
  std::string_view summary;
};

// Whoever receives adds pc, symbol, source line and cycle, and counts repeats of the same code at the same place.
class DiagnosticSink {
 public:
  virtual ~DiagnosticSink() = default;
  virtual void report(const Diagnostic& diagnostic) = 0;
};

// Why a frame went no further. One list for chips and network, so that one table explains a whole run.
enum class DropReason : std::uint8_t {
  // in the chip
  receiver_off,
  link_down,
  filtered,
  bad_fcs,
  runt,
  giant,
  fifo_full,
  packet_count_limit,
  receive_aborted,
  transmit_aborted,
  power_down,
  // on the link
  queue_full,
  lost,
  // at the gateway's guard
  fragment_refused,
  loopback_refused,
  host_access_refused,
  malformed,
  // switch and backends
  no_destination,
  backend_full,
  count_
};

// The stable name in run.json and in messages, for example "fifo-full".
std::string_view to_string(DropReason reason);

class DropCounters {
 public:
  void count(DropReason reason) { ++counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t of(DropReason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t total() const;
  DropCounters& operator+=(const DropCounters& other);

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(DropReason::count_)> counts_{};
};

}  // namespace avrlan
