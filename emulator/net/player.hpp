#pragma once
// The far end of the cable in a replay: sends what a recording says that it sent. No socket, no wall clock.
//
// What is recorded is when the network's end of the wire had a frame to send (TraceFrame::entered), and that is when it gets
// it again, behind everything else that happens at that instant: the wire then treats it as it did, waits for the chip's
// frame and the gap, collides in half duplex, tells the chip that a preamble comes. So the last bit arrives before the
// instruction at the recorded cycle, as long as the board does what it did.

#include <cstddef>
#include <functional>
#include <vector>

#include "emulator/net/backend.hpp"
#include "emulator/net/trace_reader.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

class Player : public Backend {
 public:
  enum class Timing : std::uint8_t {
    recorded,        // at the recorded instants
    after_the_board  // as long after the board's latest frame as in the recording, and never before that frame
  };
  // `trace` must outlive the player.
  Player(Scheduler& scheduler, FrameSink& to_board, const Trace& trace, Timing timing);

  // Changes a frame just before it is sent.
  void on_send(std::function<void(EthernetFrame&)> change) { change_ = std::move(change); }

  void deliver(const EthernetFrame& frame) override;

 private:
  void plan();
  void send();

  Scheduler& scheduler_;
  FrameSink& to_board_;
  const Trace& trace_;
  const Timing timing_;
  std::function<void(EthernetFrame&)> change_;
  std::vector<std::size_t> order_;            // of trace_.frames: those to the board
  std::vector<std::size_t> heard_before_;     // how many of the board's frames had passed when each entered
  std::vector<Instant> recorded_from_board_;  // when each of those had passed
  std::vector<Instant> from_board_;           // and now
  std::size_t next_ = 0;
  Instant last_;
  bool planned_ = false;
};

}  // namespace avrlan::net
