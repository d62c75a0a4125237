#pragma once

#include <optional>

namespace avrlan {

// SIGINT, SIGTERM and SIGHUP (unless it is ignored) become a byte in a pipe, the signal's number; a second one ends the process at once. SIGPIPE is ignored.
// One at a time in a process.
class SignalPipe {
 public:
  // Throws HostError.
  SignalPipe();
  ~SignalPipe();
  SignalPipe(const SignalPipe&) = delete;
  SignalPipe& operator=(const SignalPipe&) = delete;
  int fd() const { return fds_[0]; }

 private:
  int fds_[2] = {-1, -1};
  bool takes_hang_up_ = false;
};

// The number of a signal that has come to the pipe `fd`, and waits there no longer; nullopt: none, or `fd` is -1.
std::optional<int> take_signal(int fd);

}  // namespace avrlan
