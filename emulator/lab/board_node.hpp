#pragma once
// A board of a lab. Not modelled: the chip of a board whose firmware has ended, which would still fill its buffer: nothing
// comes from it and goes to it any more.

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/cli/output_files.hpp"
#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/lab/description.hpp"
#include "emulator/lab/frame_digest.hpp"
#include "emulator/lab/node.hpp"

namespace avrlan::lab {

class BoardNode final : public Node {
 public:
  // `description` must outlive this. Throws UsageError "FILE:LINE:COLUMN: ..." where board and firmware do not fit.
  explicit BoardNode(const BoardDescription& description);

  // Both ends of its cable: where its frames go from now on, and what takes those for it.
  void connect(FrameSink& to) { exit_ = &to; }
  FrameSink& entry() { return entry_; }

  // A directory as `avrlan run --out` leaves: before the first run. Throws HostError.
  void record(const std::filesystem::path& directory);
  // Completes what is there. `end` as for run_json(). Throws HostError.
  void write(const RunEnd& end);

  Instant now() const override { return scheduler_->now(); }
  const Simulation& simulation() const { return *simulation_; }
  // Why it has ended by itself, or by an error; nullopt: it has not.
  std::optional<RunEnd> ended() const;
  std::uint64_t frames() const { return simulation_->frames_in().frames + simulation_->frames_out().frames; }
  // Of all frames at the chip, apart for each direction: of one instant, either may come first.
  std::string digest() const { return digest_in_.text() + digest_out_.text(); }
  nlohmann::ordered_json json(const RunEnd& end) const;

  // What the UART has sent, by lines; what the log has, since the last call. Between two runs.
  struct Line {
    Instant when;
    std::string text;
  };
  std::vector<Line> take_lines() { return std::exchange(lines_, {}); }
  // What has been sent of a line counts as one.
  void end_line() {
    if (!line_.empty()) finish_line();
  }
  std::vector<std::string> take_diagnostics();

 private:
  struct Entry : FrameSink {
    FrameSink* to_board = nullptr;
    void deliver(const EthernetFrame& frame) override { to_board->deliver(frame); }
  };
  // The far end of the simulation's cable.
  struct Exit : net::Backend {
    explicit Exit(BoardNode& n) : node(n) {}
    BoardNode& node;
    void deliver(const EthernetFrame& frame) override {
      if (node.exit_ != nullptr) node.exit_->deliver(frame);
    }
  };

  Instant next_activity() const override;
  void run(Instant end) override;
  Scheduler* scheduler() override { return machine_end_ ? nullptr : scheduler_; }
  void on_uart(std::uint8_t byte);
  void finish_line();
  void check_uart_log() const;

  const BoardDescription& description_;
  Entry entry_;
  FrameSink* exit_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  std::unique_ptr<Simulation> simulation_;
  std::optional<MachineEnd> machine_end_;
  FrameDigest digest_in_, digest_out_;
  std::string line_;
  std::vector<Line> lines_;
  std::size_t told_diagnostics_ = 0;
  std::optional<OutDirectory> out_;
  std::ofstream uart_log_;
};

}  // namespace avrlan::lab
