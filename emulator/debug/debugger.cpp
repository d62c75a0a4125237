#include "emulator/debug/debugger.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <limits>

#include "emulator/board/hex.hpp"
#include "emulator/cli/tell.hpp"
#include "emulator/debug/packet.hpp"

namespace avrlan::debug {

Debugger::Debugger(Simulation& simulation, const Firmware& firmware, const ServerOptions& options, int signal_fd)
    : simulation_(simulation),
      target_(simulation.machine(), simulation.nic()),
      monitor_(simulation, firmware, target_),
      session_(target_, [this](std::string_view command) { return monitor(command); }),
      history_(simulation, target_, session_, [this](int fd) { return wait_for(fd); }),
      server_(options, signal_fd),
      signal_fd_(signal_fd) {
  monitor_.remember_in(history_);
}

std::optional<MachineEnd> Debugger::run_until(Instant limit) {
  held_ = false;
  look(0);
  for (;;) {
    if (!stopped_ && server_.channel().take_interrupt()) report(SIGINT, {});
    while (stopped_) {
      held_ = true;
      if (!serve()) return std::nullopt;
    }
    if (last_stop_ || killed_) return end_;
    Machine& machine = simulation_.machine();
    if (machine.now() >= limit) return std::nullopt;
    keep_history();
    const auto end = machine.run_until(
        monitor_.until_cycle() ? std::min(limit, not_after(machine, *monitor_.until_cycle())) : limit);
    if (end && (end->halt != cpu::Halt::crashed || !server_.connected())) return end;
    if (end) {
      end_ = end;
      last_stop_ = true;
      report(SIGILL, {});
    } else if (const std::string why = monitor_.take_stop(); !why.empty() || last_stop_) {
      console_ += why;
      report(SIGTRAP, {});
    } else if (machine.stopped()) {
      if (!target_.stopped_it()) return std::nullopt;  // the host is waited for
      report(SIGTRAP, target_.stop_reason());
    }
  }
}

void Debugger::keep_history() {
  constexpr auto often_enough = std::chrono::milliseconds(250);
  const auto now = std::chrono::steady_clock::now();
  if (!server_.connected() || (history_.kept() && now < kept_at_ + often_enough)) return;
  history_.keep();
  kept_at_ = now;
}

// Waits for gdb and does what it says. False when the run has to end for another reason.
bool Debugger::serve() {
  execute_packets();
  if (!stopped_) return true;
  const int milliseconds = patience();
  if (signal_pending() || milliseconds == 0) return false;
  look(milliseconds);
  return true;
}

bool Debugger::signal_pending() const {
  pollfd signal{signal_fd_, POLLIN, 0};
  return signal_fd_ >= 0 && ::poll(&signal, 1, 0) > 0;
}

// For how many milliseconds gdb may think; -1: for ever.
int Debugger::patience() const {
  if (!give_up_at_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*give_up_at_ - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

// Takes what has come in. Whoever connects finds the firmware stopped.
void Debugger::look(int milliseconds) {
  // One that was gone when it was written to wakes nobody any more.
  server_.poll(attended_ && !server_.connected() ? 0 : milliseconds);
  if (server_.take_new_client()) {
    history_.forget();
    target_.remove_all();
    session_.begin();
    session_.stopped(SIGINT, {});
    stopped_ = attended_ = true;
    dismissed_ = false;
  }
  if (attended_ && !server_.connected()) {
    attended_ = false;
    if (!dismissed_) tell("avrlan: gdb has gone without `detach`; the firmware goes on, and gdb may come again\n");
    let_go();
  }
}

bool Debugger::wanted() const {
  pollfd readable{server_.fd(), POLLIN, 0};
  return ::poll(&readable, 1, 0) > 0;
}

void Debugger::execute_packets() {
  while (stopped_) {
    const auto packet = server_.channel().next_packet();
    if (!packet) break;
    obey(execute(*packet));
  }
  server_.flush();
}

// In the past, its process looks and runs; everything else is for the present.
Answer Debugger::execute(std::string_view packet) {
  const Concern concern = concern_of(packet);
  if (concern == Concern::back) {
    const auto stopped = packet == "bs" ? history_.step_back() : history_.continue_back();
    return {Action::stay, stopped ? *stopped : where_it_is()};
  }
  if (history_.in_past()) {
    if (concern == Concern::target) return {Action::stay, history_.ask(packet)};
    if (concern == Concern::resume) {
      const auto stopped = history_.forward(packet);
      say(history_.take_complaint());
      return {Action::stay, stopped ? *stopped : where_it_is()};
    }
    if (concern == Concern::leave) history_.return_to_present();
  }
  const Answer answer = session_.handle(packet);
  if (packet.starts_with("vRun") || packet.starts_with("R")) dead_ = dismissed_ = false;
  if (target_.take_changed()) history_.forget();
  return answer;
}

std::string Debugger::monitor(std::string_view command) {
  if (!history_.in_past()) return monitor_.execute(command);
  if (monitor_.is_for_present(command)) {
    const std::string reply = monitor_.execute(command);
    return monitor_.is_stop(command) ? reply + "(from the present on; on the way there it does not stop)\n" : reply;
  }
  const std::string reply = history_.ask("qRcmd," + to_hex(command));
  const auto text = from_hex(reply);
  return text ? std::string(text->begin(), text->end()) : reply == "OK" ? "" : reply + "\n";
}

// The reply when there is nothing to go back to, or gdb did not want to wait for it.
std::string Debugger::where_it_is() {
  if (!history_.kept()) return session_.stopped(SIGTRAP, "replaylog:begin;");
  return history_.in_past() ? history_.ask("?") : session_.stopped(SIGINT, {});
}

// For what another process has to say. False: gdb, the user or the wall clock will not wait.
bool Debugger::wait_for(int fd) {
  for (;;) {
    std::array<pollfd, 2> fds{pollfd{fd, POLLIN, 0}, pollfd{server_.fd(), POLLIN, 0}};
    const int milliseconds = patience();
    if (::poll(fds.data(), fds.size(), milliseconds) == 0 && milliseconds >= 0) return false;
    if (fds[0].revents != 0) return true;
    if (signal_pending()) return false;
    look(0);
    if (!server_.connected() || server_.channel().take_interrupt()) return false;
  }
}

void Debugger::obey(const Answer& answer) {
  if (answer.reply) server_.channel().send(*answer.reply);
  switch (answer.action) {
    case Action::stay:
      break;
    case Action::no_acks:
      server_.channel().stop_acknowledging();
      break;
    case Action::resume:
      history_.go_back_no_more();
      stopped_ = false;
      break;
    case Action::detach:
      dismissed_ = true;
      let_go();
      break;
    case Action::kill:
      dismissed_ = true;
      dead_ = session_.extended();
      if (dead_) break;
      killed_ = true;
      stopped_ = false;
      break;
  }
}

// gdb has gone, or will: the firmware runs on without it.
void Debugger::let_go() {
  killed_ = killed_ || dead_;
  history_.forget();
  monitor_.forget();
  target_.remove_all();
  target_.resume({});
  stopped_ = false;
}

void Debugger::report(int signal, const std::string& reason) {
  stopped_ = true;
  say(std::exchange(console_, {}));
  server_.channel().send(session_.stopped(signal, reason));
  server_.flush();
}

// On gdb's console, before a stop is reported.
void Debugger::say(const std::string& text) {
  if (!text.empty()) server_.channel().send("O" + to_hex(text));
}

void Debugger::last_stop(std::string_view text) {
  if (!server_.connected()) return;
  console_ += text;
  last_stop_ = true;
  simulation_.machine().stop();
}

void Debugger::ended(int status) {
  if (!server_.connected() || stopped_) return;
  server_.channel().send(fmt::format("W{:02x}", status));
  server_.flush();
}

}  // namespace avrlan::debug
