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

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGTERM};

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
  for (const int number : ending_signals) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    // nohup's.
    if (before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

SignalPipe::~SignalPipe() {
  for (const int number : ending_signals) {
    struct sigaction now {};
    ::sigaction(number, nullptr, &now);
    if (now.sa_handler != SIG_IGN) ::signal(number, SIG_DFL);
  }
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
