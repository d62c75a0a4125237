#pragma once
// gdb's `monitor` commands: what avrlan knows of a run and gdb has no words for; and the stops that they ask for.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/cli/simulation.hpp"
#include "emulator/cli/text_watch.hpp"
#include "emulator/debug/frame_filter.hpp"
#include "emulator/debug/target.hpp"

namespace avrlan::debug {

class Monitor {
 public:
  // All must outlive the monitor, which must outlive the run.
  Monitor(Simulation& simulation, const Firmware& firmware, Target& target);

  // What to show: lines, each with a line feed. A command may be shortened as long as one alone begins so.
  std::string execute(std::string_view line);

  // No stop that was asked for is wanted any more.
  void forget_stops();
  // A frame of the console's USART.
  void uart(std::uint8_t byte);
  // `monitor run-until cycle`; nullopt: not asked for. The debugger stops there.
  std::optional<Cycles> until_cycle() const { return until_cycle_; }
  // Why the machine was stopped, as lines to show, and forgets it; empty: it was not the monitor's doing. `run-until` is over.
  std::string take_stop();

 private:
  struct Command {
    std::string_view name;
    std::string_view arguments;
    std::string_view help;
    std::string (Monitor::*run)(const std::string& arguments);
  };
  struct SeenFrame {
    std::uint64_t number;
    Instant when;
    bool to_board;
    EthernetFrame frame;
  };

  std::string help(const std::string&);
  std::string reset(const std::string&);
  std::string cycles(const std::string&);
  std::string nic(const std::string& arguments);
  std::string io(const std::string& arguments);
  std::string frames(const std::string& arguments);
  std::string diagnostics(const std::string&);
  std::string run_until(const std::string& arguments);
  std::string break_frame(const std::string& arguments);

  void frame(bool to_board, const EthernetFrame& frame);
  void stop(std::string why);
  void forget_run_until();
  std::string line_of(const SeenFrame& seen) const;

  Simulation& simulation_;
  const Firmware& firmware_;
  Target& target_;
  std::vector<Command> commands_;
  std::deque<SeenFrame> seen_;
  std::uint64_t frames_seen_ = 0;
  std::vector<FrameFilter> frame_breakpoints_;
  std::optional<Cycles> until_cycle_;
  std::optional<TextWatch> until_text_;
  std::optional<FrameFilter> until_frame_;
  std::string why_;
};

}  // namespace avrlan::debug
