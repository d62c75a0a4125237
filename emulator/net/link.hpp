#pragma once
// A link with rate, delay and faults, one object a direction.

#include <cstdint>
#include <string_view>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

// --link rate=10M,delay=10ms,jitter=1ms,loss=1%,dup=0,reorder=0,corrupt=0,queue=64,seed=1
struct LinkOptions {
  std::int64_t rate = 0;  // bit/s, 0: no limit beyond the wire's
  Duration delay;
  Duration jitter;     // uniform in [-jitter, +jitter], never below zero delay
  double loss = 0;     // probabilities, 0..1
  double dup = 0;
  double reorder = 0;  // a frame overtakes those queued before it
  double corrupt = 0;  // one flipped bit
  std::size_t queue = 64;
  std::uint64_t seed = 1;
  // Throws HostError that names the key that is wrong and what it takes.
  static LinkOptions parse(std::string_view text);
};

class Link : public FrameSink {
 public:
  // `direction` (0 to the network, 1 to the board) gives each its own random sequence from one seed.
  Link(Scheduler& scheduler, FrameSink& to, const LinkOptions& options, int direction);
  void deliver(const EthernetFrame& frame) override;
  const DropCounters& drops() const { return drops_; }

 private:
  Scheduler& scheduler_;
  FrameSink& to_;
  LinkOptions options_;
  DropCounters drops_;
};

}  // namespace avrlan::net
