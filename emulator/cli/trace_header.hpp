#pragma once
// What a recording says of the run, as JSON in its comments: enough to run the same again without a network.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/board/host_error.hpp"
#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/net/trace_reader.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

inline constexpr const char* trace_schema = "avrlan-trace-1";

// `network`: what was at the other end of the cable, for people.
std::string trace_header(const Board& board, const Firmware& firmware, const SimulationOptions& options,
                         const std::string& network);
// Now: `reason` as in run.json, and all that the console has sent.
std::string trace_end(const Simulation& simulation, std::string_view reason, int firmware_status,
                      const std::string& uart);

// The same, read again.
struct TraceRun {
  struct End {
    std::string reason;  // as in run.json
    int firmware_status = 0;
    Cycles cycles;
    std::uint64_t uart_octets = 0;
    std::string uart_sha256;
  };
  std::string firmware_name;
  std::string firmware_sha256;
  Board board;
  std::string network;
  SimulationOptions options;  // without a network; the engine is that of the recording
  std::optional<End> end;     // nothing: the run was killed
};
// What is wrong in `file` is said of it. Returns what `read` does.
template <class Read>
decltype(auto) from_recording(const std::string& file, Read read) {
  try {
    return read();
  } catch (const UsageError& mistake) {
    const std::string what = mistake.what();
    throw UsageError(what.starts_with(file) ? what : file + " says what cannot be: " + what,
                     "record it anew with `avrlan run FIRMWARE --record FILE`");
  }
}

// Throws UsageError: no recording of avrlan's, of another version, damaged.
TraceRun read_trace_run(const std::string& file, const net::Trace& trace);

}  // namespace avrlan
