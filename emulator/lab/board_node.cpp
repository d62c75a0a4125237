#include "emulator/lab/board_node.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "emulator/board/write_file.hpp"
#include "emulator/cli/diagnostic_text.hpp"
#include "emulator/cli/report.hpp"

namespace avrlan::lab {

namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::string_view uart_file = "uart.log", frames_file = "frames.pcapng";

}  // namespace

BoardNode::BoardNode(const BoardDescription& description) : Node(description.name), description_(description) {
  description.place.located([&] {
    simulation_ = std::make_unique<Simulation>(*description.board, description.firmware, description.options,
                                               [this](Scheduler& scheduler, FrameSink& to_board) {
                                                 scheduler_ = &scheduler;
                                                 entry_.to_board = &to_board;
                                                 return std::make_unique<Exit>(*this);
                                               });
  });
  simulation_->machine().on_uart([this](std::uint16_t frame) { on_uart(static_cast<std::uint8_t>(frame)); });
  simulation_->on_frame([this](bool to_board, const EthernetFrame& frame) {
    (to_board ? digest_in_ : digest_out_).add(scheduler_->now(), frame);
  });
  refresh();
}

void BoardNode::record(const std::filesystem::path& directory) {
  out_.emplace(directory, std::vector<std::string>{"run.json", "diagnostics.json", std::string(uart_file),
                                                   std::string(frames_file)});
  out_->begin();
  simulation_->capture(*out_ / frames_file);
  uart_log_.open(*out_ / uart_file, std::ios::binary);
  check_uart_log();
}

void BoardNode::check_uart_log() const {
  if (uart_log_) return;
  throw HostError(fmt::format("cannot write {}: {}", (*out_ / uart_file).string(), std::strerror(errno)),
                  "give --out a directory that can be written, on a disk with room");
}

void BoardNode::on_uart(std::uint8_t byte) {
  if (uart_log_.is_open()) uart_log_.put(static_cast<char>(byte));
  if (byte != '\n') line_ += static_cast<char>(byte);
  if (byte == '\n' || line_.size() >= longest_line) finish_line();
}

void BoardNode::finish_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  lines_.push_back({simulation_->machine().now(), std::exchange(line_, {})});
}

std::vector<std::string> BoardNode::take_diagnostics() {
  std::vector<std::string> texts;
  const auto& entries = simulation_->diagnostics().entries();
  for (; told_diagnostics_ < entries.size(); ++told_diagnostics_)
    texts.push_back(to_text(entries[told_diagnostics_], description_.firmware, DiagnosticFormat::gcc));
  return texts;
}

Instant BoardNode::next_activity() const {
  return machine_end_ ? Instant::never() : simulation_->machine().next_activity();
}

void BoardNode::run(Instant end) {
  if (!machine_end_) machine_end_ = simulation_->machine().run_until(end);
}

std::optional<RunEnd> BoardNode::ended() const {
  RunEnd end;
  if (simulation_->diagnostics().count(Severity::error) != 0) {
    end.reason = EndReason::diagnostic;
    return end;
  }
  if (!machine_end_) return std::nullopt;
  end.reason = reason_of(*machine_end_);
  end.firmware_status = machine_end_->status;
  return end;
}

nlohmann::ordered_json BoardNode::json(const RunEnd& end) const {
  auto json = run_json(*simulation_, *description_.board, description_.firmware, end);
  json["digest"] = digest();
  return json;
}

void BoardNode::write(const RunEnd& end) {
  if (!out_) return;
  simulation_->flush();
  uart_log_.flush();
  check_uart_log();
  auto run = json(end);
  run["files"] = out_->names();
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  const auto diagnostics = diagnostics_json(simulation_->diagnostics(), description_.firmware);
  write_file(*out_ / "run.json", run.dump(2, ' ', false, replace) + "\n");
  write_file(*out_ / "diagnostics.json", diagnostics.dump(2, ' ', false, replace) + "\n");
}

}  // namespace avrlan::lab
