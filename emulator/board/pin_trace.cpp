#include "emulator/board/pin_trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/board/host_error.hpp"

namespace avrlan {

namespace {

struct Used {
  Pin pin;
  std::string by;
};

std::vector<Used> uses(const Board& board, const peripherals::Gpio& gpio) {
  std::vector<Used> all;
  if (board.nic_select) all.push_back({*board.nic_select, board.nic + " select"});
  if (board.nic_int) all.push_back({*board.nic_int, board.nic + " INT"});
  if (board.nic_reset) all.push_back({*board.nic_reset, board.nic + " reset"});
  if (board.nic_ports) {
    const PortBusPins& bus = *board.nic_ports;
    all.push_back({bus.read, board.nic + " IORB"});
    all.push_back({bus.write, board.nic + " IOWB"});
    for (std::uint8_t line = 0; line < PortBusPins::address_lines; ++line)
      all.push_back({{bus.address.port, static_cast<std::uint8_t>(bus.address.bit + line)},
                     fmt::format("{} A{}", board.nic, line)});
    for (std::uint8_t line = 0; line < 8; ++line)
      all.push_back({{bus.data, line}, fmt::format("{} D{}", board.nic, line)});
  }
  if (board.nic_eesk) all.push_back({*board.nic_eesk, board.nic + " EESK"});
  if (board.nic_eedo) all.push_back({*board.nic_eedo, board.nic + " EEDO"});
  if (board.nic_eemu) all.push_back({*board.nic_eemu, board.nic + " EEMU"});
  for (const auto& alternate : gpio.alternates()) all.push_back({alternate.pin, alternate.name});
  return all;
}

bool shown_by_default(const Used& used) {
  if (used.by.find(' ') != std::string::npos) return true;  // the board's
  static const std::vector<std::string> names = {"SCK", "MOSI", "MISO", "TxD0", "RxD0", "TxD", "RxD"};
  return std::find(names.begin(), names.end(), used.by) != names.end();
}

bool contains(const std::vector<Pin>& pins, Pin pin) {
  return std::any_of(pins.begin(), pins.end(), [&](Pin other) { return other == pin; });
}

std::vector<Pin> traced(const std::string& mcu, const Board& board, std::vector<Pin> pins,
                        const peripherals::Gpio& gpio) {
  for (const Pin pin : pins) {
    if (!gpio.has(pin))
      throw UsageError(fmt::format("the {} has no pin {}", mcu, pin.name()), "name pins like PB2 after --vcd FILE");
  }
  if (!pins.empty()) return pins;
  for (const auto& used : uses(board, gpio)) {
    if (shown_by_default(used) && gpio.has(used.pin) && !contains(pins, used.pin)) pins.push_back(used.pin);
  }
  return pins;
}

}  // namespace

PinTrace::PinTrace(const std::filesystem::path& file, const std::string& scope, const Board& board,
                   std::vector<Pin> pins, peripherals::Gpio& gpio, const Scheduler& scheduler)
    : gpio_(gpio), scheduler_(scheduler), pins_(traced(scope, board, std::move(pins), gpio)), vcd_(file, scope) {
  const auto all = uses(board, gpio);
  for (const Pin pin : pins_) {
    std::string note;
    for (const auto& used : all) {
      if (used.pin == pin) note += (note.empty() ? "" : ", ") + used.by;
    }
    const std::size_t signal = vcd_.add(pin.name(), note, gpio_.level(pin));
    gpio_.watch(pin, [this, signal](bool high) { vcd_.change(signal, gpio_.changed_at(), high, scheduler_.now()); });
  }
}

}  // namespace avrlan
