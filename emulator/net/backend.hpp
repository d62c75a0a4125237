#pragma once
// What is at the far end of a cable: it takes the board's frames by deliver() and sends its own to the FrameSink that it
// was made with, by an event of the scheduler, never from inside deliver().

#include <cstdint>
#include <string>
#include <vector>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"

namespace avrlan::net {

enum class HostState : std::uint8_t {
  idle,              // nothing is open
  connected,         // a connection, or a datagram just received, through which the host may say something at any time
  reply_outstanding  // the firmware waits for the host: an answer to its SYN, its datagram, its ping, its data
};

class Backend : public FrameSink {
 public:
  // What it has not passed on, or refused.
  virtual const DropCounters& drops() const { return drops_; }

 protected:
  DropCounters drops_;
};

// One that the host has a part in: a run with it is deterministic only as long as the host says nothing.
class HostBackend : public Backend {
 public:
  // Takes what the host has to say. Waits at most `milliseconds` of wall time for something to happen (0: not at all,
  // -1: without limit) and returns true when the host said something: the scheduler may then have frames for the board.
  // `wake_fd` (-1: none), readable, also ends the wait. Throws HostError.
  virtual bool poll_host(int milliseconds, int wake_fd = -1) = 0;

  // What pace `max` goes by (DESIGN.md section 2), as of the scheduler's time.
  virtual HostState host_state() const = 0;
  // The wall-clock bound of a hold is over: replies outstanding now count as connections until the host speaks again.
  virtual void give_up_waiting() = 0;

  // For sentences: "sockets of the host".
  virtual std::string name() const = 0;
  // What the user has to know before the firmware starts, one line each: "forwarding tcp 127.0.0.1:8080 -> 10.0.2.15:80".
  virtual std::vector<std::string> announcements() const = 0;
};

}  // namespace avrlan::net
