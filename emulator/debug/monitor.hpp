#pragma once
// gdb's `monitor` commands: what avrlan knows of a run and gdb has no words for; and the stops that they ask for.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/cli/simulation.hpp"
#include "emulator/cli/text_watch.hpp"
#include "emulator/debug/frame_filter.hpp"
#include "emulator/debug/target.hpp"
#include "emulator/profile/code_map.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::debug {

class History;

class Monitor {
 public:
  // All must outlive the monitor, which must outlive the run.
  Monitor(Simulation& simulation, const Firmware& firmware, Target& target);

  // Where snapshots are; without one there are none. It must outlive the last execute().
  void remember_in(History& history) { history_ = &history; }

  // What to show: lines, each with a line feed. A command may be shortened as long as one alone begins so.
  std::string execute(std::string_view line);
  // Whether this is for the present, even while gdb looks at the past.
  bool is_for_present(std::string_view line) const;
  // Whether this is about where the firmware stops.
  bool is_stop(std::string_view line) const;

  // Nobody wants the stops and the profile any more that were asked for.
  void forget();
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
    bool for_present = false;
  };
  struct SeenFrame {
    std::uint64_t number;
    Instant when;
    bool to_board;
    EthernetFrame frame;
  };

  std::vector<const Command*> commands_named(std::string_view name) const;
  std::string help(const std::string&);
  std::string reset(const std::string&);
  std::string cycles(const std::string&);
  std::string nic(const std::string& arguments);
  std::string io(const std::string& arguments);
  std::string frames(const std::string& arguments);
  std::string diagnostics(const std::string&);
  std::string run_until(const std::string& arguments);
  std::string break_frame(const std::string& arguments);
  std::string profile(const std::string& arguments);
  std::string snapshot(const std::string& arguments);
  std::string restore(const std::string& arguments);

  void frame(bool to_board, const EthernetFrame& frame);
  void stop(std::string why);
  void forget_run_until();
  void forget_profile();
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
  std::unique_ptr<profile::CodeMap> code_map_;
  std::unique_ptr<profile::Profiler> profiler_;
  History* history_ = nullptr;
};

}  // namespace avrlan::debug
