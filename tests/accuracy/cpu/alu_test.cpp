// Results and flags of the arithmetic and logic instructions for every operand and carry, against the Boolean formulas that
// DS40002198B section 6 gives for each: neither the engine's way of keeping flags nor simavr's.

#include <gtest/gtest.h>

#include <functional>

#include "tests/accuracy/cpu/rig.hpp"

namespace avrlan::cpu::test {
namespace {

constexpr unsigned C = 1, Z = 2, N = 4, V = 8, S = 16, H = 32;
constexpr std::uint32_t kMain = 0x100;

bool bit(unsigned value, unsigned n) {
  return (value >> n & 1) != 0;
}

struct Outcome {
  unsigned result;
  unsigned sreg;
};

unsigned sign(unsigned sreg) {
  return ((sreg & N) != 0) != ((sreg & V) != 0) ? sreg | S : sreg & ~S;
}
unsigned pick(unsigned sreg, unsigned flag, bool value) {
  return value ? sreg | flag : sreg & ~flag;
}
unsigned zero_negative(unsigned sreg, unsigned r) {
  return pick(pick(sreg, Z, r == 0), N, bit(r, 7));
}

Outcome addition(unsigned rd, unsigned rr, unsigned carry, unsigned sreg) {
  const unsigned r = (rd + rr + carry) & 0xFF;
  const auto out = [&](unsigned n) {
    return (bit(rd, n) && bit(rr, n)) || (bit(rr, n) && !bit(r, n)) || (!bit(r, n) && bit(rd, n));
  };
  sreg = pick(pick(sreg, H, out(3)), C, out(7));
  sreg = pick(sreg, V, (bit(rd, 7) && bit(rr, 7) && !bit(r, 7)) || (!bit(rd, 7) && !bit(rr, 7) && bit(r, 7)));
  return {r, sign(zero_negative(sreg, r))};
}
Outcome subtraction(unsigned rd, unsigned rr, unsigned carry, unsigned sreg) {
  const unsigned r = (rd - rr - carry) & 0xFF;
  const auto out = [&](unsigned n) {
    return (!bit(rd, n) && bit(rr, n)) || (bit(rr, n) && bit(r, n)) || (bit(r, n) && !bit(rd, n));
  };
  sreg = pick(pick(sreg, H, out(3)), C, out(7));
  sreg = pick(sreg, V, (bit(rd, 7) && !bit(rr, 7) && !bit(r, 7)) || (!bit(rd, 7) && bit(rr, 7) && bit(r, 7)));
  return {r, sign(zero_negative(sreg, r))};
}
Outcome chained_subtraction(unsigned rd, unsigned rr, unsigned carry, unsigned sreg) {
  Outcome outcome = subtraction(rd, rr, carry, sreg);
  outcome.sreg = pick(outcome.sreg, Z, outcome.result == 0 && (sreg & Z) != 0);
  return outcome;
}
Outcome logic(unsigned r, unsigned sreg) {
  return {r & 0xFF, sign(pick(zero_negative(sreg, r & 0xFF), V, false))};
}
Outcome shift(unsigned rd, unsigned r, unsigned sreg) {
  sreg = pick(zero_negative(sreg, r), C, bit(rd, 0));
  return {r, sign(pick(sreg, V, bit(r, 7) != bit(rd, 0)))};
}

// Rd = r16, Rr = r17.
struct TwoOperands {
  const char* name;
  std::uint16_t opcode;
  bool keeps;  // Rd, as a comparison does
  std::function<Outcome(unsigned rd, unsigned rr, unsigned sreg)> manual;
};

class Alu : public testing::Test {
 protected:
  Alu() : rig("atmega328p") {}
  std::uint8_t execute(std::uint16_t opcode, unsigned sreg) {
    if (opcode != loaded_) rig.load(kMain, {opcode});
    loaded_ = opcode;
    rig.set_pc(kMain);
    rig.set_sreg(static_cast<std::uint8_t>(sreg));
    rig.step();
    return rig.sreg();
  }
  Rig rig;

 private:
  std::uint16_t loaded_ = 0;
};

TEST_F(Alu, TwoRegisters) {
  const TwoOperands instructions[] = {
      {"ADD", 0x0F01, false, [](unsigned d, unsigned r, unsigned s) { return addition(d, r, 0, s); }},
      {"ADC", 0x1F01, false, [](unsigned d, unsigned r, unsigned s) { return addition(d, r, s & C, s); }},
      {"SUB", 0x1B01, false, [](unsigned d, unsigned r, unsigned s) { return subtraction(d, r, 0, s); }},
      {"SBC", 0x0B01, false, [](unsigned d, unsigned r, unsigned s) { return chained_subtraction(d, r, s & C, s); }},
      {"CP", 0x1701, true, [](unsigned d, unsigned r, unsigned s) { return subtraction(d, r, 0, s); }},
      {"CPC", 0x0701, true, [](unsigned d, unsigned r, unsigned s) { return chained_subtraction(d, r, s & C, s); }},
      {"AND", 0x2301, false, [](unsigned d, unsigned r, unsigned s) { return logic(d & r, s); }},
      {"OR", 0x2B01, false, [](unsigned d, unsigned r, unsigned s) { return logic(d | r, s); }},
      {"EOR", 0x2701, false, [](unsigned d, unsigned r, unsigned s) { return logic(d ^ r, s); }},
  };
  for (const auto& instruction : instructions) {
    for (unsigned operands = 0; operands < 0x10000; ++operands) {
      const unsigned d = operands & 0xFF, r = operands >> 8;
      // Every combination of C and Z, and the others one way or the other.
      const unsigned before = ((operands ^ operands >> 5) & (C | Z)) | (operands & 0x400 ? 0xFCU : 0U);
      rig.data()[16] = static_cast<std::uint8_t>(d);
      rig.data()[17] = static_cast<std::uint8_t>(r);
      const unsigned after = execute(instruction.opcode, before);
      const Outcome expected = instruction.manual(d, r, before);
      ASSERT_EQ(after, expected.sreg) << instruction.name << " " << d << ", " << r << " with SREG " << before;
      ASSERT_EQ(rig.data()[16], instruction.keeps ? d : expected.result) << instruction.name << " " << d << ", " << r;
    }
  }
}

TEST_F(Alu, RegisterAndConstant) {
  for (unsigned operands = 0; operands < 0x10000; ++operands) {
    const unsigned d = operands & 0xFF, k = operands >> 8;
    const auto immediate = [&](unsigned base) {
      return static_cast<std::uint16_t>(base | (k & 0xF0) << 4 | (k & 0x0F));
    };
    const unsigned before = (operands * 37 >> 7) & 0xFF;
    const auto check = [&](const char* name, unsigned base, bool keeps, const Outcome& expected) {
      rig.data()[16] = static_cast<std::uint8_t>(d);
      ASSERT_EQ(execute(immediate(base), before), expected.sreg)
          << name << " " << d << ", " << k << " with SREG " << before;
      ASSERT_EQ(rig.data()[16], keeps ? d : expected.result) << name << " " << d << ", " << k;
    };
    check("CPI", 0x3000, true, subtraction(d, k, 0, before));
    check("SUBI", 0x5000, false, subtraction(d, k, 0, before));
    check("SBCI", 0x4000, false, chained_subtraction(d, k, before & C, before));
    check("ORI", 0x6000, false, logic(d | k, before));
    check("ANDI", 0x7000, false, logic(d & k, before));
  }
}

TEST_F(Alu, OneRegister) {
  const struct {
    const char* name;
    std::uint16_t opcode;
    std::function<Outcome(unsigned rd, unsigned sreg)> manual;
  } instructions[] = {
      {"COM", 0x9500, [](unsigned d, unsigned s) { return logic(~d & 0xFF, s | C); }},
      {"NEG", 0x9501,
       [](unsigned d, unsigned s) {
         const unsigned r = (0 - d) & 0xFF;
         s = pick(pick(pick(s, H, bit(r, 3) || bit(d, 3)), V, r == 0x80), C, r != 0);
         return Outcome{r, sign(zero_negative(s, r))};
       }},
      {"INC", 0x9503,
       [](unsigned d, unsigned s) {
         const unsigned r = (d + 1) & 0xFF;
         return Outcome{r, sign(zero_negative(pick(s, V, r == 0x80), r))};
       }},
      {"DEC", 0x950A,
       [](unsigned d, unsigned s) {
         const unsigned r = (d - 1) & 0xFF;
         return Outcome{r, sign(zero_negative(pick(s, V, r == 0x7F), r))};
       }},
      {"ASR", 0x9505, [](unsigned d, unsigned s) { return shift(d, d >> 1 | (d & 0x80), s); }},
      {"LSR", 0x9506, [](unsigned d, unsigned s) { return shift(d, d >> 1, s); }},
      {"ROR", 0x9507, [](unsigned d, unsigned s) { return shift(d, d >> 1 | (s & C) << 7, s); }},
      {"SWAP", 0x9502,
       [](unsigned d, unsigned s) {
         return Outcome{(d >> 4 | d << 4) & 0xFF, s};
       }},
      {"CLR", 0x2700, [](unsigned, unsigned s) { return logic(0, s); }},
  };
  for (const auto& instruction : instructions) {
    for (unsigned d = 0; d < 256; ++d) {
      for (unsigned before = 0; before < 256; ++before) {
        rig.data()[16] = static_cast<std::uint8_t>(d);
        const Outcome expected = instruction.manual(d, before);
        ASSERT_EQ(execute(instruction.opcode, before), expected.sreg)
            << instruction.name << " " << d << " with SREG " << before;
        ASSERT_EQ(rig.data()[16], expected.result) << instruction.name << " " << d;
      }
    }
  }
}

TEST_F(Alu, Words) {
  for (const bool add : {true, false}) {
    for (unsigned value = 0; value < 0x10000; value += value % 256 == 70 ? 110U : 1U) {
      for (const unsigned k : {0U, 1U, 31U, 63U}) {
        const unsigned before = (value ^ k * 41) & 0xFF;
        const unsigned r = (add ? value + k : value - k) & 0xFFFF;
        unsigned expected = pick(pick(before, Z, r == 0), N, bit(r, 15));
        expected = pick(expected, V, add ? !bit(value, 15) && bit(r, 15) : bit(value, 15) && !bit(r, 15));
        expected = pick(expected, C, add ? !bit(r, 15) && bit(value, 15) : bit(r, 15) && !bit(value, 15));
        rig.set_pair(24, static_cast<std::uint16_t>(value));
        const auto opcode = static_cast<std::uint16_t>((add ? 0x9600 : 0x9700) | (k & 0x30) << 2 | (k & 0x0F));
        ASSERT_EQ(execute(opcode, before), sign(expected)) << (add ? "ADIW " : "SBIW ") << value << ", " << k;
        ASSERT_EQ(rig.data()[24] | rig.data()[25] << 8, r);
      }
    }
  }
}

TEST_F(Alu, Multiplications) {
  const struct {
    const char* name;
    std::uint16_t opcode;
    bool signed_d, signed_r, fractional;
  } instructions[] = {{"MUL", 0x9F01, false, false, false},  {"MULS", 0x0201, true, true, false},
                      {"MULSU", 0x0301, true, false, false}, {"FMUL", 0x0309, false, false, true},
                      {"FMULS", 0x0381, true, true, true},   {"FMULSU", 0x0389, true, false, true}};
  for (const auto& instruction : instructions) {
    for (unsigned operands = 0; operands < 0x10000; ++operands) {
      const unsigned d = operands & 0xFF, r = operands >> 8;
      const auto value = [](unsigned byte, bool is_signed) {
        return is_signed && byte > 127 ? static_cast<int>(byte) - 256 : static_cast<int>(byte);
      };
      const unsigned product =
          static_cast<unsigned>(value(d, instruction.signed_d) * value(r, instruction.signed_r)) & 0xFFFF;
      const unsigned result = instruction.fractional ? product << 1 & 0xFFFF : product;
      const unsigned before = operands >> 3 & 0xFF;
      rig.data()[16] = static_cast<std::uint8_t>(d);
      rig.data()[17] = static_cast<std::uint8_t>(r);
      ASSERT_EQ(execute(instruction.opcode, before), pick(pick(before, C, bit(product, 15)), Z, result == 0))
          << instruction.name << " " << d << ", " << r;
      ASSERT_EQ(static_cast<unsigned>(rig.data()[0] | rig.data()[1] << 8), result)
          << instruction.name << " " << d << ", " << r;
    }
  }
}

TEST_F(Alu, FlagsOneByOne) {
  for (unsigned flag = 0; flag < 7; ++flag) {
    for (unsigned before = 0; before < 256; ++before) {
      const auto set = static_cast<std::uint16_t>(0x9408 | flag << 4),
                 clear = static_cast<std::uint16_t>(0x9488 | flag << 4);
      ASSERT_EQ(execute(set, before), before | 1U << flag);
      ASSERT_EQ(execute(clear, before), before & ~(1U << flag));
    }
  }
  EXPECT_EQ(execute(op::sei, 0x15), 0x95);
  EXPECT_EQ(execute(op::cli, 0x95), 0x15);
}

TEST_F(Alu, BitsOfRegisters) {
  for (unsigned n = 0; n < 8; ++n) {
    for (unsigned d = 0; d < 256; ++d) {
      rig.data()[16] = static_cast<std::uint8_t>(d);
      const unsigned t = 0x40;
      ASSERT_EQ(execute(static_cast<std::uint16_t>(0xFB00 | n), 0xBF), bit(d, n) ? 0xFFU : 0xBFU) << "BST";
      execute(static_cast<std::uint16_t>(0xF900 | n), t);
      ASSERT_EQ(rig.data()[16], d | 1U << n) << "BLD";
      execute(static_cast<std::uint16_t>(0xF900 | n), 0);
      ASSERT_EQ(rig.data()[16], d & ~(1U << n)) << "BLD";
    }
  }
}

}  // namespace
}  // namespace avrlan::cpu::test
