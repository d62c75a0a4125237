// The exact engine's contract: ends, limits, faults, memory, bits of I/O registers, self-programming, breakpoints, observers.

#include <gtest/gtest.h>
#include <simavr/avr_ioport.h>

#include "emulator/cpu/interpreter.hpp"
#include "tests/accuracy/cpu/rig.hpp"

namespace avrlan::cpu::test {
namespace {

constexpr std::uint32_t kMain = 0x100;

class Engine328 : public testing::Test {
 protected:
  explicit Engine328(ExactOptions options = {}) : rig("atmega328p", options) {
    rig.set_pc(kMain);
    rig.set_sp(0x0400);
  }
  Rig rig;
};

TEST_F(Engine328, AnInstructionThatStartsAtTheLimitIsNotExecuted) {
  rig.load(kMain, {op::nop, op::mul(16, 17), op::nop});
  EXPECT_EQ(rig.run_to(1), Halt::none);
  EXPECT_EQ(rig.pc(), kMain + 1);
  EXPECT_EQ(rig.run_to(2), Halt::none);
  EXPECT_EQ(rig.cycle(), 3) << "whole instructions";
  EXPECT_EQ(rig.run_to(3), Halt::none);
  EXPECT_EQ(rig.cycle(), 3);
}

TEST_F(Engine328, AJumpToItselfWithInterruptsOffEnds) {
  for (const bool two_words : {false, true}) {
    rig.set_pc(kMain);
    rig.set_sreg(0x80);
    if (two_words) {
      rig.load(kMain, {op::cli, op::jmp, kMain + 1});
    } else {
      rig.load(kMain, {op::cli, op::rjmp(-1)});
    }
    const std::int64_t start = rig.cycle();
    EXPECT_EQ(rig.run_to(start + 1000), Halt::jump_to_self);
    EXPECT_EQ(rig.cycle(), start + 1) << "the jump itself is not executed";
    EXPECT_EQ(rig.pc(), kMain + 1);
  }
}

TEST_F(Engine328, AJumpToItselfWithInterruptsOnWaitsExactly) {
  rig.load(kMain, {op::rjmp(-1)});
  rig.load(2, {op::nop});
  rig.set_sreg(0x80);
  rig.request_at(1001, 1);
  EXPECT_EQ(rig.run_to(1005), Halt::none);
  EXPECT_EQ(rig.cycle(), 1002 + 4) << "each jump takes two cycles; the one from 1000 on is completed first";
  EXPECT_EQ(rig.pc(), 2U);
}

struct Shorten {
  Rig* rig;
  std::int64_t at;
};

TEST_F(Engine328, AnIoHandlerCanShortenTheRun) {
  rig.load(kMain, {op::nop, op::out(0x1E, 16), op::nop, op::nop, op::nop, op::nop});
  Shorten shorten{&rig, 4};
  rig.avr().io[0x1E].w.param = &shorten;
  rig.avr().io[0x1E].w.c = [](avr_t*, avr_io_addr_t, std::uint8_t, void* param) {
    const auto& self = *static_cast<Shorten*>(param);
    self.rig->engine().shorten(Cycles{self.at});
  };
  EXPECT_EQ(rig.run_to(1'000'000), Halt::none);
  EXPECT_EQ(rig.cycle(), 4);
}

std::uint8_t cycle_low(avr_t* avr, avr_io_addr_t, void*) {
  return static_cast<std::uint8_t>(avr->cycle);
}

TEST_F(Engine328, IoHandlersSeeTheStartOfTheirInstruction) {
  rig.load(kMain, {op::in(20, 0x1E), op::lds(21), 0x3E, op::ld_x(22), op::in(23, 0x1E)});
  rig.set_pair(26, 0x003E);
  rig.avr().io[0x1E].r.c = &cycle_low;
  rig.run_to(6);
  EXPECT_EQ(rig.data()[20], 0);
  EXPECT_EQ(rig.data()[21], 1);
  EXPECT_EQ(rig.data()[22], 3);
  EXPECT_EQ(rig.data()[23], 5);
}

// EEPROM: the CPU is halted for four cycles after a read is started.
TEST_F(Engine328, AnIoHandlerCanStallTheCpu) {
  rig.load(kMain, {op::out(0x1E, 16), op::in(20, 0x1E), op::nop});
  rig.avr().io[0x1E].w.c = [](avr_t* avr, avr_io_addr_t, std::uint8_t, void*) { avr->cycle += 4; };
  rig.avr().io[0x1E].r.c = &cycle_low;
  rig.run_to(6);
  EXPECT_EQ(rig.cycle(), 6);
  EXPECT_EQ(rig.data()[20], 1 + 4);
  EXPECT_EQ(rig.engine().totals().active.count, 6);
}

TEST_F(Engine328, SbiOnPinxTogglesOnePin) {
  rig.data()[0x25] = 0b1010'0000;  // PORTB
  rig.load(kMain, {op::sbi(0x03, 5), op::sbi(0x03, 0), op::cbi(0x03, 7)});
  rig.run_to(6);
  EXPECT_EQ(rig.data()[0x25], 0b1000'0001);
}

TEST(Mega128, PinxCannotBeWritten) {
  Rig rig("atmega128");
  rig.set_pc(kMain);
  rig.data()[0x38] = 0x0F;  // PORTB
  rig.data()[16] = 0xFF;
  rig.load(kMain, {op::out(0x16, 16), op::sbi(0x16, 7)});
  rig.run_to(3);
  EXPECT_EQ(rig.data()[0x38], 0x0F);
}

TEST_F(Engine328, IoRegisterIrqsAreRaisedOnEveryAccess) {
  std::vector<std::uint32_t> seen;
  avr_irq_register_notify(
      avr_iomem_getirq(&rig.avr(), 0x3E, nullptr, AVR_IOMEM_IRQ_ALL),
      [](avr_irq_t*, std::uint32_t value, void* to) { static_cast<std::vector<std::uint32_t>*>(to)->push_back(value); },
      &seen);
  rig.data()[16] = 0x41;
  rig.load(kMain, {op::out(0x1E, 16), op::in(17, 0x1E), op::sbi(0x1E, 1)});
  rig.run_to(4);
  EXPECT_EQ(seen, (std::vector<std::uint32_t>{0x41, 0x41, 0x41, 0x43}));
}

// Faults.

TEST_F(Engine328, AnIllegalOpcodeEndsTheRunWithItsPlace) {
  rig.load(kMain, {op::nop, 0xFFFF});
  rig.verdict = Verdict::resume;
  EXPECT_EQ(rig.run_to(100), Halt::crashed);
  ASSERT_EQ(rig.faults.size(), 1U);
  EXPECT_EQ(rig.faults[0].kind, FaultKind::illegal_opcode);
  EXPECT_EQ(rig.faults[0].pc, 2 * (kMain + 1));
  EXPECT_EQ(rig.faults[0].value, 0xFFFF);
  EXPECT_EQ(rig.faults[0].cycle, Cycles{1});
  EXPECT_EQ(rig.pc(), kMain + 1);
  EXPECT_EQ(rig.run_to(200), Halt::crashed);
  EXPECT_EQ(rig.faults.size(), 1U);
}

TEST(Faults, SayWhatToLookFor) {
  const Diagnostic erased = to_diagnostic({FaultKind::illegal_opcode, 0x200, 0x200, 0xFFFF, Cycles{1}});
  EXPECT_EQ(erased.severity, Severity::error);
  EXPECT_EQ(erased.code, "illegal-opcode");
  EXPECT_NE(erased.message.find("erased flash"), std::string::npos);
  const Diagnostic wild = to_diagnostic({FaultKind::wild_store, 0x200, 0x9000, 0x5A, Cycles{1}});
  EXPECT_EQ(wild.code, "wild-access");
  EXPECT_NE(wild.message.find("0x5a to 0x9000"), std::string::npos);
}

TEST_F(Engine328, EveryWayOutOfFlashIsAFault) {
  const struct {
    std::uint32_t at;
    std::vector<std::uint16_t> program;
    std::uint32_t target;  // in words
  } ways[] = {
      {kMain, {op::jmp, 0x4000}, 0x4000}, {kMain, {op::call, 0x5000}, 0x5000},
      {kMain, {op::ijmp}, 0x8123},        {kMain, {op::icall}, 0x8123},
      {kMain, {op::ret}, 0xFFFF},         {kMain, {op::reti}, 0xFFFF},
      {0x3FFF, {op::nop}, 0x4000},        {0x3FFE, {0x13FF /* CPSE r31, r31 */}, 0x4000},
  };
  for (const auto& way : ways) {
    Rig mcu("atmega328p");
    mcu.load(way.at, way.program);
    mcu.set_pc(way.at);
    mcu.set_sp(0x0400);
    mcu.set_pair(30, 0x8123);
    mcu.data()[0x0401] = mcu.data()[0x0402] = 0xFF;
    EXPECT_EQ(mcu.run_to(100), Halt::crashed) << way.program[0];
    ASSERT_EQ(mcu.faults.size(), 1U) << way.program[0];
    EXPECT_EQ(mcu.faults[0].kind, FaultKind::jump_outside_flash);
    EXPECT_EQ(mcu.faults[0].address, 2 * way.target) << way.program[0];
  }
}

TEST_F(Engine328, RelativeJumpsWrapAtTheEndOfFlash) {
  rig.load(0, {op::rjmp(-2)});
  rig.load(0x3FFF, {op::rjmp(5)});
  rig.set_pc(0);
  rig.run_to(2);
  EXPECT_EQ(rig.pc(), 0x3FFFU);
  rig.run_to(4);
  EXPECT_EQ(rig.pc(), 5U);
}

TEST_F(Engine328, WildLoadsAndStoresAreFaults) {
  for (const bool go_on : {false, true}) {
    Rig mcu("atmega328p");
    mcu.verdict = go_on ? Verdict::resume : Verdict::halt;
    mcu.load(kMain, {op::st_x(16), op::ld_x(17), op::nop});
    mcu.set_pc(kMain);
    mcu.set_pair(26, 0x0900);
    mcu.data()[16] = 0x55;
    mcu.data()[17] = 0xAA;
    EXPECT_EQ(mcu.run_to(5), go_on ? Halt::none : Halt::crashed);
    ASSERT_EQ(mcu.faults.size(), go_on ? 2U : 1U);
    EXPECT_EQ(mcu.faults[0].kind, FaultKind::wild_store);
    EXPECT_EQ(mcu.faults[0].address, 0x0900U);
    EXPECT_EQ(mcu.faults[0].value, 0x55);
    if (!go_on) continue;
    EXPECT_EQ(mcu.faults[1].kind, FaultKind::wild_load);
    EXPECT_EQ(mcu.data()[17], 0);
    EXPECT_EQ(mcu.cycle(), 5);
  }
}

TEST_F(Engine328, FlashReadsOutsideAreFaults) {
  rig.verdict = Verdict::resume;
  rig.load(kMain, {op::lpm, op::nop});
  rig.set_pair(30, 0x8000);
  rig.run_to(3);
  ASSERT_EQ(rig.faults.size(), 1U);
  EXPECT_EQ(rig.faults[0].kind, FaultKind::flash_read_outside);
  EXPECT_EQ(rig.data()[0], 0xFF);
}

class StackFloor : public testing::Test {
 protected:
  StackFloor() : rig("atmega328p", {.stack_floor = 0x0200}) {
    rig.set_pc(kMain);
    rig.verdict = Verdict::resume;
  }
  Rig rig;
};

TEST_F(StackFloor, IsReportedOnceWhenAPushPassesIt) {
  rig.load(kMain, {op::push(16), op::push(16), op::push(16), op::nop});
  rig.set_sp(0x0200);
  rig.data()[16] = 0x77;
  rig.run_to(6);
  ASSERT_EQ(rig.faults.size(), 1U);
  EXPECT_EQ(rig.faults[0].kind, FaultKind::stack_overflow);
  EXPECT_EQ(rig.faults[0].address, 0x01FFU);
  EXPECT_EQ(rig.faults[0].cycle, Cycles{2});
  EXPECT_EQ(rig.data()[0x01FE], 0x77) << "and the stack goes on";
}

TEST_F(StackFloor, HoldsForCallsAndInterruptsToo) {
  rig.load(kMain, {op::rcall(0), op::nop});
  rig.set_sp(0x0200);
  rig.run_to(3);
  ASSERT_EQ(rig.faults.size(), 1U);
  EXPECT_EQ(rig.faults[0].address, 0x01FFU);

  Rig second("atmega328p", {.stack_floor = 0x0200});
  second.load(kMain, {op::nop, op::nop});
  second.set_pc(kMain);
  second.set_sp(0x0200);
  second.set_sreg(0x80);
  second.request_at(0, 1);
  EXPECT_EQ(second.run_to(10), Halt::crashed);
  ASSERT_EQ(second.faults.size(), 1U);
  EXPECT_EQ(second.faults[0].kind, FaultKind::stack_overflow);
}

// Self-programming through simavr's flash module: SPMCSR is I/O 0x37.
TEST_F(Engine328, WhatSpmWritesIsExecuted) {
  rig.load(kMain, {op::out(0x37, 16), op::spm,  // erase
                   op::out(0x37, 17), op::spm,  // fill the page buffer
                   op::out(0x37, 18), op::spm,  // write the page
                   op::rjmp(0x200 - kMain - 7)});
  rig.load(0x200, {op::inc(20)});
  rig.data()[16] = 0x03;
  rig.data()[17] = 0x01;
  rig.data()[18] = 0x05;
  rig.data()[20] = 9;
  rig.data()[0] = static_cast<std::uint8_t>(op::dec(20));
  rig.data()[1] = static_cast<std::uint8_t>(op::dec(20) >> 8);
  rig.set_pair(30, 0x400);
  rig.run_to(9);
  EXPECT_EQ(rig.data()[20], 8) << "DEC has taken the place of INC";
  EXPECT_EQ(rig.avr().flash[0x402], 0xFF) << "the rest of the page is erased";
}

TEST_F(Engine328, SpmOutsideFlashTouchesNothing) {
  rig.verdict = Verdict::resume;
  rig.load(kMain, {op::out(0x37, 16), op::spm, op::nop});
  rig.data()[16] = 0x03;
  rig.set_pair(30, 0xFF80);
  rig.run_to(3);
  ASSERT_EQ(rig.faults.size(), 1U);
  EXPECT_EQ(rig.faults[0].kind, FaultKind::flash_write_outside);
}

// A skip's length is decoded with the skip: SPM of the word behind it must reach it too.
TEST_F(Engine328, ChangedFlashChangesTheSkipBeforeIt) {
  rig.load(kMain, {0x1300 /* CPSE r16, r16 */, op::nop, op::nop, op::nop});
  rig.step();
  EXPECT_EQ(rig.pc(), kMain + 2);
  rig.load(kMain + 1, {op::lds(0), 0x300});
  rig.set_pc(kMain);
  EXPECT_EQ(rig.step(), 3);
  EXPECT_EQ(rig.pc(), kMain + 3);
}

TEST_F(Engine328, StopsAtBreakpointsAndGoesOnFromThem) {
  rig.load(kMain, {op::inc(20), op::inc(20), op::inc(20), op::rjmp(-4)});
  rig.data()[20] = 0;
  rig.engine().add_breakpoint(2 * (kMain + 1));
  EXPECT_EQ(rig.run_to(1000), Halt::none);
  EXPECT_TRUE(rig.engine().stopped());
  EXPECT_EQ(rig.pc(), kMain + 1);
  EXPECT_EQ(rig.cycle(), 1);
  EXPECT_EQ(rig.run_to(1000), Halt::none);
  EXPECT_TRUE(rig.engine().stopped());
  EXPECT_EQ(rig.cycle(), 6) << "once round";
  EXPECT_EQ(rig.data()[20], 4);
  rig.engine().remove_breakpoint(2 * (kMain + 1));
  EXPECT_EQ(rig.run_to(1000), Halt::none);
  EXPECT_FALSE(rig.engine().stopped());
  EXPECT_EQ(rig.cycle(), 1000);
}

struct Everything {
  static constexpr bool instructions = true;
  static constexpr bool memory = true;
  static constexpr bool timing = true;
  static constexpr bool calls = true;
  static constexpr bool stack = true;
  static constexpr bool interrupts = true;
  static constexpr bool sleep = true;
  std::vector<std::string> log;
  std::uint32_t stop_at = 0;

  bool instruction(std::uint32_t pc, std::int64_t cycle) {
    if (pc == stop_at) return true;
    log.push_back("at " + std::to_string(pc - kMain) + " in " + std::to_string(cycle));
    return false;
  }
  void load(std::uint16_t address, std::uint8_t) { log.push_back("load " + std::to_string(address)); }
  void store(std::uint16_t address, std::uint8_t value) {
    log.push_back("store " + std::to_string(address) + " " + std::to_string(value));
  }
  void call(std::uint32_t, std::uint32_t to, std::uint16_t sp) {
    log.push_back("call " + std::to_string(to - kMain) + " " + std::to_string(sp));
  }
  void ret(std::uint32_t, std::uint32_t to, std::uint16_t sp) {
    log.push_back("ret " + std::to_string(to - kMain) + " " + std::to_string(sp));
  }
  void push(std::uint16_t sp) { log.push_back("push " + std::to_string(sp)); }
  void stack_set(std::uint16_t address, std::uint16_t sp) {
    log.push_back("stack set by " + std::to_string(address) + " to " + std::to_string(sp));
  }
  void interrupt(const InterruptEntry& entry) {
    log.push_back("interrupt " + std::to_string(entry.vector) + " from " + std::to_string(entry.return_pc - kMain) +
                  " with " + std::to_string(entry.sp) + " in " + std::to_string(entry.started) + " to " +
                  std::to_string(entry.over));
  }
  void taken(std::uint32_t pc) { log.push_back("taken at " + std::to_string(pc - kMain)); }
  void stalled(std::uint32_t pc, std::int64_t cycles) {
    log.push_back("stalled at " + std::to_string(pc - kMain) + " for " + std::to_string(cycles));
  }
  void reset() { log.push_back("reset"); }
  void slept(std::uint32_t, std::int64_t, std::int64_t cycles) { log.push_back("slept " + std::to_string(cycles)); }
};

TEST_F(Engine328, AnObserverSeesInTheOrderOfExecution) {
  rig.load(kMain, {op::rcall(2), op::st_x(16), op::nop, op::push(16), op::pop(17), op::ret});
  rig.set_pair(26, 0x0300);
  rig.data()[16] = 5;
  Everything everything;
  everything.stop_at = kMain + 2;
  rig.engine().observe(instrument(everything));
  EXPECT_EQ(rig.run_to(1000), Halt::none);
  EXPECT_TRUE(rig.engine().stopped());
  EXPECT_EQ(everything.log,
            (std::vector<std::string>{"at 0 in 0", "call 3 1022", "at 3 in 3", "store 1022 5", "push 1021", "at 4 in 5",
                                      "load 1022", "at 5 in 7", "ret 1 1024", "at 1 in 11", "store 768 5"}));
  EXPECT_EQ(rig.pc(), kMain + 2);
  EXPECT_EQ(rig.cycle(), 13);
}

TEST_F(Engine328, AnObserverChangesNoCycle) {
  rig.load(kMain, {op::rcall(1), op::rjmp(-2), op::ret});
  rig.load(2, {op::reti});
  rig.set_sreg(0x80);
  rig.request_at(500, 1);
  Everything everything;
  rig.engine().observe(instrument(everything));
  rig.run_to(1000);

  Rig plain("atmega328p");
  plain.load(kMain, {op::rcall(1), op::rjmp(-2), op::ret});
  plain.load(2, {op::reti});
  plain.set_pc(kMain);
  plain.set_sp(0x0400);
  plain.set_sreg(0x80);
  plain.request_at(500, 1);
  plain.run_to(1000);
  EXPECT_EQ(plain.cycle(), rig.cycle());
  EXPECT_EQ(plain.pc(), rig.pc());
}

TEST_F(Engine328, SregSurvivesEveryValue) {
  rig.load(kMain, {op::out(0x3F, 16), op::in(17, 0x3F), op::rjmp(-3)});
  for (unsigned value = 0; value < 256; ++value) {
    rig.data()[16] = static_cast<std::uint8_t>(value);
    rig.set_pc(kMain);
    rig.run_to(rig.cycle() + 2);
    EXPECT_EQ(rig.data()[17], value);
    EXPECT_EQ(rig.sreg(), value);
  }
}

}  // namespace
}  // namespace avrlan::cpu::test
