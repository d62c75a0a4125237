#pragma once
// Frames on their way to a sink: handed over in order by an event of the scheduler at the instant at which they were put
// in, so that a FrameSink can answer from inside deliver().

#include <deque>
#include <utility>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

class Outbox {
 public:
  Outbox(Scheduler& scheduler, FrameSink& to) : scheduler_(scheduler), to_(to) {}
  ~Outbox() { scheduler_.cancel(event_); }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void put(EthernetFrame frame) {
    frames_.push_back(std::move(frame));
    if (!event_) event_ = scheduler_.at(scheduler_.now(), [this] { hand_over(); });
  }

 private:
  void hand_over() {
    event_ = {};
    while (!frames_.empty()) {
      const EthernetFrame frame = std::move(frames_.front());
      frames_.pop_front();
      to_.deliver(frame);
    }
  }

  Scheduler& scheduler_;
  FrameSink& to_;
  std::deque<EthernetFrame> frames_;
  Scheduler::EventId event_;
};

}  // namespace avrlan::net
