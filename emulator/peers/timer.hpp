#pragma once

#include <utility>

#include "nic-model/core/scheduler.hpp"

namespace avrlan::peers {

// One event of a scheduler that goes when its owner goes.
class Timer {
 public:
  explicit Timer(Scheduler& scheduler) : scheduler_(scheduler) {}
  ~Timer() { stop(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // In place of what it was started with before.
  void start(Duration delay, Scheduler::Action action) {
    stop();
    event_ = scheduler_.after(delay, std::move(action));
  }
  void stop() { scheduler_.cancel(event_); }

 private:
  Scheduler& scheduler_;
  Scheduler::EventId event_;
};

}  // namespace avrlan::peers
