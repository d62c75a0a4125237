#pragma once
// Stands between the Runner and the Machine, and does what gdb says. While gdb has the firmware stopped, run_until does not return:
// virtual time stands still, and so does the network behind the cable.
//
// Not supported: more than one board, non-stop mode, tracepoints, conditions and commands evaluated by the target.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/debug/history.hpp"
#include "emulator/debug/monitor.hpp"
#include "emulator/debug/server.hpp"
#include "emulator/debug/session.hpp"
#include "emulator/debug/target.hpp"

namespace avrlan::debug {

class Debugger final : public Supervisor {
 public:
  // The firmware waits for gdb before its first instruction. Both must outlive the debugger; `signal_fd` as the Runner's.
  // Throws HostError, or UsageError with simavr's engine.
  Debugger(Simulation& simulation, const Firmware& firmware, const ServerOptions& options, int signal_fd);

  // The address and port for gdb's `target remote`.
  const std::string& endpoint() const { return server_.endpoint(); }

  // Wall-clock time at which run_until returns even though gdb has the firmware stopped.
  void give_up_at(std::chrono::steady_clock::time_point when) { give_up_at_ = when; }

  // Supervisor
  std::optional<MachineEnd> run_until(Instant limit) override;
  int wake_fd() const override { return server_.fd(); }
  bool wanted() const override;
  bool held() const override { return held_; }
  bool killed() const override { return killed_; }

  // A frame of the console's USART.
  void uart(std::uint8_t byte) { monitor_.uart(byte); }
  // From a callback of the run, which will end because of `text`: gdb sees the place first. Nothing without a gdb.
  void last_stop(std::string_view text);
  // Whether gdb has changed registers or memory, or reset the MCU.
  bool has_interfered() const { return target_.has_changed(); }
  // The run is over; gdb is told the exit status.
  void ended(int status);

 private:
  void look(int milliseconds);
  bool serve();
  void execute_packets();
  void obey(const Answer& answer);
  void report(int signal, const std::string& reason);
  void say(const std::string& text);
  void let_go();
  Answer execute(std::string_view packet);
  std::string monitor(std::string_view command);
  std::string where_it_is();
  bool wait_for(int fd);
  bool signal_pending() const;
  int patience() const;
  void keep_history();

  Simulation& simulation_;
  Target target_;
  Monitor monitor_;
  Session session_;
  History history_;
  Server server_;
  const int signal_fd_;
  std::optional<std::chrono::steady_clock::time_point> give_up_at_;
  std::chrono::steady_clock::time_point kept_at_;
  bool stopped_ = true;
  bool attended_ = false;   // by a gdb that has not been seen to go
  bool dismissed_ = false;  // it has said that it goes
  bool held_ = false;       // by the last run_until
  bool dead_ = false;       // killed by a gdb that may start it again
  bool killed_ = false;
  // The run ends when gdb lets it go on.
  bool last_stop_ = false;
  std::string console_;  // to be shown with the next stop
  std::optional<MachineEnd> end_;
};

}  // namespace avrlan::debug
