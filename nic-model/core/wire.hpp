#pragma once
// The 10BASE-T segment between a chip and whatever is at the other end: every frame takes its time. In half duplex both
// ends contend for it as 802.3 4.2.3 has it: they wait for silence and the gap, collide when they start at the same
// instant (which is what waiting for the same frame leads to), and back off.
//
// Not modelled: propagation delay (half a microsecond at 100 m), so that collisions come in the preamble or not at all;
// an end that gives up after 16 collisions, for the network's end; signal quality.

#include <deque>
#include <functional>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/nic.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan {

inline constexpr Duration slot_time = Duration::nanoseconds(51'200);          // 512 bits (802.3 4.4.2)
inline constexpr Duration collision_time = Duration::nanoseconds(9'600);      // preamble and 32 bits of jam
inline constexpr Duration deferral_limit = Duration::nanoseconds(2'428'700);  // 24,287 bits (802.3 5.2.4.1)

// What became of a frame that the chip wanted to send.
struct Transmission {
  enum class Outcome : std::uint8_t { sent, excessive_collisions, excessive_deferral };

  Instant start;  // first preamble bit of the last attempt
  Instant end;    // of the last FCS bit, or when it was given up
  Outcome outcome = Outcome::sent;
  unsigned collisions = 0;
  bool deferred = false;  // had to wait for the medium
};

class Wire {
 public:
  using Done = std::function<void(const Transmission&)>;

  // How the chip's MAC is set. The other end keeps to 802.3: the gap of 9.6 us, backoff, no deferral limit.
  struct NicMac {
    bool half_duplex = false;
    Duration gap_after_own = interframe_gap;
    Duration gap_after_other = interframe_gap;  // counts in half duplex only
    unsigned retransmissions = 15;              // after a collision, before it gives up
    bool backs_off = true;
    bool defers_forever = true;  // or gives up after 2.4287 ms
  };

  // `seed` chooses the backoff times.
  explicit Wire(Scheduler& scheduler, std::uint64_t seed = 1) : scheduler_(scheduler), random_(seed | 1) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  // Both ends are set once, before the first frame. `nic` hears receive_started(); what it receives goes to `to_nic`
  // (the chip itself, or a recorder in front of it); what it sends goes to `to_network`.
  void connect(Nic& nic, FrameSink& to_nic, FrameSink& to_network);

  void set_nic_mac(const NicMac& mac) { nic_mac_ = mac; }
  // The chip jams the medium with preamble, half duplex's way of flow control: the other end stays silent.
  void set_jammed(bool jammed);

  // The chip sends as soon as the medium allows; frames queue behind each other. `done` is called when the last bit is
  // out or the chip's MAC has given up; a frame that is out is then delivered to the network.
  void from_nic(EthernetFrame frame, Done done);
  // The chip gives up: what it is sending, or waits to send, is not delivered and not reported.
  void abort_from_nic();

  // The other end sends; frames queue behind each other.
  void from_network(EthernetFrame frame);

 private:
  struct Pending {
    EthernetFrame frame;
    Done done;
    Transmission transmission;
    Instant not_before;  // backoff
  };
  struct Station {
    std::deque<Pending> queue;  // the front is being sent or is the next
    bool sending = false;
    bool has_sent = false;
    Instant last_end;            // of its own last frame or collision
    Scheduler::EventId event;    // the end of the frame, or the next attempt,
    Instant attempt;             // which is then
    Scheduler::EventId give_up;  // the deferral limit
  };

  Station& other(const Station& station) { return &station == &nic_end_ ? network_end_ : nic_end_; }
  Duration gap_after_own(const Station& station) const;
  Duration gap_after_other(const Station& station) const;
  void try_start(Station& station);
  void defer(Station& station);
  void start(Station& station);
  void finish(Station& station);
  void collide();
  void back_off(Station& station);
  void give_up(Transmission::Outcome outcome);

  Scheduler& scheduler_;
  std::uint64_t random_;
  Nic* nic_ = nullptr;
  FrameSink* to_nic_ = nullptr;
  FrameSink* to_network_ = nullptr;
  NicMac nic_mac_;
  bool jammed_ = false;
  Station nic_end_;
  Station network_end_;
};

}  // namespace avrlan
