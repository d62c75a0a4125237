#include "emulator/cli/signal_pipe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "emulator/board/host_error.hpp"

namespace avrlan {

namespace {

int write_end = -1;

}  // namespace

SignalPipe::SignalPipe() {
  if (::pipe2(fds_, O_CLOEXEC | O_NONBLOCK) != 0) throw HostError("no pipe for signals", std::strerror(errno));
  write_end = fds_[1];
  struct sigaction action {};
  action.sa_handler = [](int number) {
    const auto byte = static_cast<unsigned char>(number);
    [[maybe_unused]] const auto written = ::write(write_end, &byte, 1);
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, nullptr);  // also where a shell has put it aside, as of what it runs in the background
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  ::sigaction(SIGHUP, nullptr, &hang_up);
  takes_hang_up_ = hang_up.sa_handler != SIG_IGN;  // of nohup
  if (takes_hang_up_) ::sigaction(SIGHUP, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

SignalPipe::~SignalPipe() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  if (takes_hang_up_) ::signal(SIGHUP, SIG_DFL);
  ::close(fds_[0]);
  ::close(fds_[1]);
}

std::optional<int> take_signal(int fd) {
  if (fd < 0) return std::nullopt;
  pollfd p{fd, POLLIN, 0};
  if (::poll(&p, 1, 0) <= 0) return std::nullopt;
  unsigned char number = 0;
  if (::read(fd, &number, 1) != 1) return std::nullopt;
  return number;
}

}  // namespace avrlan
