#pragma once
// The 10BASE-T segment between a chip and whatever is at the other end: every frame takes its time.
//
// Not modelled: propagation delay (100 m are half a microsecond), collisions in half duplex (each end waits for a
// silent medium; the chip goes first when both have waited), signal quality.

#include <deque>
#include <functional>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan {

// First preamble bit and the end of the last FCS bit.
struct Transmission {
  Instant start;
  Instant end;
  bool deferred = false;  // had to wait for the medium
};

class Wire {
 public:
  using Done = std::function<void(const Transmission&)>;

  explicit Wire(Scheduler& scheduler) : scheduler_(scheduler) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Both ends are set once, before the first frame. `nic` hears receive_started(); what it receives goes to `to_nic`
  // (the chip itself, or a recorder in front of it); what it sends goes to `to_network`.
  void connect(Nic& nic, FrameSink& to_nic, FrameSink& to_network);

  // The gaps that the chip's MAC leaves before it sends: after its own frame, and after one from the other end (which
  // counts in half duplex only). The other end always leaves 9.6 us.
  void set_nic_gaps(Duration after_own, Duration after_other);
  void set_half_duplex(bool half) { half_duplex_ = half; }

  // The chip sends as soon as the medium allows. At the end of the last bit `done` is called, then the frame is
  // delivered to the network. One frame at a time.
  void from_nic(EthernetFrame frame, Done done);
  // The chip gives up: what it is sending, or waits to send, is not delivered and not reported.
  void abort_from_nic();

  // The other end sends; frames queue behind each other.
  void from_network(EthernetFrame frame);

 private:
  struct Pending {
    EthernetFrame frame;
    Done done;
    bool deferred = false;
  };
  struct Station {
    std::deque<Pending> queue;  // the front is being sent or is the next
    bool sending = false;
    Transmission current;
    Instant last_end;  // of its own last frame
    bool sent_before = false;
    Duration gap_after_own = interframe_gap;
    Duration gap_after_other = interframe_gap;
    Scheduler::EventId event;
  };

  Station& other(const Station& station) { return &station == &nic_end_ ? network_end_ : nic_end_; }
  void try_start(Station& station);
  void start(Station& station);
  void finish(Station& station);

  Scheduler& scheduler_;
  Nic* nic_ = nullptr;
  FrameSink* to_nic_ = nullptr;
  FrameSink* to_network_ = nullptr;
  bool half_duplex_ = false;
  Station nic_end_;
  Station network_end_;
};

}  // namespace avrlan
