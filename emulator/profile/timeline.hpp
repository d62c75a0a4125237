#pragma once
// timeline.json: a run in the trace event format of Chrome, for Perfetto and chrome://tracing.
//
// Tracks: calls, interrupts, frames on the wire each way, lines of the UART. Times are cycles by the clock that the MCU
// started with. Not shown: sleep, which is part of the function that slept; what the chip does.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

class Timeline {
 public:
  // At most `most` changes of the innermost call, frames and UART lines each; 0: nothing is kept.
  Timeline(Profiler& profiler, std::int64_t hz, std::size_t most);

  bool empty() const { return most_ == 0; }
  // At `cycle` the last bit passed: 800 ns an octet before, with the preamble's 8 and the FCS's 4.
  void frame(bool to_board, std::size_t octets, std::int64_t cycle);
  // A byte that the firmware has sent.
  void uart(std::uint8_t byte, std::int64_t cycle);

  // `end` is the run's last cycle. What was left out is in otherData.
  std::string json(std::int64_t end) const;

 private:
  struct Frame {
    bool to_board;
    std::size_t octets;
    std::int64_t cycle;
  };
  struct Line {
    std::string text;
    std::int64_t cycle;
  };

  const Profiler& profiler_;
  const std::int64_t hz_;
  const std::size_t most_;
  std::vector<Frame> frames_;
  std::vector<Line> lines_;
  std::string line_;
  std::int64_t left_out_ = 0;
};

}  // namespace avrlan::profile
