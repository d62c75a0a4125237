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
constexpr std::string_view uart_file = "uart.log";

std::string frames_file(std::size_t power_on) {
  return power_on == 1 ? "frames.pcapng" : fmt::format("frames-{}.pcapng", power_on);
}

}  // namespace

BoardNode::BoardNode(const BoardDescription& description)
    : Node(description.name), description_(description), firmware_(description.firmware) {
  description.place.located([this] { make_simulation(Instant{}); });
}

void BoardNode::make_simulation(Instant power_on) {
  SimulationOptions options = description_.options;
  options.power_on = power_on;
  if (!earlier_.empty()) options.machine.eeprom.clear();  // firmware_ has what has become of it
  simulation_ = std::make_unique<Simulation>(description_.board, firmware_, options,
                                             [this](Scheduler& scheduler, FrameSink& to_board) {
                                               scheduler_ = &scheduler;
                                               entry_.to_board = &to_board;
                                               return std::make_unique<Exit>(*this);
                                             });
  simulation_->nic().set_link(link_up_);
  simulation_->machine().on_uart([this](std::uint16_t frame) { on_uart(static_cast<std::uint8_t>(frame)); });
  simulation_->on_frame([this](bool to_board, const EthernetFrame& frame) {
    (to_board ? digest_in_ : digest_out_).add(scheduler_->now(), frame);
  });
  told_diagnostics_ = 0;
  refresh();
}

void BoardNode::set_link(bool up) {
  if (std::exchange(link_up_, up) == up || !simulation_) return;
  simulation_->nic().set_link(up);
  refresh();
}

void BoardNode::power_off() {
  if (!simulation_) return;
  RunEnd end;
  end.reason = EndReason::power_off;
  earlier_.push_back(run_json(*simulation_, description_.board, firmware_, ended().value_or(end)));
  simulation_->flush();
  const auto flash = simulation_->machine().flash();
  const auto eeprom = simulation_->machine().eeprom();
  firmware_.flash.assign(flash.begin(), flash.end());
  firmware_.eeprom.assign(eeprom.begin(), eeprom.end());
  end_line();
  simulation_.reset();
  scheduler_ = nullptr;
  machine_end_.reset();
  refresh();
}

void BoardNode::power_on(Instant when) {
  if (simulation_) return;
  make_simulation(when);
  if (out_) capture();
}

void BoardNode::reset_mcu() {
  if (!simulation_ || machine_end_) return;
  simulation_->machine().reset();
  refresh();
}

void BoardNode::reset_chip() {
  if (!simulation_ || machine_end_) return;
  constexpr Duration pulse = Duration::microseconds(1);
  simulation_->nic().reset_pin(true);
  scheduler_->after(pulse, [this] { simulation_->nic().reset_pin(false); });
  refresh();
}

std::size_t BoardNode::watch(const std::string& text) {
  watches_.push_back({TextWatch(text), std::nullopt});
  return watches_.size() - 1;
}

void BoardNode::record(const std::filesystem::path& directory, std::size_t power_ons) {
  std::vector<std::string> names = {"run.json", "diagnostics.json", std::string(uart_file)};
  for (std::size_t n = 1; n <= power_ons; ++n) names.push_back(frames_file(n));
  out_.emplace(directory, names);
  out_->begin();
  capture();
  uart_log_.open(*out_ / uart_file, std::ios::binary);
  check_uart_log();
}

void BoardNode::capture() {
  simulation_->capture(*out_ / frames_file(earlier_.size() + 1));
}

void BoardNode::check_uart_log() const {
  if (uart_log_) return;
  throw HostError(fmt::format("cannot write {}: {}", (*out_ / uart_file).string(), std::strerror(errno)),
                  "give --out a directory that can be written, on a disk with room");
}

void BoardNode::on_uart(std::uint8_t byte) {
  const char c = static_cast<char>(byte);
  digest_uart_.add(std::string_view(&c, 1));
  if (uart_log_.is_open()) uart_log_.put(static_cast<char>(byte));
  for (Watch& watch : watches_) {
    if (!watch.when && watch.text.feed(static_cast<char>(byte))) watch.when = simulation_->machine().now();
  }
  if (byte != '\n') line_ += static_cast<char>(byte);
  if (byte == '\n' || line_.size() >= longest_line) finish_line();
}

void BoardNode::finish_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  lines_.push_back({simulation_->machine().now(), std::exchange(line_, {})});
}

std::vector<std::string> BoardNode::take_diagnostics() {
  std::vector<std::string> texts;
  if (!simulation_) return texts;
  const auto& entries = simulation_->diagnostics().entries();
  for (; told_diagnostics_ < entries.size(); ++told_diagnostics_)
    texts.push_back(to_text(entries[told_diagnostics_], firmware_, DiagnosticFormat::gcc));
  return texts;
}

Instant BoardNode::next_activity() const {
  return machine_end_ || !simulation_ ? Instant::never() : simulation_->machine().next_activity();
}

void BoardNode::run(Instant end) {
  if (simulation_ && !machine_end_) machine_end_ = simulation_->machine().run_until(end);
}

std::optional<RunEnd> BoardNode::ended() const {
  if (!simulation_) return std::nullopt;
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
  // With the power off the last one is what there is.
  auto json = simulation_ ? run_json(*simulation_, description_.board, firmware_, end) : earlier_.back();
  json["digest"] = digest();
  json["earlier"] = std::vector(earlier_.begin(), earlier_.end() - (simulation_ ? 0 : 1));
  return json;
}

std::int64_t BoardNode::number(std::string_view name) const {
  std::int64_t sum = 0;
  for (const auto& json : earlier_) sum += find_number(json, name).value_or(0);
  if (simulation_)
    sum += find_number(run_json(*simulation_, description_.board, firmware_, RunEnd{}), name).value_or(0);
  return sum;
}

void BoardNode::write(const RunEnd& end) {
  if (!out_) return;
  uart_log_.flush();
  check_uart_log();
  auto run = json(end);
  run["files"] = out_->names();
  constexpr auto replace = nlohmann::ordered_json::error_handler_t::replace;
  write_file(*out_ / "run.json", run.dump(2, ' ', false, replace) + "\n");
  if (!simulation_) return;
  simulation_->flush();
  const auto diagnostics = diagnostics_json(simulation_->diagnostics(), firmware_);
  write_file(*out_ / "diagnostics.json", diagnostics.dump(2, ' ', false, replace) + "\n");
}

}  // namespace avrlan::lab
