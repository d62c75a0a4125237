#pragma once
// A child process with its output captured, for tests that run the real programs.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace avrlan::test {

struct Completed {
  int status = -1;  // exit status, 128 + signal when killed
  std::string out;
  std::string err;
};

class Process {
 public:
  // Starts `command` (looked up in PATH); `in_child` runs in the child before exec. Throws std::runtime_error.
  explicit Process(const std::vector<std::string>& command, const std::function<void()>& in_child = {});
  // Kills a child that still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Blocks until stderr (or stdout) so far contains `text`. False: the child closed its output, or a minute passed: a
  // guard against a hang, not a measurement.
  bool wait_for_err(const std::string& text) { return wait_for(err_, text); }
  bool wait_for_out(const std::string& text) { return wait_for(out_, text); }

  void signal(int number);
  // Reads both streams to their end and waits for the child.
  Completed finish();

  const std::string& err() const { return err_; }
  const std::string& out() const { return out_; }
  pid_t pid() const { return pid_; }

 private:
  bool wait_for(const std::string& stream, const std::string& text);
  // Reads what is there; false when both streams have ended or nothing came in time.
  bool pump(std::chrono::milliseconds at_most);

  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  std::string out_;
  std::string err_;
};

// Runs to the end.
Completed run(const std::vector<std::string>& command, const std::function<void()>& in_child = {});

}  // namespace avrlan::test
