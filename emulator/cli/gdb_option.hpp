#pragma once
// --gdb of the commands that run one board.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "emulator/board/firmware.hpp"
#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/debug/debugger.hpp"

namespace CLI {
class App;
}

namespace avrlan {

// [[ADDRESS:]PORT], empty for the default; nothing without the option.
using GdbOption = std::optional<std::string>;

void add_gdb_option(CLI::App& command, GdbOption& gdb);

// Has the runner ask a debugger, and tells where it waits; nullptr without the option. Throws as Debugger, and UsageError when
// the text is no port.
std::unique_ptr<debug::Debugger> make_debugger(const GdbOption& gdb, const Firmware& firmware, Simulation& simulation,
                                               Runner& runner, const RunLimits& limits, int signal_fd);
void tell_of_debugger(const debug::Debugger& debugger, const std::filesystem::path& firmware);

}  // namespace avrlan
