#pragma once
// What each frame costs, step by step, from its last bit at the chip to the last bit of what the firmware sends for it.
//
// A path is the time between, and each of its cycles belongs to one step:
//   in the chip   complete, while earlier frames are still held
//   INT or poll   the oldest, until the firmware reads its first octet: interrupt, wake-up, main loop
//   copy out      the chip is selected, for reading its buffer memory
//   copy in       the chip is selected, for writing its buffer memory
//   registers     the chip is selected, for anything else
//   transmitter   the firmware waits for the frame before: between status reads on end, or asleep, while that is sent
//   asleep        with a frame opened and not released
//   medium        from the request to the first bit of the preamble
//   wire          from there to the last bit
//   and the layers of network_layers(): everything else, by the code that is executed, interrupts included.
//
// A frame sent belongs to the frame opened last, unless the firmware has slept since, or has found no frame waiting twice:
// then it is sent unasked, and its path begins at the last time of either. When several are sent for one, the path of each
// further one begins when the one before is requested. A frame for which none is sent has a path to where the firmware sleeps, finds
// no frame waiting, or opens the next one. What is under way when the run ends, or is not sent in the end, has no path.
//
// Not told: waiting for the transmitter by anything but status reads and sleep, which counts for the layer that waits; which
// frame an answer is for when several are opened before it.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/profile/profiler.hpp"
#include "nic-model/core/nic_event.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::profile {

// In the order of a path, the layers in the place of `layers`.
enum class Step : std::uint8_t {
  queued,
  noticed,
  copy_out,
  registers,
  layers,
  asleep,
  copy_in,
  transmitter,
  medium,
  wire
};
inline constexpr std::size_t step_count = static_cast<std::size_t>(Step::wire) + most_kinds;

struct FramePath {
  std::vector<std::int64_t> cycles = std::vector<std::int64_t>(step_count);  // see index_of()
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::optional<std::size_t> received{};  // octets, without FCS
  std::optional<std::size_t> sent{};

  static std::size_t index_of(Step step, std::size_t layer = 0);
};

class FramePaths {
 public:
  // The profiler's kinds of code are the layers. It must outlive this.
  explicit FramePaths(Profiler& profiler) : profiler_(profiler) {}

  // At the start of an instruction. Cycle and instant are the same moment.
  void nic_event(const NicEvent& event, std::int64_t cycle, Instant now);
  void slept(std::int64_t from, std::int64_t to);
  // The run has ended.
  void finish();

  const std::vector<FramePath>& paths() const { return paths_; }
  // run.json's `layers`: name, and cycles of the whole run.
  nlohmann::ordered_json layers() const;
  // run.json's `paths`: how many there are with an answer, without, and sent unasked or further; octets; and for all
  // together and for each of the `steps`: cycles, frames, cycles a byte, p50, p90, p99, max.
  nlohmann::ordered_json json() const;

 private:
  struct Held {
    std::uint64_t number;
    std::size_t octets;
    std::int64_t arrived;
  };
  struct InFlight {
    FramePath path;
    std::int64_t requested;
    Instant requested_at;
  };

  void pass(std::int64_t cycle, std::optional<Step> step = std::nullopt);
  void begin(std::int64_t cycle);
  void end_unanswered(std::int64_t cycle);
  void access_ended(NicEvent::Access access, std::int64_t cycle);
  void opened(std::uint64_t number, std::int64_t cycle);
  void found_none(std::int64_t cycle);
  void transmit_ended(const NicEvent& event, std::int64_t cycle, Instant now);
  void keep(FramePath path, std::int64_t end);

  Profiler& profiler_;
  Spent passed_;  // up to where cycles are given to a step
  std::int64_t passed_cycle_ = 0;

  FramePath path_;  // that the firmware is at work on
  bool selected_ = false;
  bool released_ = false;            // its frame
  std::optional<FramePath> looked_;  // path_ as it ends if no frame is sent for it
  std::optional<std::vector<std::int64_t>>
      polled_;  // its cycles at the end of a status read, while another frame is sent

  std::deque<Held> held_;
  std::int64_t last_release_ = 0;
  std::optional<InFlight> in_flight_;
  std::vector<FramePath> paths_;
};

}  // namespace avrlan::profile
