#include "tests/system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace avrlan::test {

namespace {

constexpr auto hang_guard = std::chrono::minutes(1);

bool drain(int& fd, std::string& to) {
  std::array<char, 65536> buffer;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  if (n > 0) {
    to.append(buffer.data(), static_cast<std::size_t>(n));
    return true;
  }
  ::close(fd);
  fd = -1;
  return false;
}

}  // namespace

Process::Process(const std::vector<std::string>& command, const std::function<void()>& in_child) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  std::vector<char*> argv;
  for (const auto& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error(std::strerror(errno));
  if (pid_ == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    if (in_child) in_child();
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_fd_ = out[0];
  err_fd_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (out_fd_ >= 0) ::close(out_fd_);
  if (err_fd_ >= 0) ::close(err_fd_);
}

void Process::signal(int number) {
  ::kill(pid_, number);
}

bool Process::pump(std::chrono::milliseconds at_most) {
  std::array<pollfd, 2> fds{pollfd{out_fd_, POLLIN, 0}, pollfd{err_fd_, POLLIN, 0}};
  if (out_fd_ < 0 && err_fd_ < 0) return false;
  if (::poll(fds.data(), fds.size(), static_cast<int>(at_most.count())) <= 0) return false;
  if (fds[0].revents != 0) drain(out_fd_, out_);
  if (fds[1].revents != 0) drain(err_fd_, err_);
  return true;
}

bool Process::wait_for(const std::string& stream, const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + hang_guard;
  while (stream.find(text) == std::string::npos) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !pump(left)) return false;
  }
  return true;
}

Completed Process::finish() {
  while (pump(hang_guard)) {
  }
  if (out_fd_ >= 0 || err_fd_ >= 0) ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out_, err_};
}

Completed run(const std::vector<std::string>& command, const std::function<void()>& in_child) {
  return Process(command, in_child).finish();
}

}  // namespace avrlan::test
