// The external memory interface: cycles, sectors, mirrors, devices. ATmega128 datasheet (2467) and ATmega640/1280/1281/2560/2561
// datasheet (2549), sections "SRAM Data Memory" and "External Memory Interface".

#include <gtest/gtest.h>

#include <map>

#include "tests/accuracy/cpu/rig.hpp"

namespace avrlan::cpu::test {
namespace {

constexpr std::uint32_t kMain = 0x100;
constexpr std::uint16_t kMcucr = 0x55, kXmcra = 0x6D, kXmcrb = 0x6C;  // ATmega128

// Cycles on top of those in internal memory, by the wait states programmed: one byte, and the program counter on the stack.
constexpr int kByte[] = {1, 2, 3, 4};
constexpr int kProgramCounter[] = {3, 5, 7, 9};

class Board {
 public:
  explicit Board(const char* mcu) : rig(mcu), wide(rig.avr().address_size == 3) {
    rig.space().add_ram(0x0000, 0xFFFF);
    rig.set_pc(kMain);
    rig.data()[16] = 0x5A;
  }

  // The same number of waits in both sectors, and SRE.
  void enable(unsigned waits) {
    if (wide) {
      write(0x74, static_cast<std::uint8_t>(0x80 | waits << 2 | waits));
    } else {
      write(kXmcra, static_cast<std::uint8_t>((waits & 2) | waits << 2));
      write(kMcucr, static_cast<std::uint8_t>(0x80 | (waits & 1) << 6));
    }
  }
  // By an instruction, as firmware does it.
  void write(std::uint16_t address, std::uint8_t value) {
    const std::uint8_t kept = rig.data()[31];
    rig.load(0x10, {op::sts(31), address});
    rig.data()[31] = value;
    rig.set_pc(0x10);
    rig.step();
    rig.data()[31] = kept;
    rig.set_pc(kMain);
  }
  std::int64_t time(std::initializer_list<std::uint16_t> program) {
    rig.load(kMain, program);
    rig.set_pc(kMain);
    return rig.step();
  }

  Rig rig;
  bool wide;
};

class ExternalMemoryCycles : public testing::TestWithParam<std::tuple<const char*, unsigned>> {};

TEST_P(ExternalMemoryCycles, AreTheDatasheets) {
  const auto [mcu, waits] = GetParam();
  Board board(mcu);
  Rig& rig = board.rig;
  board.enable(waits);
  const int byte = 2 + kByte[waits];
  rig.set_pair(26, 0x8000);
  rig.set_pair(28, 0x8000);
  rig.set_pair(30, 0x8000);
  EXPECT_EQ(board.time({0x920C}), byte) << "ST X";
  EXPECT_EQ(board.time({0x920D}), byte) << "ST X+";
  EXPECT_EQ(board.time({0x920E}), byte) << "ST -X";
  EXPECT_EQ(board.time({0x9209}), byte) << "ST Y+";
  EXPECT_EQ(board.time({0x920A}), byte) << "ST -Y";
  EXPECT_EQ(board.time({0x8209}), byte) << "STD Y+1";
  EXPECT_EQ(board.time({0x9201}), byte) << "ST Z+";
  EXPECT_EQ(board.time({0x9202}), byte) << "ST -Z";
  EXPECT_EQ(board.time({0x8201}), byte) << "STD Z+1";
  EXPECT_EQ(board.time({op::sts(0), 0x9000}), byte) << "STS";
  EXPECT_EQ(board.time({0x900C}), byte) << "LD X";
  EXPECT_EQ(board.time({0x900D}), byte) << "LD X+";
  EXPECT_EQ(board.time({0x900E}), byte) << "LD -X";
  EXPECT_EQ(board.time({0x9009}), byte) << "LD Y+";
  EXPECT_EQ(board.time({0x900A}), byte) << "LD -Y";
  EXPECT_EQ(board.time({0x8009}), byte) << "LDD Y+1";
  EXPECT_EQ(board.time({0x9001}), byte) << "LD Z+";
  EXPECT_EQ(board.time({0x9002}), byte) << "LD -Z";
  EXPECT_EQ(board.time({0x8001}), byte) << "LDD Z+1";
  EXPECT_EQ(board.time({op::lds(0), 0x9000}), byte) << "LDS";
  EXPECT_EQ(board.time({op::sts(0), 0x0300}), 2) << "internal memory stays fast";

  rig.set_sp(0x7FFF);
  EXPECT_EQ(board.time({op::push(16)}), byte) << "PUSH";
  EXPECT_EQ(rig.space().peek(0x7FFF), 0x5A);
  EXPECT_EQ(board.time({op::pop(17)}), byte) << "POP";
  EXPECT_EQ(rig.data()[17], 0x5A);

  const int wide = board.wide ? 1 : 0;
  EXPECT_EQ(board.time({op::rcall(1)}), 3 + wide + kProgramCounter[waits]) << "RCALL";
  EXPECT_EQ(rig.space().peek(0x7FFF), (kMain + 1) & 0xFF);
  EXPECT_EQ(board.time({op::ret}), 4 + wide + kProgramCounter[waits]) << "RET";
  EXPECT_EQ(rig.pc(), kMain + 1);
  rig.set_pair(30, 0x0200);
  EXPECT_EQ(board.time({op::icall}), 3 + wide + kProgramCounter[waits]) << "ICALL";
  EXPECT_EQ(board.time({op::call, 0x0200}), 4 + wide + kProgramCounter[waits]) << "CALL";
  EXPECT_EQ(board.time({op::reti}), 4 + wide + kProgramCounter[waits]) << "RETI";
  EXPECT_EQ(rig.pc(), kMain + 2);

  rig.set_sreg(0x80);
  rig.set_pc(kMain);
  rig.request_at(rig.cycle() + 2, 1);
  board.rig.load(kMain, {op::nop, op::nop, op::nop, op::nop});
  const std::int64_t start = rig.cycle();
  while (rig.pc() != 1U * rig.avr().vector_size / 2) rig.step();
  EXPECT_EQ(rig.cycle() - start, 2 + 4 + wide + kProgramCounter[waits]) << "interrupt";
  EXPECT_TRUE(rig.faults.empty());
}

INSTANTIATE_TEST_SUITE_P(Waits, ExternalMemoryCycles,
                         testing::Combine(testing::Values("atmega128", "atmega2560"), testing::Range(0U, 4U)));

TEST(ExternalMemory, SectorsHaveTheirOwnWaits) {
  // SRL2:0, and the first address of the upper sector.
  for (unsigned srl = 0; srl < 8; ++srl) {
    const unsigned upper = srl == 0 ? 0x1100 : srl * 0x2000;
    Board board("atmega128");
    board.write(kXmcra, static_cast<std::uint8_t>(srl << 4 | 2U << 2 | 2U));  // two waits below, three above
    board.write(kMcucr, 0xC0);
    if (upper > 0x1100) {
      EXPECT_EQ(board.time({op::lds(0), static_cast<std::uint16_t>(upper - 1)}), 2 + 3) << srl;
    }
    EXPECT_EQ(board.time({op::lds(0), static_cast<std::uint16_t>(upper)}), 2 + 4) << srl;
    EXPECT_EQ(board.time({op::lds(0), 0x10FF}), 2) << "internal";
    EXPECT_TRUE(board.rig.faults.empty());
  }
}

TEST(ExternalMemory, TheStackHasTheWaitsOfItsSector) {
  for (unsigned lower = 0; lower < 4; ++lower) {
    for (unsigned upper = 0; upper < 4; ++upper) {
      Board board("atmega128");
      board.write(kXmcra,
                  static_cast<std::uint8_t>(4U << 4 | lower << 2 | (upper & 2)));  // the upper one from 0x8000 on
      board.write(kMcucr, static_cast<std::uint8_t>(0x80 | (upper & 1) << 6));
      const std::pair<std::uint16_t, unsigned> stacks[] = {{0x7FFF, lower}, {0x8FFF, upper}};
      for (const auto& [top, waits] : stacks) {
        board.rig.set_sp(top);
        EXPECT_EQ(board.time({op::push(16)}), 2 + kByte[waits]) << top;
        EXPECT_EQ(board.time({op::pop(17)}), 2 + kByte[waits]) << top;
        EXPECT_EQ(board.time({op::rcall(1)}), 3 + kProgramCounter[waits]) << top;
        EXPECT_EQ(board.time({op::ret}), 4 + kProgramCounter[waits]) << top;
        EXPECT_EQ(board.time({op::call, 0x0200}), 4 + kProgramCounter[waits]) << top;
        EXPECT_EQ(board.time({op::reti}), 4 + kProgramCounter[waits]) << top;
      }
      board.rig.set_sp(0x10FF);
      EXPECT_EQ(board.time({op::push(16)}), 2) << "internal";
      EXPECT_EQ(board.time({op::rcall(1)}), 3);
      EXPECT_EQ(board.time({op::ret}), 4);
    }
  }
}

TEST(ExternalMemory, ReleasedAddressLinesMirrorWhatIsBelow) {
  Board board("atmega128");
  board.enable(0);
  board.write(kXmcrb, 0x01);  // XMM: A15 is a pin of port C
  board.rig.data()[0] = 0x42;
  EXPECT_EQ(board.time({op::sts(0), 0x8200}), 3) << "the cell at 0x0200, hidden under internal memory otherwise";
  EXPECT_EQ(board.time({op::lds(1), 0x0200}), 2);
  EXPECT_NE(board.rig.data()[1], 0x42) << "internal memory answers there";
  board.write(kXmcrb, 0x00);
  board.time({op::lds(2), 0x8200});
  EXPECT_NE(board.rig.data()[2], 0x42) << "another cell with all lines driven";
  board.write(kXmcrb, 0x07);
  board.time({op::lds(3), 0x1200});
  EXPECT_EQ(board.rig.data()[3], 0) << "the cell at 0x0000";
}

TEST(ExternalMemory, NothingAnswersWhileItIsOff) {
  Board board("atmega128");
  EXPECT_EQ(board.time({op::lds(0), 0x8000}), 2);
  EXPECT_EQ(board.rig.halt(), Halt::crashed);
  ASSERT_EQ(board.rig.faults.size(), 1U);
  EXPECT_EQ(board.rig.faults[0].kind, FaultKind::wild_load);
  EXPECT_EQ(board.rig.faults[0].address, 0x8000U);
}

TEST(ExternalMemory, IsOffAgainAfterAReset) {
  Board board("atmega128");
  board.rig.load(0, {op::lds(0), 0x8000});
  board.enable(0);
  EXPECT_EQ(board.time({op::lds(0), 0x8000}), 3);
  // What simavr's watchdog does; its own callback puts avr_t::run back.
  static avr_run_t kept;
  kept = board.rig.avr().run;
  board.rig.avr().run = [](avr_t* avr) {
    avr->run = kept;
    avr_reset(avr);
  };
  board.rig.set_pc(kMain);
  board.rig.step();
  EXPECT_EQ(board.rig.halt(), Halt::crashed);
}

struct Latch : BusDevice {
  std::map<std::uint16_t, std::uint8_t> cells;
  std::vector<std::int64_t> times;
  avr_t* avr = nullptr;
  std::uint8_t read(std::uint16_t address) override {
    times.push_back(static_cast<std::int64_t>(avr->cycle));
    return cells[address];
  }
  void write(std::uint16_t address, std::uint8_t value) override {
    times.push_back(static_cast<std::int64_t>(avr->cycle));
    cells[address] = value;
  }
  std::uint8_t peek(std::uint16_t address) const override { return cells.at(address); }
};

TEST(ExternalMemory, DevicesAnswerOnTheirPages) {
  Board board("atmega128");
  Latch latch;
  latch.avr = &board.rig.avr();
  board.rig.space().add_device(0x8300, 0x83FF, latch);
  board.enable(1);
  board.rig.data()[0] = 0x42;
  const std::int64_t start = board.rig.cycle();
  EXPECT_EQ(board.time({op::sts(0), 0x8305}), 4);
  EXPECT_EQ(latch.cells.at(0x8305), 0x42);
  EXPECT_EQ(board.time({op::lds(1), 0x8305}), 4);
  EXPECT_EQ(board.rig.data()[1], 0x42);
  EXPECT_EQ(latch.times, (std::vector<std::int64_t>{start, start + 4})) << "at the start of each";
  EXPECT_EQ(board.rig.space().peek(0x8305), 0x42);
  EXPECT_EQ(latch.times.size(), 2U) << "a peek is no access";
  board.time({op::sts(0), 0x8400});
  EXPECT_EQ(latch.cells.size(), 1U);
}

}  // namespace
}  // namespace avrlan::cpu::test
