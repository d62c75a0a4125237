#pragma once
// A machine under a clock: runs to a label of a program and says at which cycle.

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "emulator/board/machine.hpp"
#include "emulator/board/mcu_clock.hpp"
#include "emulator/cpu/mcu.hpp"

namespace avrlan::cpu {

// googletest's name for a parameter.
inline void PrintTo(const Mcu& mcu, std::ostream* out) {
  *out << mcu.name;
}

}  // namespace avrlan::cpu

namespace avrlan::testing {

// `program` is the name given to avrlan_assemble(). Throws when there is none.
Firmware assembled(const std::string& program);
// Byte address of a label; throws std::out_of_range.
std::uint32_t label(const Firmware& firmware, const std::string& name);
// The board that has this MCU at 16 MHz: a built-in one, or a bare one with the chip's select on PB0 and INT on PD0.
Board board_with(const std::string& mcu);

// A chip on SPI that answers from a list and remembers what happened when.
class ScriptedChip : public Nic, public SpiDevice {
 public:
  struct Event {
    std::string what;  // "select", "deselect", "reset", "run", or the byte as "%02x"
    Instant when;
    friend bool operator==(const Event&, const Event&) = default;
  };

  explicit ScriptedChip(Scheduler& scheduler) : scheduler_(scheduler) {}

  std::vector<std::uint8_t> answers;  // on MISO, then 0x00
  std::vector<Event> events;
  void set_int_pin(bool high);

  void select() override { note("select"); }
  void deselect() override { note("deselect"); }
  std::uint8_t exchange(std::uint8_t mosi) override;
  std::string_view name() const override { return "scripted"; }
  const NicCounters& counters() const override { return counters_; }
  void reset_pin(bool active) override { note(active ? "reset" : "run"); }
  void set_link(bool) override {}
  void receive_started(Instant) override {}
  bool int_pin() const override { return int_pin_; }
  void on_int_pin(std::function<void(bool high)> changed) override { changed_ = std::move(changed); }
  std::int64_t clkout_hz() const override { return 0; }
  void on_clkout(std::function<void(std::int64_t)>) override {}
  std::span<const std::string_view> led_names() const override { return {}; }
  void on_led(std::function<void(std::size_t, bool)>) override {}
  void on_event(std::function<void(const NicEvent&)>) override {}
  void deliver(const EthernetFrame&) override {}

 private:
  void note(std::string what) { events.push_back({std::move(what), scheduler_.now()}); }

  Scheduler& scheduler_;
  NicCounters counters_;
  std::size_t answered_ = 0;
  bool int_pin_ = true;
  std::function<void(bool high)> changed_;
};

class Diagnostics : public DiagnosticSink {
 public:
  std::vector<std::string> codes;
  void report(const Diagnostic& diagnostic) override { codes.push_back(diagnostic.code); }
};

class Bench {
 public:
  Bench(const std::string& program, const std::string& mcu, MachineOptions options = {})
      : Bench(assembled(program), board_with(mcu), options) {}
  Bench(const Firmware& program, const Board& board, MachineOptions options = {});

  // Executes one instruction, or lets one cycle of sleep go by.
  void step();
  // Runs until the instruction at the label is next; returns the cycle at which it starts. Fails the test and returns
  // Cycles::never() when it does not come within `patience`.
  Cycles run_to(const std::string& name, Cycles patience = {10'000'000});
  Cycles run_to_address(std::uint32_t address, Cycles patience = {10'000'000});
  // Steps until the condition holds; the first cycle at which it does.
  Cycles run_until(const std::function<bool()>& condition, Cycles patience = {10'000'000});
  std::optional<MachineEnd> run_to_end(Duration limit = Duration::seconds(10));

  std::uint8_t reg(unsigned number) const { return machine.peek(static_cast<std::uint16_t>(number)); }
  Cycles cycle_of(Instant when) const { return clock.first_at(when); }

  Firmware firmware;
  Scheduler scheduler;
  Diagnostics diagnostics;
  Machine machine;
  McuClock clock;
};

}  // namespace avrlan::testing
