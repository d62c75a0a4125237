#include "emulator/cli/gdb_option.hpp"

#include <CLI/CLI.hpp>

#include "emulator/board/escape.hpp"
#include "emulator/cli/tell.hpp"

namespace avrlan {

void add_gdb_option(CLI::App& command, GdbOption& gdb) {
  command
      .add_option("-g,--gdb", gdb,
                  "wait for gdb at this port of 127.0.0.1 (default 1234, 0: a free one), or at another address of this "
                  "host; the firmware's time and network stand still while gdb has it stopped")
      ->expected(0, 1)
      ->type_name("[[ADDRESS:]PORT]");
}

std::unique_ptr<debug::Debugger> make_debugger(const GdbOption& gdb, const Firmware& firmware, Simulation& simulation,
                                               Runner& runner, const RunLimits& limits, int signal_fd) {
  if (!gdb) return nullptr;
  auto debugger = std::make_unique<debug::Debugger>(simulation, firmware, debug::ServerOptions::parse(*gdb), signal_fd);
  if (limits.wall_time) debugger->give_up_at(std::chrono::steady_clock::now() + *limits.wall_time);
  runner.supervise(*debugger);
  return debugger;
}

void tell_of_debugger(const debug::Debugger& debugger, const std::filesystem::path& firmware) {
  tell("avrlan: waiting for gdb, as by: avr-gdb {} -ex 'target remote {}'\n", printable(firmware.string()),
       debugger.endpoint());
}

}  // namespace avrlan
