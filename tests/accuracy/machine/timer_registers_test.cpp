// Random programs that store to and load from the registers of a timer, against a model that takes every clock cycle:
// prescaler, TEMP, write-1-to-clear, the cycle at which each instruction stores and samples.

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "emulator/peripherals/timer_layout.hpp"
#include "tests/accuracy/machine/bench.hpp"
#include "tests/accuracy/machine/timer_reference.hpp"

namespace avrlan::testing {
namespace {

using peripherals::TimerLayout;
using peripherals::TimersLayout;

// A program of which the model knows every instruction.
class Program {
 public:
  Program(std::mt19937& random, const TimersLayout& all, const TimerLayout& timer) : random_(random), at_(timer) {
    std::vector<int> registers = {timer.tccra, timer.tccrb, timer.tcnt, timer.tcnt, timer.overflow.flag.address};
    for (const auto& channel : timer.channels) {
      registers.push_back(channel.ocr);
      if (timer.wide) registers.push_back(channel.ocr + 1);
    }
    if (timer.wide) registers.push_back(timer.tcnt + 1);
    if (timer.icr != 0) registers.insert(registers.end(), {timer.icr, timer.icr + 1});
    registers_ = registers;
    prescaler_ = all.prescaler_register;
    reset_ = timer.own_prescaler() ? all.reset_own : all.reset_shared;
    hold_ = all.hold;
  }

  struct Instruction {
    enum class Kind { nop, store, load } kind;
    int address = 0;
    int value = 0;
    bool io = false;  // IN and OUT instead of LDS and STS
  };

  std::vector<Instruction> instructions;
  Firmware firmware;

  void make(int count) {
    for (int n = 0; n < count; ++n) {
      switch (below(4)) {
        case 0:
          for (int nops = below(12); nops > 0; --nops) nop();
          break;
        case 1:
          load(registers_[static_cast<unsigned>(below(static_cast<int>(registers_.size())))]);
          load(below(2) == 0 ? at_.tcnt : at_.overflow.flag.address);
          break;
        default:
          store_something();
      }
    }
    word(0xcfff);  // rjmp .-2
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void word(int opcode) {
    firmware.flash.push_back(static_cast<std::uint8_t>(opcode));
    firmware.flash.push_back(static_cast<std::uint8_t>(opcode >> 8));
  }
  void nop() {
    word(0);
    instructions.push_back({Instruction::Kind::nop});
  }
  void load(int address) {
    const bool io = address < 0x60 && below(2) == 0;
    if (io) {
      word(0xb000 | ((address - 0x20) & 0x30) << 5 | 17 << 4 | ((address - 0x20) & 0x0f));  // in r17, address
    } else {
      word(0x9000 | 17 << 4);  // lds r17, address
      word(address);
    }
    instructions.push_back({Instruction::Kind::load, address, 0, io});
  }
  void store(int address, int value) {
    word(0xe000 | (value & 0xf0) << 4 | (value & 0x0f));  // ldi r16, value
    instructions.push_back({Instruction::Kind::nop});
    const bool io = address < 0x60 && below(2) == 0;
    if (io) {
      word(0xb800 | ((address - 0x20) & 0x30) << 5 | 16 << 4 | ((address - 0x20) & 0x0f));
    } else {
      word(0x9200 | 16 << 4);
      word(address);
    }
    instructions.push_back({Instruction::Kind::store, address, value, io});
  }
  void store_something() {
    if (below(16) == 0) {
      store(prescaler_, reset_ | (below(2) == 0 ? hold_ : 0));
      return;
    }
    const int address = registers_[static_cast<unsigned>(below(static_cast<int>(registers_.size())))];
    int value = below(10);
    if (below(4) == 0) value = below(256);
    if (address == at_.tccrb)
      value = (below(256) & ~7) | std::array{0, 1, 1, 1, 1, 1, 2, 2, 3}[static_cast<unsigned>(below(9))];
    if (address == at_.tccra && address != at_.tccrb) value = below(256);
    // Mostly counts of a few, so that something happens.
    if (at_.wide && below(8) != 0 && address != at_.tccra && address != at_.tccrb &&
        address != at_.overflow.flag.address && address % 2 == 1)
      value = below(8) == 0 ? 0xff : 0;
    store(address, value);
  }

  std::mt19937& random_;
  const TimerLayout& at_;
  std::vector<int> registers_;
  int prescaler_, reset_, hold_;
};

struct Case {
  const char* mcu;
  char timer;
};

// Of TIFR, the bits of this timer.
int mask(const TimerLayout& timer, int address) {
  if (address != timer.overflow.flag.address) return 0xff;
  int bits = timer.overflow.flag.mask | (timer.capture.vector != 0 ? timer.capture.flag.mask : 0);
  for (const auto& channel : timer.channels) {
    if (channel.compare.flag.address == address) bits |= channel.compare.flag.mask;
  }
  return bits;
}

class TimerRegisters : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Mcus, TimerRegisters,
                         ::testing::Values(Case{"atmega328p", '0'}, Case{"atmega328p", '1'}, Case{"atmega328p", '2'},
                                           Case{"atmega2560", '5'}, Case{"atmega32u4", '3'}, Case{"atmega1284p", '3'},
                                           Case{"atmega8", '0'}, Case{"atmega8", '1'}, Case{"atmega8", '2'},
                                           Case{"atmega32", '0'}, Case{"atmega128", '0'}, Case{"atmega128", '1'},
                                           Case{"atmega128", '2'}, Case{"atmega128", '3'}),
                         [](const auto& test) { return std::string{test.param.mcu} + "_timer" + test.param.timer; });

TEST_P(TimerRegisters, BehaveAsAModelThatTakesEveryCycle) {
  const std::string mcu = GetParam().mcu;
  const TimersLayout all = peripherals::timers_layout(mcu);
  const auto timer = std::find_if(all.timers.begin(), all.timers.end(),
                                  [&](const auto& candidate) { return candidate.name == GetParam().timer; });
  ASSERT_NE(timer, all.timers.end());
  std::mt19937 random(static_cast<unsigned>(GetParam().timer) + static_cast<unsigned>(mcu.size()));
  for (int run = 0; run < 40; ++run) {
    Program program(random, all, *timer);
    program.make(mcu == "atmega8" ? 300 : 600);
    Bench bench(program.firmware, board_with(mcu));
    ReferenceTimer reference(all, *timer);
    using Kind = Program::Instruction::Kind;
    for (std::size_t n = 0; n < program.instructions.size(); ++n) {
      const auto& instruction = program.instructions[n];
      int expected = -1;
      if (instruction.kind == Kind::nop) {
        reference.edge();
      } else if (instruction.kind == Kind::store) {
        if (!instruction.io) reference.edge();
        reference.edge_with_store(instruction.address, instruction.value);
      } else {
        if (!instruction.io) reference.edge();
        expected = reference.load(instruction.address);
        reference.edge();
      }
      bench.step();
      if (expected < 0) continue;
      ASSERT_EQ(bench.reg(17) & mask(*timer, instruction.address), expected)
          << "run " << run << " instruction " << n << " at cycle " << bench.machine.cycle().count << ", address 0x"
          << std::hex << instruction.address;
    }
  }
}

}  // namespace
}  // namespace avrlan::testing
