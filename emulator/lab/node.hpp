#pragma once
// What has a time of its own: a board, or everything else together. Nodes run apart from each other from one barrier to the
// next and exchange frames there.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/net/link.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::lab {

class Node;

// A frame under way from one node to another.
struct Message {
  Instant arrival;
  const std::string* sender = nullptr;  // the channel's name
  std::uint64_t number = 0;             // of those of the channel
  FrameSink* to = nullptr;
  EthernetFrame frame;
};

// One direction of a cable between two nodes: takes frames inside `from`'s scheduler and keeps them until the barrier.
class Channel : public FrameSink {
 public:
  // `lookahead` is the least time that a frame is under way. `entry` takes the frames inside `to`'s scheduler.
  Channel(std::string name, Node& from, Node& to, FrameSink& entry, const net::LinkOptions& options,
          Duration lookahead);
  void deliver(const EthernetFrame& frame) override;

  // At a barrier: what was sent since the last one goes to the other node.
  void exchange();
  // What enters from now on is dropped as link_down.
  void set_down(bool down) { down_ = down; }

  const std::string& name() const { return name_; }
  Duration lookahead() const { return lookahead_; }
  std::uint64_t frames() const { return frames_; }
  DropCounters drops() const;

 private:
  std::string name_;
  Node& from_;
  Node& to_;
  FrameSink& entry_;
  net::LinkDirection direction_;
  Duration lookahead_;
  DropCounters drops_;
  std::vector<Message> sent_;
  std::uint64_t frames_ = 0;
  std::uint64_t number_ = 0;
  bool down_ = false;
};

class Node {
 public:
  explicit Node(std::string name) : name_(std::move(name)) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string& name() const { return name_; }
  // When it does anything next, by itself or because a frame arrives; never() when it is at its end.
  Instant earliest() const;
  // Its own time, inside run_until().
  virtual Instant now() const = 0;

  // At a barrier. Frames of one instant arrive in the order of their channels' names and then of their numbers.
  void receive(Message message);
  // Everything that is due before `end`, and what of the last instruction takes longer. All that will arrive before `known`,
  // which is later, has been received. Called by one thread at a time, whichever.
  void run_until(Instant end, Instant known);

 protected:
  // As Machine::next_activity(); after it has changed other than by run_until() call refresh().
  virtual Instant next_activity() const = 0;
  virtual void run(Instant end) = 0;
  // Where frames are to arrive; nullptr while there is nobody, and they are lost.
  virtual Scheduler* scheduler() = 0;
  void refresh() { next_ = next_activity(); }

 private:
  std::string name_;
  std::deque<Message> inbox_;  // by arrival, channel and number
  Instant next_;
};

}  // namespace avrlan::lab
