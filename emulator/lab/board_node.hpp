#pragma once
// A board of a lab, through all its power cycles. Not modelled: the chip of a board whose firmware has ended, which would still fill its buffer: nothing
// comes from it and goes to it any more.

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/cli/output_files.hpp"
#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"
#include "emulator/cli/text_watch.hpp"
#include "emulator/lab/description.hpp"
#include "emulator/lab/frame_digest.hpp"
#include "emulator/lab/node.hpp"
#include "emulator/lab/socket.hpp"

namespace avrlan::lab {

class BoardNode final : public Node {
 public:
  // `description` must outlive this. Throws UsageError "FILE:LINE:COLUMN: ..." where board and firmware do not fit.
  explicit BoardNode(const BoardDescription& description);

  Socket socket() {
    return {this, &entry_, [this](FrameSink& to) { exit_ = &to; }};
  }

  // Faults, between two runs and after run_until() of their instant.
  bool powered() const { return simulation_ != nullptr; }
  void set_link(bool up);
  // The UART's line, what the chip holds and what is on the wire end here, as the RAM. Flash and EEPROM stay.
  void power_off();
  void power_on(Instant when);
  void reset_mcu();
  void reset_chip();

  // A directory as `avrlan run --out` leaves: before the first run. frames.pcapng is of the first power-on, frames-2.pcapng of
  // the second of `power_ons`, ... Throws HostError.
  void record(const std::filesystem::path& directory, std::size_t power_ons);
  // Completes what is there. `end` as for run_json(). Throws HostError.
  void write(const RunEnd& end);

  Instant now() const override { return scheduler_->now(); }
  // Why it has ended by itself, or by an error; nullopt: it has not.
  std::optional<RunEnd> ended() const;
  // Of all frames at the chip, apart for each direction: of one instant, either may come first.
  std::string digest() const { return digest_in_.text() + digest_out_.text(); }
  // Of everything that the console has sent.
  std::string uart_digest() const { return digest_uart_.text(); }
  // Its run.json since the last power-on, with "digest" of all its frames and "earlier", one for each time before.
  nlohmann::ordered_json json(const RunEnd& end) const;
  // A number of run.json, as of now, summed over all power-ons.
  std::int64_t number(std::string_view name) const;
  // Looks for a text in what the UART sends from now on; returns which watch this is.
  std::size_t watch(const std::string& text);
  // When it was first there.
  std::optional<Instant> seen(std::size_t watch) const { return watches_[watch].when; }

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

  struct Watch {
    TextWatch text;
    std::optional<Instant> when;
  };

  void make_simulation(Instant power_on);
  void capture();
  Instant next_activity() const override;
  void run(Instant end) override;
  Scheduler* scheduler() override { return simulation_ && !machine_end_ ? scheduler_ : nullptr; }
  void on_uart(std::uint8_t byte);
  void finish_line();
  void check_uart_log() const;

  const BoardDescription& description_;
  Firmware firmware_;  // as the flash and the EEPROM have it at power-on
  Entry entry_;
  FrameSink* exit_ = nullptr;
  Scheduler* scheduler_ = nullptr;
  std::unique_ptr<Simulation> simulation_;  // nullptr while the power is off
  std::vector<nlohmann::ordered_json> earlier_;
  bool link_up_ = true;
  std::optional<MachineEnd> machine_end_;
  FrameDigest digest_in_, digest_out_, digest_uart_;
  std::string line_;
  std::vector<Line> lines_;
  std::vector<Watch> watches_;
  std::size_t told_diagnostics_ = 0;
  std::optional<OutDirectory> out_;
  std::ofstream uart_log_;
};

}  // namespace avrlan::lab
