#include "emulator/board/call_chain.hpp"

#include <gtest/gtest.h>

#include <map>

namespace avrlan {
namespace {

constexpr std::uint16_t ram_end = 0x8FF;

class CallChain : public testing::Test {
 protected:
  CallChain() {
    firmware.flash.assign(0x1000, 0);
    firmware.functions = {
        {"main", 0x100, 0x40}, {"middle", 0x200, 0x40}, {"middle2", 0x280, 0x40}, {"inner", 0x300, 0x40}};
  }
  void opcode(std::uint32_t at, unsigned value) {
    firmware.flash[at] = static_cast<std::uint8_t>(value);
    firmware.flash[at + 1] = static_cast<std::uint8_t>(value >> 8);
  }
  void call(std::uint32_t at, std::uint32_t target) {
    opcode(at, 0x940E);
    opcode(at + 2, target / 2);
  }
  void jump(std::uint32_t at, std::uint32_t target) {
    opcode(at, 0x940C);
    opcode(at + 2, target / 2);
  }
  void relative(unsigned operation, std::uint32_t at, std::uint32_t target) {
    opcode(at, operation | ((target - at - 2) / 2 & 0xFFF));
  }
  // At the top of the stack so far, as a call leaves it.
  void push(std::uint32_t back) {
    ram[sp--] = static_cast<std::uint8_t>(back / 2);
    ram[sp--] = static_cast<std::uint8_t>(back / 2 >> 8);
    if (wide) ram[sp--] = static_cast<std::uint8_t>(back / 2 >> 16);
  }
  void push_saved(std::uint8_t value) { ram[sp--] = value; }
  std::vector<std::uint32_t> chain(std::uint32_t pc) {
    return call_chain(firmware, pc, sp, ram_end, wide,
                      [this](std::uint16_t at) { return ram.contains(at) ? ram[at] : std::uint8_t{0xFF}; });
  }

  Firmware firmware;
  bool wide = false;
  std::uint16_t sp = ram_end;
  std::map<std::uint16_t, std::uint8_t> ram;
};

TEST_F(CallChain, FindsCallsUnderWhatFunctionsHaveSaved) {
  call(0x110, 0x200);
  relative(0xD000, 0x220, 0x300);  // RCALL
  push(0x114);
  push_saved(0x28);
  push_saved(0x99);
  push(0x222);
  push_saved(0x01);
  EXPECT_EQ(chain(0x304), (std::vector<std::uint32_t>{0x220, 0x110}));
}

TEST_F(CallChain, ReadsThreeOctetsWhereTheProgramCounterIsWide) {
  wide = true;
  call(0x110, 0x200);
  call(0x220, 0x300);
  push(0x114);
  push(0x224);
  EXPECT_EQ(chain(0x304), (std::vector<std::uint32_t>{0x220, 0x110}));
}

TEST_F(CallChain, IsNotMisledByWordsThatReturnElsewhere) {
  call(0x110, 0x300);
  call(0x230, 0x280);  // of another function
  push(0x114);
  push(0x234);
  EXPECT_EQ(chain(0x304), (std::vector<std::uint32_t>{0x110}));
}

TEST_F(CallChain, AcceptsCallsByPointer) {
  opcode(0x110, 0x9509);
  push(0x112);
  EXPECT_EQ(chain(0x304), (std::vector<std::uint32_t>{0x110}));
}

TEST_F(CallChain, FollowsJumpsThatStandForCallAndReturn) {
  call(0x110, 0x200);
  relative(0xC000, 0x210, 0x220);  // inside middle
  jump(0x23C, 0x280);
  relative(0xC000, 0x2A0, 0x300);
  push(0x114);
  EXPECT_EQ(chain(0x304), (std::vector<std::uint32_t>{0x2A0, 0x23C, 0x110}));
}

TEST_F(CallChain, EndsAtMainAndWhereNothingIsFound) {
  call(0x110, 0x100);
  push(0x114);
  EXPECT_TRUE(chain(0x104).empty());
  EXPECT_TRUE(chain(0x304).empty());
  EXPECT_TRUE(chain(0x900).empty()) << "no function";
}

}  // namespace
}  // namespace avrlan
