// The chip's CLKOUT as the MCU's clock: it starts with the chip's oscillator, changes while the MCU runs, and stops.

#include <gtest/gtest.h>

#include "emulator/board/board.hpp"
#include "emulator/board/firmware.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/machine.hpp"
#include "nic-model/enc28j60/enc28j60.hpp"

namespace avrlan::test {
namespace {

class Clkout : public testing::TestWithParam<EngineKind>, private DiagnosticSink, private FrameSink {
 protected:
  struct Sent {
    std::uint8_t octet;
    Instant when;
    Cycles cycle;
  };

  void start(const std::string& image, std::int64_t hz = 0) {
    MachineOptions options;
    options.engine = GetParam();
    options.hz = hz;
    options.diagnostics = this;
    machine = std::make_unique<Machine>(find_board("clkout-enc28j60"),
                                        Firmware::load_elf(AVRLAN_CLKOUT_DIR "/" + image + ".elf"), scheduler, options);
    machine->attach(chip, chip);
    machine->on_uart([this](std::uint8_t octet) { sent.push_back({octet, scheduler.now(), machine->cycle()}); });
    wire.connect(chip, chip, *this);
  }
  std::optional<MachineEnd> run_to(Duration time) { return machine->run_until(Instant::at(time)); }

  Scheduler scheduler;
  Wire wire{scheduler};
  Enc28j60 chip{scheduler, wire, *this};
  std::unique_ptr<Machine> machine;
  std::vector<Sent> sent;
  std::vector<std::string> told;

 private:
  void report(const Diagnostic& diagnostic) override { told.push_back(diagnostic.code); }
  void deliver(const EthernetFrame&) override {}
};

TEST_P(Clkout, StandsUntilTheChipsOscillatorHasStarted) {
  start("clkout");
  EXPECT_FALSE(run_to(Duration::microseconds(299)));
  EXPECT_EQ(machine->cycle().count, 0);
  EXPECT_EQ(machine->now(), Instant::at(Duration::microseconds(299)));
  EXPECT_FALSE(run_to(Duration::microseconds(316)));
  EXPECT_EQ(machine->hz(), 6'250'000);
  EXPECT_NEAR(static_cast<double>(machine->cycle().count), 100, 3);  // 16 us
}

TEST_P(Clkout, ChangesWhileItRuns) {
  start("clkout");
  const auto end = run_to(Duration::milliseconds(20));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, 5);
  EXPECT_EQ(machine->hz(), 12'500'000);
  ASSERT_EQ(sent.size(), 3u);
  // Each octet is 2,480 cycles, and begins with a bit of the baud rate generator, which runs freely.
  for (std::size_t n = 1; n < 3; ++n) {
    const std::int64_t cycles = (sent[n].cycle - sent[n - 1].cycle).count;
    EXPECT_GE(cycles, 2478);  // machine.cycle() is that of the next instruction
    EXPECT_LE(cycles, 2480 + 248 + 2);
  }
  // In units of the new clock's 80 ns, each cycle of the old one is two.
  const auto units = [this](std::size_t n) { return (sent[n].when - sent[n - 1].when).picoseconds() / 80'000; };
  EXPECT_EQ((sent[2].when - sent[1].when).picoseconds() % 80'000, 0);
  EXPECT_NEAR(static_cast<double>(units(2)), static_cast<double>((sent[2].cycle - sent[1].cycle).count), 2);
  const std::int64_t before = units(1) - (sent[1].cycle - sent[0].cycle).count;
  EXPECT_GT(before, 50);
  EXPECT_LT(before, 1000) << "cycles until ECOCON was written";
  EXPECT_TRUE(told.empty()) << told[0];
}

TEST_P(Clkout, StopsTheMcuForEver) {
  start("clkout-stopped");
  EXPECT_FALSE(run_to(Duration::milliseconds(20)));
  const Cycles stopped = machine->cycle();
  EXPECT_FALSE(run_to(Duration::milliseconds(40)));
  EXPECT_EQ(machine->cycle(), stopped);
  EXPECT_EQ(machine->now(), Instant::at(Duration::milliseconds(40)));
  EXPECT_EQ(told, std::vector<std::string>{"mcu-clock-stopped"});
}

TEST_P(Clkout, DoesNotTakeAnotherFrequency) {
  EXPECT_THROW(start("clkout", 8'000'000), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Engines, Clkout, testing::Values(EngineKind::exact, EngineKind::simavr),
                         [](const auto& engine) { return std::string(to_string(engine.param)); });

}  // namespace
}  // namespace avrlan::test
