// Every row of instruction_times.def, assembled by avr-as and timed on cores with a 16-bit and with a 22-bit program counter.

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <ostream>

#include "tests/accuracy/cpu/rig.hpp"

namespace avrlan::cpu::test {
namespace {

struct Form {
  const char* form;
  std::uint8_t flags;
  int cycles_16;
  int cycles_22;
  const char* assembly;
};

constexpr Form kForms[] = {
#define FORM(form, flags, cycles_16, cycles_22, ...) {form, flags, cycles_16, cycles_22, #__VA_ARGS__},
#include "tests/accuracy/cpu/instruction_times.def"
#undef FORM
};

constexpr std::uint32_t kCellWords = 8;
constexpr std::uint32_t kFirstCell = 0x800;  // in words: room for jumps backwards, and 0x100 is a target

struct Core16or22 {
  const char* mcu;
  bool extended_load;  // ELPM
  bool wide;           // 22-bit program counter
};
std::ostream& operator<<(std::ostream& out, const Core16or22& core) {
  return out << core.mcu;
}

std::vector<std::uint16_t> cells() {
  std::ifstream in(AVRLAN_CELLS, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::uint16_t> words;
  for (std::size_t n = 0; n + 1 < bytes.size(); n += 2) {
    words.push_back(
        static_cast<std::uint16_t>(static_cast<std::uint8_t>(bytes[n]) | static_cast<std::uint8_t>(bytes[n + 1]) << 8));
  }
  return words;
}

class InstructionTimes : public testing::TestWithParam<Core16or22> {};

TEST_P(InstructionTimes, AreTheManuals) {
  const Core16or22 core = GetParam();
  Rig rig(core.mcu);
  const auto words = cells();
  ASSERT_EQ(words.size(), std::size(kForms) * kCellWords) << "one cell a row";
  rig.load(kFirstCell, words);

  for (std::uint32_t row = 0; row < std::size(kForms); ++row) {
    const Form& form = kForms[row];
    const int expected = core.wide ? form.cycles_22 : form.cycles_16;
    const bool elpm = std::string(form.form).starts_with("ELPM");
    if (expected == 0 || (elpm && !core.extended_load)) continue;
    rig.data()[16] = rig.data()[18] = 0x5A;
    rig.data()[17] = 0xA5;
    for (const auto pair : {std::uint16_t{26}, std::uint16_t{28}, std::uint16_t{30}}) rig.set_pair(pair, 0x0300);
    rig.data()[0x3E] = 0x02;
    rig.set_sp(0x0400);
    for (std::uint16_t at = 0x0401; at <= 0x0403; ++at) rig.data()[at] = 0x01;  // what RET returns to
    if (core.wide) rig.data()[0x0401] = 0x00;
    rig.set_sreg(form.flags);
    rig.set_pc(kFirstCell + row * kCellWords);
    EXPECT_EQ(rig.step(), expected) << form.form << ": " << form.assembly;
    EXPECT_EQ(rig.halt(), Halt::none) << form.form;
    EXPECT_TRUE(rig.faults.empty()) << form.form;
  }
}

TEST_P(InstructionTimes, WhatACoreLacksIsIllegal) {
  const Core16or22 core = GetParam();
  Rig rig(core.mcu);
  const auto words = cells();
  rig.load(kFirstCell, words);
  for (std::uint32_t row = 0; row < std::size(kForms); ++row) {
    const Form& form = kForms[row];
    const bool elpm = std::string(form.form).starts_with("ELPM");
    if ((core.wide ? form.cycles_22 : form.cycles_16) != 0 && !(elpm && !core.extended_load)) continue;
    Rig fresh(core.mcu);
    fresh.load(kFirstCell, words);
    fresh.set_pc(kFirstCell + row * kCellWords);
    fresh.step();
    EXPECT_EQ(fresh.halt(), Halt::crashed) << form.form;
    ASSERT_EQ(fresh.faults.size(), 1U) << form.form;
    EXPECT_EQ(fresh.faults[0].kind, FaultKind::illegal_opcode);
    EXPECT_EQ(fresh.faults[0].value, words[row * kCellWords]);
  }
}

INSTANTIATE_TEST_SUITE_P(Cores, InstructionTimes,
                         testing::Values(Core16or22{"atmega328p", false, false}, Core16or22{"atmega1284p", true, false},
                                         Core16or22{"atmega128", true, false}, Core16or22{"atmega2560", true, true}),
                         [](const auto& core) { return std::string(core.param.mcu); });

}  // namespace
}  // namespace avrlan::cpu::test
