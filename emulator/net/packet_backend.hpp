#pragma once
// A far end that passes whole frames on to the host through a file descriptor, without FCS.
//
// What the board sends goes out at once, from inside deliver(); a wrong FCS, a runt and a giant do not. What the host sends
// is taken in poll_host() and reaches the board at the scheduler's time of that moment, padded to the shortest legal frame;
// over 1514 octets (giant) or without a whole Ethernet header (malformed) it is dropped.
// The host keeps wall-clock time: such a far end is of use at pace `real` only.

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/net/backend.hpp"
#include "emulator/net/outbox.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

class PacketBackend : public HostBackend {
 public:
  void deliver(const EthernetFrame& frame) final;
  bool poll_host(int milliseconds, int wake_fd = -1) final;
  // Whoever is there may speak at any time.
  HostState host_state() const final { return HostState::connected; }
  void give_up_waiting() final {}

 protected:
  PacketBackend(Scheduler& scheduler, FrameSink& to_board) : outbox_(scheduler, to_board) {}

  // Counts in drops_ what cannot be sent.
  virtual void send(std::span<const std::uint8_t> octets) = 0;
  // What to wait for. `fd` -1: nothing.
  virtual pollfd awaited() const = 0;
  // awaited() has come about: `revents`. Gives frames to receive(), not more than `most_at_once`. Throws HostError.
  virtual void ready(short revents) = 0;

  static constexpr int most_at_once = 64;
  // A frame from the host; of one that is too long, at least an octet more than a frame can have.
  void receive(std::span<const std::uint8_t> octets);

 private:
  Outbox outbox_;
  bool received_ = false;
};

}  // namespace avrlan::net
