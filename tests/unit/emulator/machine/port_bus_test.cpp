// A chip's bus on ports: what the chip and the firmware see, and when.

#include <gtest/gtest.h>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

// Answers 0x5A, 0x5B and so on.
class ScriptedBusChip : public ScriptedChip, public BusDevice {
 public:
  explicit ScriptedBusChip(Scheduler& scheduler) : ScriptedChip(scheduler), scheduler_(scheduler) {}

  struct Access {
    bool write;
    std::uint16_t address;
    std::uint8_t value;
    friend bool operator==(const Access&, const Access&) = default;
    friend void PrintTo(const Access& access, std::ostream* out) {
      *out << (access.write ? "write " : "read ") << access.address << " " << unsigned{access.value};
    }
  };
  std::vector<Access> accesses;
  Instant last;
  std::vector<std::optional<Origin>> origins;
  std::function<std::optional<Origin>()> ask = [] { return std::nullopt; };

  std::uint8_t read(std::uint16_t address) override {
    note({false, address, next_});
    return next_++;
  }
  void write(std::uint16_t address, std::uint8_t value) override { note({true, address, value}); }
  std::uint8_t peek(std::uint16_t) const override { return next_; }

 private:
  void note(const Access& access) {
    accesses.push_back(access);
    last = scheduler_.now();
    origins.push_back(ask());
  }

  Scheduler& scheduler_;
  std::uint8_t next_ = 0x5A;
};

using Accesses = std::vector<ScriptedBusChip::Access>;

class PortBus : public ::testing::Test {
 protected:
  static Board board() {
    Board board = board_with("atmega32");
    board.nic = "rtl8019as";
    board.nic_select.reset();
    board.nic_int.reset();
    board.nic_ports = PortBusPins{.data = 'A', .address = {'C', 0}, .read = {'D', 7}, .write = {'D', 6}};
    return board;
  }
  PortBus() {
    bench.machine.attach(chip, static_cast<BusDevice&>(chip));
    chip.ask = [this] { return bench.machine.origin(); };
  }
  Bench bench{assembled("port_bus_atmega32"), board()};
  ScriptedBusChip chip{bench.scheduler};
};

TEST_F(PortBus, TheChipTakesDataWhenIowbRises) {
  bench.run_to("reset_state");
  const Cycles rises = bench.run_to("write_rises");
  EXPECT_EQ(chip.accesses, Accesses{}) << "pull-ups keep the strobes high, and a falling edge writes nothing";
  bench.run_to("written");
  EXPECT_EQ(chip.accesses, (Accesses{{true, 0x307, 0xA5}}));
  EXPECT_EQ(bench.cycle_of(chip.last), rises + Cycles{2}) << "at the end of SBI";
  ASSERT_TRUE(chip.origins[0]);
  EXPECT_EQ(chip.origins[0]->pc, label(bench.firmware, "write_rises"));
}

TEST_F(PortBus, TheChipDrivesWhileIorbIsLow) {
  bench.run_to("written");
  chip.accesses.clear();
  const Cycles falls = bench.run_to("read_falls");
  EXPECT_TRUE(chip.accesses.empty());
  bench.run_to("read");
  EXPECT_EQ(chip.accesses, (Accesses{{false, 0x310, 0x5A}}));
  EXPECT_EQ(bench.cycle_of(chip.last), falls + Cycles{2});
  EXPECT_EQ(bench.reg(3), 0xFF) << "PINx's synchroniser";
  EXPECT_EQ(bench.reg(4), 0x5A);
  EXPECT_EQ(bench.reg(5), 0x5A) << "the other way round";
  EXPECT_EQ(bench.reg(6), 0xFF) << "pull-ups";
  EXPECT_TRUE(bench.diagnostics.codes.empty());
}

TEST_F(PortBus, TellsWhatNoBusAllows) {
  bench.run_to("floated");
  EXPECT_EQ(chip.accesses.back(), (ScriptedBusChip::Access{true, 0x310, 0xFE}));
  EXPECT_EQ(bench.diagnostics.codes, std::vector<std::string>{"bus-not-driven"});
  bench.run_to("both");
  EXPECT_EQ(bench.diagnostics.codes.back(), "bus-both-strobes");
  bench.diagnostics.codes.clear();
  bench.run_to("fights");
  EXPECT_EQ(bench.diagnostics.codes, (std::vector<std::string>{"bus-not-driven", "pin-contention"}));
}

}  // namespace
}  // namespace avrlan::testing
