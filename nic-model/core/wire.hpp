#pragma once
// The 10BASE-T segment between a chip and whatever is at the other end: every frame takes its time.

#include <deque>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan {

// First preamble bit and the end of the last FCS bit.
struct Transmission {
  Instant start;
  Instant end;
};

class Wire {
 public:
  explicit Wire(Scheduler& scheduler) : scheduler_(scheduler) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Both ends are set once, before the first frame. `nic` hears receive_started(); what it receives goes to `to_nic`
  // (the chip itself, or a recorder in front of it); what it sends goes to `to_network`.
  void connect(Nic& nic, FrameSink& to_nic, FrameSink& to_network);

  // The chip starts to send at the earliest moment the medium allows (gap after its own last frame; in half duplex
  // after a frame that is being received, too). Delivered to the network at the end of the transmission.
  Transmission from_nic(EthernetFrame frame);
  // A chip that aborts: the frame in flight from it is not delivered.
  void abort_from_nic();

  // The other end sends; frames queue behind each other with the gap between them.
  Transmission from_network(EthernetFrame frame);

  void set_half_duplex(bool half) { half_duplex_ = half; }

 private:
  Scheduler& scheduler_;
  Nic* nic_ = nullptr;
  FrameSink* to_nic_ = nullptr;
  FrameSink* to_network_ = nullptr;
  bool half_duplex_ = false;
  Instant nic_free_;
  Instant network_free_;
  Scheduler::EventId in_flight_;
};

}  // namespace avrlan
