#include "emulator/lab/node.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace avrlan::lab {

Channel::Channel(std::string name, Node& from, Node& to, FrameSink& entry, const net::LinkOptions& options,
                 Duration lookahead)
    : name_(std::move(name)),
      from_(from),
      to_(to),
      entry_(entry),
      direction_(options, 0, lookahead),
      lookahead_(lookahead) {}

void Channel::deliver(const EthernetFrame& frame) {
  ++frames_;
  if (down_) {
    drops_.count(DropReason::link_down);
    return;
  }
  const net::LinkDirection::Passage passage = direction_.pass(frame, from_.now());
  for (const Instant arrival : passage.arrivals())
    sent_.push_back({arrival, &name_, number_++, &entry_, passage.frame});
}

void Channel::exchange() {
  for (Message& message : sent_) to_.receive(std::move(message));
  sent_.clear();
}

DropCounters Channel::drops() const {
  DropCounters all = drops_;
  all += direction_.drops();
  return all;
}

Instant Node::earliest() const {
  return inbox_.empty() ? next_ : std::min(next_, inbox_.front().arrival);
}

void Node::receive(Message message) {
  const auto order = [](const Message& a, const Message& b) {
    return std::tie(a.arrival, *a.sender, a.number) < std::tie(b.arrival, *b.sender, b.number);
  };
  inbox_.insert(std::upper_bound(inbox_.begin(), inbox_.end(), message, order), std::move(message));
}

void Node::run_until(Instant end, Instant known) {
  Scheduler* const at = scheduler();
  while (!inbox_.empty() && inbox_.front().arrival < known) {
    Message& first = inbox_.front();
    if (at != nullptr) at->at(first.arrival, [to = first.to, frame = std::move(first.frame)] { to->deliver(frame); });
    inbox_.pop_front();
  }
  run(end);
  refresh();
}

}  // namespace avrlan::lab
