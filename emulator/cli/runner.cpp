#include "emulator/cli/runner.hpp"
#include "emulator/cli/signal_pipe.hpp"

#include <poll.h>

#include <algorithm>

namespace avrlan {

namespace {

// How far virtual time goes before sockets, signals and limits are looked at again.
constexpr Duration slice_with_host = Duration::milliseconds(1);
constexpr Duration slice_alone = Duration::milliseconds(20);
// A host that is slower than the board, or was stopped, is not caught up with.
constexpr Duration longest_lag = Duration::milliseconds(100);

Duration to_virtual(std::chrono::nanoseconds wall) {
  return Duration::nanoseconds(wall.count());
}
std::chrono::nanoseconds to_wall(Duration d) {
  return std::chrono::nanoseconds(d.nanoseconds());
}

}  // namespace

std::string_view to_string(EndReason reason) {
  switch (reason) {
    case EndReason::firmware_exit:
      return "firmware-exit";
    case EndReason::sleep_for_ever:
      return "sleep-for-ever";
    case EndReason::command_register:
      return "command-register";
    case EndReason::expected_text:
      return "expected-text";
    case EndReason::failing_text:
      return "failing-text";
    case EndReason::peers_done:
      return "peers-done";
    case EndReason::virtual_limit:
      return "timeout";
    case EndReason::wall_limit:
      return "wall-timeout";
    case EndReason::interrupted:
      return "interrupted";
    case EndReason::killed:
      return "killed";
    case EndReason::diagnostic:
      return "diagnostic";
    case EndReason::lab_ended:
      return "lab-ended";
    case EndReason::power_off:
      return "power-off";
    case EndReason::recording_end:
      return "recording-end";
    case EndReason::replay_differs:
      return "replay-differs";
  }
  return "diagnostic";
}

EndReason reason_of(const MachineEnd& end) {
  switch (end.halt) {
    case cpu::Halt::sleep:
      return EndReason::sleep_for_ever;
    case cpu::Halt::done:
      return EndReason::command_register;
    case cpu::Halt::crashed:
      return EndReason::diagnostic;
    default:
      return EndReason::firmware_exit;
  }
}

Runner::Runner(Simulation& simulation, Pace pace, const RunLimits& limits, int signal_fd)
    : simulation_(simulation), pace_(pace), limits_(limits), signal_fd_(signal_fd) {}

bool Runner::ended() {
  if (ended_) return true;
  const auto wall = Clock::now() - start_;
  if (progress_ && Clock::now() >= next_progress_) {
    next_progress_ = Clock::now() + std::chrono::milliseconds(500);
    progress_(wall);
  }
  if (requested_) {
    result_.reason = *requested_;
  } else if (supervisor_ != nullptr && supervisor_->killed()) {
    result_.reason = EndReason::killed;
  } else if (machine_end_) {
    result_.firmware_status = machine_end_->status;
    result_.reason = reason_of(*machine_end_);
  } else if (limits_.virtual_time && simulation_.machine().now() >= Instant::at(*limits_.virtual_time)) {
    result_.reason = EndReason::virtual_limit;
  } else if (limits_.wall_time && wall >= *limits_.wall_time) {
    result_.reason = EndReason::wall_limit;
  } else if (const auto signal = take_signal(signal_fd_)) {
    result_.reason = EndReason::interrupted;
    result_.signal = *signal;
  } else {
    return false;
  }
  ended_ = true;
  return true;
}

void Runner::slice(Duration at_most) {
  Instant until = simulation_.machine().now() + at_most;
  if (limits_.virtual_time) until = std::min(until, Instant::at(*limits_.virtual_time));
  machine_end_ = supervisor_ != nullptr ? supervisor_->run_until(until) : simulation_.machine().run_until(until);
}

// Runs a slice and returns how much of it the MCU slept.
Duration Runner::slice_asleep(Duration at_most) {
  const auto before = simulation_.machine().totals();
  const Instant start = simulation_.machine().now();
  slice(at_most);
  const auto after = simulation_.machine().totals();
  const std::int64_t cycles = (after.total - before.total).count;
  return cycles == 0 ? Duration{} : (simulation_.machine().now() - start) / cycles * (after.sleep - before.sleep).count;
}

// Waits for the host's sockets, for a signal or for time to pass.
void Runner::wait(std::chrono::nanoseconds at_most) {
  if (limits_.wall_time) at_most = std::min(at_most, start_ + *limits_.wall_time - Clock::now());
  const auto milliseconds = std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::milliseconds>(at_most).count());
  if (auto* host = simulation_.host()) {
    host_was_ready_ = host->poll_host(static_cast<int>(milliseconds), wake_fd());
    if (host_was_ready_) result_.host = host->name();
  } else {
    pollfd p{wake_fd(), POLLIN, 0};
    ::poll(&p, p.fd < 0 ? 0 : 1, static_cast<int>(milliseconds));
  }
}

void Runner::run_real() {
  auto wall_base = Clock::now();
  Instant virtual_base = simulation_.machine().now();
  while (!ended()) {
    const Instant target = virtual_base + to_virtual(Clock::now() - wall_base);
    const Instant now = simulation_.machine().now();
    if (now >= target) {
      wait(std::max(to_wall(now - target), std::chrono::nanoseconds(std::chrono::milliseconds(1))));
      continue;
    }
    slice(std::min(target - now, slice_with_host * 4));
    wait(std::chrono::nanoseconds(0));
    if (target - simulation_.machine().now() > longest_lag || (supervisor_ != nullptr && supervisor_->held())) {
      wall_base = Clock::now();
      virtual_base = simulation_.machine().now();
    }
  }
}

// Virtual time stands still while the firmware waits for the host, up to the hold limit.
void Runner::hold_for_host() {
  const auto deadline = Clock::now() + limits_.hold;
  while (simulation_.host()->host_state() == net::HostState::reply_outstanding && !host_was_ready_ && !ended()) {
    if (supervisor_ != nullptr && supervisor_->wanted()) return;
    const auto left = deadline - Clock::now();
    if (left <= std::chrono::nanoseconds(0)) {
      simulation_.host()->give_up_waiting();
      result_.hold_limit_hit = true;
      return;
    }
    wait(left);
  }
}

void Runner::run_max() {
  while (!ended()) {
    if (!simulation_.host()) {
      slice(slice_alone);
      continue;
    }
    wait(std::chrono::nanoseconds(0));
    hold_for_host();
    const auto wall_before = Clock::now();
    const bool open = simulation_.host()->host_state() != net::HostState::idle;
    const Duration idle = slice_asleep(open ? slice_with_host : slice_alone);
    if (simulation_.host()->host_state() == net::HostState::connected) {
      // The firmware's idle time passes no faster than the host's, which may be about to say something.
      const auto owed = to_wall(idle) - (Clock::now() - wall_before);
      if (owed >= std::chrono::microseconds(500)) wait(owed);
    }
  }
}

RunEnd Runner::run() {
  start_ = Clock::now();
  next_progress_ = start_ + std::chrono::milliseconds(500);
  if (pace_ == Pace::real) {
    run_real();
  } else {
    run_max();
  }
  result_.wall = Clock::now() - start_;
  return result_;
}

}  // namespace avrlan
