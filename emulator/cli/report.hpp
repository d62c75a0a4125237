#pragma once
// run.json, and the exit status.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"

namespace avrlan {

// `deterministic`: the same command gives the same cycles and frames on any machine; if not, `why` says what came from
// outside.
struct Determinism {
  bool value = true;
  std::string why;
};

// {reason: n} of those that are not 0.
nlohmann::ordered_json drops_json(const DropCounters& drops);

Determinism determinism(const RunEnd& end);

// run.json as DESIGN section 6 lists it.
nlohmann::ordered_json run_json(const Simulation& simulation, const Board& board, const Firmware& firmware,
                                const RunEnd& end);

// The exit status of the command: 0, the firmware's own 1-31, 42, 70, 128 + signal.
int exit_status(const RunEnd& end);

}  // namespace avrlan
