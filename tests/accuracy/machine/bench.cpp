#include "tests/accuracy/machine/bench.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace avrlan::testing {

Firmware assembled(const std::string& program) {
  return Firmware::load_elf(std::string{AVRLAN_ASSEMBLED_DIR} + "/" + program + ".elf");
}

std::uint32_t label(const Firmware& firmware, const std::string& name) {
  const auto found = std::find_if(firmware.functions.begin(), firmware.functions.end(),
                                  [&](const Symbol& symbol) { return symbol.name == name; });
  if (found == firmware.functions.end()) throw std::out_of_range("no label " + name);
  return found->address;
}

Board board_with(const std::string& mcu) {
  const auto found =
      std::find_if(boards().begin(), boards().end(), [&](const Board& b) { return b.mcu == mcu && b.nic_select; });
  if (found != boards().end()) return *found;
  return {mcu + "-bare", "", mcu, 16'000'000, "enc28j60", Pin{'B', 0}, Pin{'D', 0}, std::nullopt};
}

void ScriptedChip::set_int_pin(bool high) {
  int_pin_ = high;
  changed_(high);
}

std::uint8_t ScriptedChip::exchange(std::uint8_t mosi) {
  note(fmt::format("{:02x}", mosi));
  return answered_ < answers.size() ? answers[answered_++] : std::uint8_t{0};
}

namespace {

// The same tests hold for both engines: CMakeLists.txt runs them again with this variable set.
MachineOptions with_sink(MachineOptions options, DiagnosticSink& sink) {
  const char* engine = std::getenv("AVRLAN_TEST_ENGINE");
  options.engine = engine != nullptr && engine == std::string_view{"simavr"} ? EngineKind::simavr : EngineKind::exact;
  if (options.diagnostics == nullptr) options.diagnostics = &sink;
  return options;
}

}  // namespace

Bench::Bench(const Firmware& program, const Board& board, MachineOptions options)
    : firmware(program), machine(board, firmware, scheduler, with_sink(options, diagnostics)), clock(machine.hz()) {}

void Bench::step() {
  machine.run_until(machine.now() + Duration::picoseconds(1));
}

Cycles Bench::run_until(const std::function<bool()>& condition, Cycles patience) {
  const Cycles give_up = machine.cycle() + patience;
  while (!condition()) {
    const Cycles before = machine.cycle();
    step();
    if (machine.cycle() >= give_up || machine.cycle() == before) {
      ADD_FAILURE() << "did not come by cycle " << machine.cycle().count;
      return Cycles::never();
    }
  }
  return machine.cycle();
}

Cycles Bench::run_to(const std::string& name, Cycles patience) {
  const Cycles at = run_to_address(label(firmware, name), patience);
  EXPECT_NE(at, Cycles::never()) << "label " << name;
  return at;
}

Cycles Bench::run_to_address(std::uint32_t address, Cycles patience) {
  return run_until([&] { return machine.pc() == address; }, patience);
}

std::optional<MachineEnd> Bench::run_to_end(Duration limit) {
  return machine.run_until(machine.now() + limit);
}

}  // namespace avrlan::testing
