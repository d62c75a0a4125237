#pragma once
// Holds what a firmware does against a recording, frame by frame, while the recording is played to it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/cli/trace_header.hpp"
#include "emulator/net/player.hpp"
#include "emulator/net/renumbering.hpp"
#include "emulator/net/trace_reader.hpp"

namespace avrlan {

enum class ReplayMode : std::uint8_t {
  exact,  // the same frames at the same cycles; the first difference ends the replay
  loose,  // the same frames in the same order, but for the numbers that the firmware makes up; likewise
  update  // as loose, but goes on: to see all that has changed
};

class Replay {
 public:
  // Both must outlive it.
  Replay(const net::Trace& trace, const TraceRun& run, ReplayMode mode);

  // The far end of the cable, for the simulation's constructor.
  Simulation::BackendFactory far_end();
  // When to end, for the runner's.
  RunLimits limits() const;
  // Listens to both, which must outlive the run. Takes the simulation's on_nic_event().
  void attach(Simulation& simulation, Runner& runner);
  // What the console has sent.
  void uart(std::uint8_t byte) { uart_ += static_cast<char>(byte); }
  // A diagnostic of severity error ends a run, but not the replay of one that it has ended.
  bool ends_at_errors() const { return !run_.end || run_.end->reason != to_string(EndReason::diagnostic); }

  // After the run: compares the ends. `end` becomes EndReason::recording_end or replay_differs where that is what it was.
  void finish(RunEnd& end);

  // What is not as recorded, lines of text; empty: all is.
  const std::string& difference() const { return difference_; }
  // Called at the first difference, inside the run where it is found there.
  void on_difference(std::function<void(const std::string&)> found) { on_difference_ = std::move(found); }
  // Of an update: what has changed, lines of text.
  std::string changes() const;
  // Frames that came or went as recorded.
  std::size_t frames_in() const { return next_in_; }
  std::size_t frames_out() const { return next_out_; }

 private:
  struct Change {
    std::size_t frames = 0;
    std::size_t first = 0;  // number of the frame
    std::string was, is;    // in that
  };

  void to_board();
  void from_board(const EthernetFrame& frame);
  void differs(std::string text);
  void stop(EndReason reason);
  void note_changes(std::size_t number, const EthernetFrame& expected, const EthernetFrame& actual);
  void progress(std::size_t number);
  void compare_end(const RunEnd& end);
  std::string uart_difference() const;
  std::string calls(const std::string& verb, const std::vector<std::uint32_t>& pcs) const;
  std::int64_t cycle() const;

  const net::Trace& trace_;
  const TraceRun& run_;
  const ReplayMode mode_;
  std::vector<std::size_t> in_;   // indices of trace_.frames
  std::vector<std::size_t> out_;  // likewise
  std::size_t next_in_ = 0;
  std::size_t next_out_ = 0;
  net::Renumbering numbers_;
  Scheduler* scheduler_ = nullptr;
  Simulation* simulation_ = nullptr;
  Runner* runner_ = nullptr;
  Scheduler::EventId deadline_;
  std::vector<std::uint32_t> sent_by_;  // the calls that had the latest frame sent, innermost first
  std::string uart_;
  std::string difference_;
  std::function<void(const std::string&)> on_difference_;
  std::map<std::string, Change> changed_fields_;
  Change changed_cycles_;
  std::string end_change_;
};

}  // namespace avrlan
