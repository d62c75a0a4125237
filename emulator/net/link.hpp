#pragma once
// A link with rate, delay and faults, one object a direction.
// Not modelled: a queue counted in octets, priorities, bursts of loss, and changes of the settings while it runs.

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

// --link rate=10M,delay=10ms,jitter=1ms,loss=1%,dup=0,reorder=0,corrupt=0,queue=64,seed=1
struct LinkOptions {
  // bit/s on the wire: preamble, frame, FCS and gap count. 0: the link adds no time of its own; its queue is then the
  // one in front of the 10 Mbit/s wire behind it.
  std::int64_t rate = 0;
  Duration delay;
  Duration jitter;         // uniform in [-jitter, +jitter], never below zero delay, never out of order
  double loss = 0;         // probabilities, 0..1
  double dup = 0;          // sent twice, one right behind the other
  double reorder = 0;      // overtakes what is queued or under way: next to be sent, and without delay
  double corrupt = 0;      // one flipped bit; the FCS stays as it was sent
  std::size_t queue = 64;  // frames that may wait; the next is dropped as queue_full
  std::uint64_t seed = 1;
  // Of --link. Throws UsageError that names the key that is wrong and what it takes.
  static LinkOptions parse(std::string_view text);
  // One key. Throws UsageError as parse() does.
  void set(std::string_view key, std::string_view value);
};

// splitmix64 (Steele, Lea, Flood 2014): the same numbers from the same seed on every machine.
class LinkRandom {
 public:
  explicit LinkRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  double unit();  // uniform in [0, 1)

 private:
  std::uint64_t state_;
};

// What becomes of the frames that enter one direction of a link, and when they arrive; hands nothing on.
class LinkDirection {
 public:
  // The frame as it arrives, no, one or two times, in the order in which it was sent.
  class Passage {
   public:
    std::span<const Instant> arrivals() const { return std::span(arrivals_).first(count_); }
    EthernetFrame frame;

   private:
    friend class LinkDirection;
    std::array<Instant, 2> arrivals_{};
    std::size_t count_ = 0;
  };

  // `direction` (0 to the network, 1 to the board) gives each its own random sequence from one seed. No frame is under way
  // for less than `least`, whatever jitter and overtaking make of it.
  LinkDirection(const LinkOptions& options, int direction, Duration least = {});
  // Of one that enters at `now`, which never decreases.
  Passage pass(const EthernetFrame& frame, Instant now);
  const DropCounters& drops() const { return drops_; }

 private:
  // What chance says about one frame. Always drawn completely, so that no setting shifts the numbers of another.
  struct Fate {
    bool lost;
    bool duplicated;
    bool overtakes;
    bool corrupted;
    std::uint64_t bit;
    Duration jitter;
  };
  Fate draw();
  void send(Passage& passage, const Fate& fate, Instant now);

  LinkOptions options_;
  Duration least_;
  DropCounters drops_;
  LinkRandom random_;
  Instant free_;  // end of the last transmission that is planned
  Instant last_arrival_;
  std::deque<Instant> waiting_;  // when each queued frame starts to be sent
};

class Link : public FrameSink {
 public:
  // `direction` as LinkDirection's. `to` must outlive the events of `scheduler`; frames arrive there from inside the
  // scheduler, never from inside deliver().
  Link(Scheduler& scheduler, FrameSink& to, const LinkOptions& options, int direction)
      : scheduler_(scheduler), to_(to), direction_(options, direction) {}
  void deliver(const EthernetFrame& frame) override;
  const DropCounters& drops() const { return direction_.drops(); }

 private:
  Scheduler& scheduler_;
  FrameSink& to_;
  LinkDirection direction_;
};

}  // namespace avrlan::net
