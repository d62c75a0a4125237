#ifndef TCPIP_TCP_REORDERING_HPP
#define TCPIP_TCP_REORDERING_HPP
// Data that came before what precedes it, kept in the driver's store behind what reassembly has there (RFC 9293
// 3.10.7.4). Of octets that come twice the first ones are kept. What finds no room is left to the peer to send again.
// Not here: the urgent pointer and a FIN without data.
#include "stack/tcp/sliding_window.hpp"
#include "stack/tcp/stop_and_wait.hpp"

namespace tcpip {

// The sending half that a configuration has.
template <class Config, bool sliding_window>
struct Sending {
  using Type = StopAndWait<Config>;
};
template <class Config>
struct Sending<Config, true> {
  using Type = SlidingWindow<Config>;
};

template <class Config, bool enabled>
class Reordering : public Sending<Config, Config::sliding_window>::Type {
 protected:
  using Base = typename Sending<Config, Config::sliding_window>::Type;
  using Base::device_;
  using typename Base::Slot;

  // Octets with neighbouring sequence numbers. With no owner it is free.
  struct Run {
    Slot* owner;
    uint32_t seq;
    uint16_t at;  // in the store, behind reassembly's
    uint16_t length;
    bool fin;           // follows
    uint8_t interface;  // in whose chip it is
  };

  // Keeps those of `length` octets at `offset` of the open frame that are not kept yet.
  void keep(Slot& c, uint32_t seq, uint16_t offset, uint16_t length, bool fin) {
    for (uint8_t i = 0; i != Config::reorder_runs; ++i) {
      const Run& run = runs_[i];
      if (run.owner != &c) continue;
      const int32_t before = static_cast<int32_t>(run.seq - seq);
      if (before > 0) {
        if (before >= length) continue;
        length = static_cast<uint16_t>(before);
        fin = false;
      } else if (before + run.length > 0) {
        const uint16_t have = static_cast<uint16_t>(before + run.length);
        if (have >= length) return;
        seq += have;
        offset = static_cast<uint16_t>(offset + have);
        length = static_cast<uint16_t>(length - have);
        i = 0xff;  // what is left now may be in another run
      }
    }
    Run* run = extensible(c, seq);
    if (!run) {
      run = free_run();
      if (!run) return;
      run->at = widest_gap();
      run->seq = seq;
      run->length = 0;
      run->interface = this->receiving();
    }
    const uint16_t end = static_cast<uint16_t>(run->at + run->length);
    const uint16_t room = gap(end);
    if (length > room) {
      length = room;
      fin = false;
    }
    if (length == 0 || !device_.store_rx(static_cast<uint16_t>(first + end), offset, length)) return;
    run->owner = &c;
    run->length = static_cast<uint16_t>(run->length + length);
    run->fin = fin;
  }

  static constexpr uint16_t none = 0xffff;

  // How far it is from the octet that is expected next to one that is kept, or `none`.
  uint16_t distance(const Slot& c) const {
    uint16_t nearest = none;
    for (const Run& run : runs_)
      if (run.owner == &c) {
        const int32_t ahead = static_cast<int32_t>(run.seq - c.rcv_nxt_);
        if (ahead < nearest) nearest = ahead > 0 ? static_cast<uint16_t>(ahead) : 0;
      }
    return nearest;
  }

  // Takes out a run that goes on where the connection is, and puts it in place of the received frame. None: length 0.
  Run take(Slot& c) {
    for (Run& run : runs_) {
      if (run.owner != &c) continue;
      const int32_t old = static_cast<int32_t>(c.rcv_nxt_ - run.seq);
      if (old < 0) continue;
      run.owner = nullptr;
      // What the peer sent by another way is left to it to send again.
      if (old >= run.length || run.interface != this->receiving()) continue;
      device_.rx_from_store(static_cast<uint16_t>(first + run.at + old), static_cast<uint16_t>(run.length - old));
      Run rest = run;
      rest.length = static_cast<uint16_t>(run.length - old);
      return rest;
    }
    return Run();
  }

  void forget(Slot& c) {
    for (Run& run : runs_)
      if (run.owner == &c) run.owner = nullptr;
  }

 private:
  static constexpr uint16_t first = Base::reassembly_store;
  static_assert(first + Config::reorder_size <= Config::Device::store_size, "the driver's store is too small");

  // The run that ends where `seq` is, when there is room behind it.
  Run* extensible(Slot& c, uint32_t seq) {
    for (Run& run : runs_)
      if (run.owner == &c && run.seq + run.length == seq && !run.fin && gap(static_cast<uint16_t>(run.at + run.length)))
        return &run;
    return nullptr;
  }

  Run* free_run() {
    Run* free = nullptr;
    for (Run& run : runs_) {
      if (run.owner && run.owner->state() == TcpState::closed) run.owner = nullptr;
      if (!run.owner) free = &run;
    }
    return free;
  }

  // Octets that are free from `at` on, where no run is before.
  uint16_t gap(uint16_t at) const {
    uint16_t end = Config::reorder_size;
    for (const Run& run : runs_)
      if (run.owner && run.at >= at && run.at < end) end = run.at;
    return static_cast<uint16_t>(end - at);
  }

  uint16_t widest_gap() const {
    uint16_t best = 0;
    for (const Run& run : runs_) {
      const uint16_t end = static_cast<uint16_t>(run.at + run.length);
      if (run.owner && gap(end) > gap(best)) best = end;
    }
    return best;
  }

  Run runs_[Config::reorder_runs] = {};
};

template <class Config>
class Reordering<Config, false> : public Sending<Config, Config::sliding_window>::Type {
 protected:
  using typename Sending<Config, Config::sliding_window>::Type::Slot;

  struct Run {
    uint16_t length;
    bool fin;
  };
  static constexpr uint16_t none = 0xffff;

  void keep(Slot&, uint32_t, uint16_t, uint16_t, bool) {}
  static constexpr uint16_t distance(const Slot&) { return none; }
  Run take(Slot&) { return Run(); }
  void forget(Slot&) {}
};

}  // namespace tcpip

#endif
