#pragma once
// A few threads that do one round of work together, again and again.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace avrlan::lab {

class Workers {
 public:
  using Task = std::function<void(std::size_t)>;

  // `threads`, the caller's among them: 1 starts none.
  explicit Workers(unsigned threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls `task` once for each number below `count`, in any thread and order, and returns when all are done. What they do is
  // visible to the caller then, and to the next round. Throws what one of the calls has thrown. On a host with less to give than
  // there are threads the caller does it alone: which is faster is tried now and then.
  void run(std::size_t count, const Task& task);

 private:
  using Clock = std::chrono::steady_clock;

  bool together();
  void work();
  void take_all();

  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> busy_{0};  // threads that have not finished the round
  std::atomic<std::size_t> next_{0};
  std::size_t count_ = 0;
  const Task* task_ = nullptr;  // nullptr: the threads are to end
  // Rounds since the last trial, of which the first are done alone and the next together; and when the next one is.
  std::uint32_t rounds_ = 0;
  std::uint32_t trial_every_;
  Clock::duration alone_{}, together_{};  // what those took
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace avrlan::lab
