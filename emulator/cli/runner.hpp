#pragma once
// Drives a simulation against the wall clock: pace, limits, and the end of a run.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/board/machine.hpp"
#include "emulator/cli/simulation.hpp"

namespace avrlan {

enum class Pace : std::uint8_t {
  real,  // virtual time follows the wall clock
  max    // as fast as the host can, without running ahead of a host that owes a reply
};

enum class EndReason : std::uint8_t {
  firmware_exit,     // jump to itself with interrupts off
  sleep_for_ever,    // SLEEP with interrupts off
  command_register,  // simavr's
  expected_text,
  failing_text,
  peers_done,  // --until-peers-done: every client has ended
  virtual_limit,
  wall_limit,
  interrupted,  // SIGINT or SIGTERM
  killed,       // by gdb
  diagnostic,   // of severity error, a crash of the CPU included
  lab_ended,    // a board of a lab, which ended for another reason
  power_off,    // of a board of a lab
  // Of a replay:
  recording_end,
  replay_differs  // from the recording
};

// The stable name in run.json, for example "firmware-exit".
std::string_view to_string(EndReason reason);
// Of a machine that has ended by itself.
EndReason reason_of(const MachineEnd& end);

struct RunLimits {
  std::optional<Duration> virtual_time;
  std::optional<std::chrono::nanoseconds> wall_time;
  // How long `max` waits for a host that owes a reply before virtual time goes on without it.
  std::chrono::nanoseconds hold = std::chrono::seconds(10);
};

struct RunEnd {
  EndReason reason = EndReason::virtual_limit;
  int firmware_status = 0;  // meaningful for firmware_exit
  int signal = 0;           // meaningful for interrupted
  std::chrono::nanoseconds wall{};
  std::string host;  // what of the host took part (HostBackend::name()); empty: nothing
  bool hold_limit_hit = false;
};

// Stands between a runner and its machine: a debugger.
class Supervisor {
 public:
  virtual ~Supervisor() = default;
  // In place of Machine::run_until. May wait for as long as somebody holds the machine, and return early when the runner's
  // signal has come.
  virtual std::optional<MachineEnd> run_until(Instant limit) = 0;
  // Readable when somebody wants something, or the runner's signal has come.
  virtual int wake_fd() const = 0;
  virtual bool wanted() const = 0;
  // Whether the machine was held in the last run_until.
  virtual bool held() const = 0;
  virtual bool killed() const = 0;
};

class Runner {
 public:
  // `signal_fd` becomes readable when the user wants the run to end, and then holds the signal's number as one byte;
  // -1: never.
  Runner(Simulation& simulation, Pace pace, const RunLimits& limits, int signal_fd);

  // Ends the run after the current slice, from a UART or diagnostics handler.
  void end(EndReason reason) {
    if (!requested_) requested_ = reason;
  }
  // Which must live until the end of the run.
  void supervise(Supervisor& supervisor) { supervisor_ = &supervisor; }
  // Called about twice a second of wall time.
  void on_progress(std::function<void(std::chrono::nanoseconds wall)> show) { progress_ = std::move(show); }

  RunEnd run();

 private:
  using Clock = std::chrono::steady_clock;

  bool ended();
  void slice(Duration at_most);
  Duration slice_asleep(Duration at_most);
  int wake_fd() const { return supervisor_ != nullptr ? supervisor_->wake_fd() : signal_fd_; }
  void wait(std::chrono::nanoseconds at_most);
  void run_real();
  void run_max();
  void hold_for_host();

  Simulation& simulation_;
  Pace pace_;
  RunLimits limits_;
  int signal_fd_;
  Supervisor* supervisor_ = nullptr;
  std::function<void(std::chrono::nanoseconds)> progress_;
  std::optional<EndReason> requested_;
  std::optional<MachineEnd> machine_end_;
  Clock::time_point start_;
  Clock::time_point next_progress_;
  bool ended_ = false;
  bool host_was_ready_ = false;
  RunEnd result_;
};

}  // namespace avrlan
