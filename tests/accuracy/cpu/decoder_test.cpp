// Every 16-bit opcode against binutils' disassembler, which knows nothing of ours: the same instruction, or none on both sides.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "emulator/cpu/decoder.hpp"

namespace avrlan::cpu::test {
namespace {

constexpr CoreFeatures kAll{.multiply = true, .long_jumps = true, .extended_load = true, .extended_call = true};

constexpr const char* kNames[] = {
#define AVRLAN_NAME(name, words, cycles) #name,
    AVRLAN_OPERATIONS(AVRLAN_NAME)
#undef AVRLAN_NAME
};

// binutils' mnemonic for one of our operations: "ld_x_inc" is an "ld", and a few have other names there.
std::string mnemonic(Op op) {
  std::string name = kNames[static_cast<std::size_t>(op)];
  name = name.substr(0, name.find('_'));
  return op == Op::clr ? "eor" : op == Op::illegal ? ".word" : name;
}

std::string theirs(std::string name, std::uint16_t opcode) {
  static const std::pair<const char*, const char*> synonyms[] = {{"brlo", "brcs"}, {"brsh", "brcc"}, {"lsl", "add"},
                                                                 {"rol", "adc"},   {"tst", "and"},   {"ser", "ldi"},
                                                                 {"sbr", "ori"},   {"cbr", "andi"}};
  for (const auto& [from, to] : synonyms) {
    if (name == from) return to;
  }
  // The AVRxm cores alone have these: the disassembler knows no cores.
  for (const auto* xmega : {"xch", "las", "lac", "lat", "des"}) {
    if (name == xmega) return ".word";
  }
  if (opcode == 0x95F8) return ".word";  // SPM Z+
  // Flags other than C, T and I are set and cleared by one operation.
  if ((opcode & 0xFF0F) == 0x9408) {
    const unsigned flag = opcode >> 4 & 7;
    if (flag != 0 && flag != 6 && flag != 7) return opcode & 0x80 ? "bclr" : "bset";
  }
  // Plain indirect is displacement 0.
  if ((name == "ld" || name == "st") && (opcode & 0xD000) == 0x8000) return name + "d";
  return name;
}

TEST(Decoder, AgreesWithBinutilsOnEveryOpcode) {
  std::ifstream listing(AVRLAN_LISTING);
  ASSERT_TRUE(listing) << AVRLAN_LISTING;
  std::uint32_t next = 0;
  std::string line;
  while (std::getline(listing, line)) {
    // "   3fc:<TAB>9f 00       <TAB>.word 0x009f": one opcode each four bytes, its operand word zero.
    const auto first = line.find(":\t");
    const auto second = line.find('\t', first + 2);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto address = std::stoul(line.substr(0, first), nullptr, 16);
    if (address % 4 != 0) continue;
    const auto opcode = static_cast<std::uint16_t>(address / 4);
    ASSERT_EQ(opcode, next++) << line;
    std::istringstream text(line.substr(second + 1));
    std::string name;
    text >> name;

    const std::uint8_t flash[] = {
        static_cast<std::uint8_t>(opcode), static_cast<std::uint8_t>(opcode >> 8), 0, 0, 0, 0};
    const Decoder decoder({flash, sizeof flash}, kAll);
    const Op op = decoder.slots()[0].op;
    if (op == Op::outside_flash) {
      EXPECT_TRUE(name == "jmp" || name == "call") << line;
      EXPECT_NE(opcode & 0x01F1, 0) << "three words of flash have no such target, except with k21:16 = 0: " << line;
    } else {
      EXPECT_EQ(mnemonic(op), theirs(name, opcode)) << line;
    }
  }
  EXPECT_EQ(next, 0x10000U);
}

TEST(Decoder, CoresLackWhatTheyLack) {
  const auto op = [](std::uint16_t opcode, CoreFeatures features) {
    const std::uint8_t flash[] = {static_cast<std::uint8_t>(opcode), static_cast<std::uint8_t>(opcode >> 8), 0, 0};
    return Decoder({flash, sizeof flash}, features).slots()[0].op;
  };
  for (const std::uint16_t opcode :
       {std::uint16_t{0x9C00}, std::uint16_t{0x0200}, std::uint16_t{0x0300}, std::uint16_t{0x0388},
        std::uint16_t{0x940C}, std::uint16_t{0x940E}, std::uint16_t{0x95D8}, std::uint16_t{0x9006},
        std::uint16_t{0x9007}, std::uint16_t{0x9419}, std::uint16_t{0x9519}}) {
    EXPECT_EQ(op(opcode, CoreFeatures{}), Op::illegal) << std::hex << opcode;
    EXPECT_NE(op(opcode, kAll), Op::illegal) << std::hex << opcode;
  }
}

TEST(Decoder, ATwoWordInstructionNeedsBothWords) {
  const std::uint8_t flash[] = {0x00, 0x90};  // LDS without its address
  const Decoder decoder({flash, sizeof flash}, kAll);
  EXPECT_EQ(decoder.slots()[0].op, Op::outside_flash);
  for (std::uint32_t guard = 0; guard < Decoder::kGuardSlots; ++guard) {
    EXPECT_EQ(decoder.slots()[1 + guard].op, Op::outside_flash);
  }
}

}  // namespace
}  // namespace avrlan::cpu::test
