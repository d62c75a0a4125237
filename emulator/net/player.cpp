#include "emulator/net/player.hpp"

#include <algorithm>

namespace avrlan::net {

Player::Player(Scheduler& scheduler, FrameSink& to_board, const Trace& trace, Timing timing)
    : scheduler_(scheduler), to_board_(to_board), trace_(trace), timing_(timing) {
  for (std::size_t n = 0; n < trace.frames.size(); ++n) {
    if (trace.frames[n].to_board) {
      order_.push_back(n);
    } else {
      recorded_from_board_.push_back(trace.frames[n].at);
    }
  }
  for (const std::size_t n : order_) {
    const auto before =
        std::upper_bound(recorded_from_board_.begin(), recorded_from_board_.end(), trace.frames[n].entered);
    heard_before_.push_back(static_cast<std::size_t>(before - recorded_from_board_.begin()));
  }
  plan();
}

void Player::deliver(const EthernetFrame&) {
  // Rounded as a recording's, so that the same board gives the same distances.
  from_board_.push_back(Instant::at(Duration::nanoseconds(scheduler_.now().since_start().nanoseconds())));
  plan();
}

// Has the next frame sent, if the board has said all that came before it.
void Player::plan() {
  if (planned_ || next_ == order_.size()) return;
  Instant when = trace_.frames[order_[next_]].entered;
  if (const std::size_t heard = heard_before_[next_]; timing_ == Timing::after_the_board && heard != 0) {
    if (from_board_.size() < heard) return;
    when = std::max(last_, from_board_[heard - 1] + (when - recorded_from_board_[heard - 1]));
  }
  planned_ = true;
  // Once more at the same instant: behind what is due then already.
  scheduler_.at(when, [this] { scheduler_.at(scheduler_.now(), [this] { send(); }); });
}

void Player::send() {
  EthernetFrame frame = trace_.frames[order_[next_]].frame;
  if (change_) change_(frame);
  ++next_;
  planned_ = false;
  last_ = scheduler_.now();
  to_board_.deliver(frame);
  plan();
}

}  // namespace avrlan::net
