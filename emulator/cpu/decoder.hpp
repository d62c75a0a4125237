#pragma once
// Opcodes to predecoded slots. Knows nothing of who executes them: the interpreter does now, a block translator can.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace avrlan::cpu {

// Every operation of the AVRe and AVRe+ cores: name, words, clock cycles. The cycles are those of the AVR Instruction Set
// Manual DS40002198, section 5, column AVRe, for internal memory, a 16-bit program counter, and a condition that is not met.
// What comes on top: kTakenBranch, one cycle a skipped word, one for each stack access with a 22-bit program counter, and
// external memory's waits. Of the flag branches, bit and skip forms that share one encoding, each has its own operation.
// clang-format off
#define AVRLAN_OPERATIONS(X)                                                                                          \
  X(nop, 1, 1)                                                                                                        \
  X(add, 1, 1) X(adc, 1, 1) X(sub, 1, 1) X(sbc, 1, 1) X(and_, 1, 1) X(or_, 1, 1) X(eor, 1, 1) X(clr, 1, 1)            \
  X(cp, 1, 1) X(cpc, 1, 1) X(cpse, 1, 1) X(mov, 1, 1) X(movw, 1, 1)                                                   \
  X(mul, 1, 2) X(muls, 1, 2) X(mulsu, 1, 2) X(fmul, 1, 2) X(fmuls, 1, 2) X(fmulsu, 1, 2)                              \
  X(cpi, 1, 1) X(sbci, 1, 1) X(subi, 1, 1) X(ori, 1, 1) X(andi, 1, 1) X(ldi, 1, 1)                                    \
  X(adiw, 1, 2) X(sbiw, 1, 2)                                                                                         \
  X(com, 1, 1) X(neg, 1, 1) X(swap, 1, 1) X(inc, 1, 1) X(dec, 1, 1) X(asr, 1, 1) X(lsr, 1, 1) X(ror, 1, 1)            \
  X(bld, 1, 1) X(bst, 1, 1) X(sbrc, 1, 1) X(sbrs, 1, 1)                                                               \
  X(bset, 1, 1) X(bclr, 1, 1) X(sec, 1, 1) X(clc, 1, 1) X(set, 1, 1) X(clt, 1, 1) X(sei, 1, 1) X(cli, 1, 1)           \
  X(brcs, 1, 1) X(brcc, 1, 1) X(breq, 1, 1) X(brne, 1, 1) X(brmi, 1, 1) X(brpl, 1, 1) X(brvs, 1, 1) X(brvc, 1, 1)     \
  X(brlt, 1, 1) X(brge, 1, 1) X(brhs, 1, 1) X(brhc, 1, 1) X(brts, 1, 1) X(brtc, 1, 1) X(brie, 1, 1) X(brid, 1, 1)     \
  X(rjmp, 1, 2) X(jmp, 2, 3) X(ijmp, 1, 2) X(eijmp, 1, 2) X(rjmp_self, 1, 2) X(jmp_self, 2, 3)                        \
  X(rcall, 1, 3) X(call, 2, 4) X(icall, 1, 3) X(eicall, 1, 3) X(ret, 1, 4) X(reti, 1, 4)                              \
  X(ld_x, 1, 2) X(ld_x_inc, 1, 2) X(ld_x_dec, 1, 2) X(ld_y_inc, 1, 2) X(ld_y_dec, 1, 2) X(ldd_y, 1, 2)                \
  X(ld_z_inc, 1, 2) X(ld_z_dec, 1, 2) X(ldd_z, 1, 2) X(lds, 2, 2) X(pop, 1, 2)                                        \
  X(st_x, 1, 2) X(st_x_inc, 1, 2) X(st_x_dec, 1, 2) X(st_y_inc, 1, 2) X(st_y_dec, 1, 2) X(std_y, 1, 2)                \
  X(st_z_inc, 1, 2) X(st_z_dec, 1, 2) X(std_z, 1, 2) X(sts, 2, 2) X(push, 1, 2)                                       \
  X(lpm, 1, 3) X(lpm_inc, 1, 3) X(elpm, 1, 3) X(elpm_inc, 1, 3) X(spm, 1, 1)                                          \
  X(in, 1, 1) X(in_sreg, 1, 1) X(in_sp, 1, 1) X(out, 1, 1) X(out_sreg, 1, 1) X(out_sp, 1, 1)                          \
  X(sbi, 1, 2) X(cbi, 1, 2) X(sbic, 1, 1) X(sbis, 1, 1)                                                               \
  X(sleep, 1, 1) X(wdr, 1, 1) X(break_, 1, 1)                                                                         \
  X(illegal, 1, 0)       /* no instruction of this core */                                                            \
  X(outside_flash, 1, 0) /* a jump whose target is known to lie outside, or the first word after the flash */         \
  X(breakpoint, 1, 0)    /* stands in for the instruction of a slot at which a debugger wants to stop */
// clang-format on

enum class Op : std::uint8_t {
#define AVRLAN_NAME(name, words, cycles) name,
  AVRLAN_OPERATIONS(AVRLAN_NAME)
#undef AVRLAN_NAME
};

struct OpTiming {
  std::uint8_t words;
  std::uint8_t cycles;
};

inline constexpr OpTiming kTiming[] = {
#define AVRLAN_TIMING(name, words, cycles) {words, cycles},
    AVRLAN_OPERATIONS(AVRLAN_TIMING)
#undef AVRLAN_TIMING
};

constexpr std::uint8_t words_of(Op op) {
  return kTiming[static_cast<std::size_t>(op)].words;
}
constexpr std::uint8_t cycles_of(Op op) {
  return kTiming[static_cast<std::size_t>(op)].cycles;
}

inline constexpr std::uint8_t kTakenBranch = 1;

// One word of flash. The second word of a two-word instruction has a slot of its own, in case something jumps there.
struct Slot {
  Op op;
  // Rd of a two-operand instruction, Rr of a store, or the register of IN and OUT. For SBI, CBI, SBIC, SBIS: the bit's mask.
  std::uint8_t a;
  // Rr, an 8-bit constant, a mask in a register or in SREG (BST: a bit number), or q of LDD and STD.
  std::uint8_t b;
  // Skips: words of the next instruction.
  std::uint8_t skip;
  // Jumps, calls and branches: the target relative to this slot, in words (outside_flash: the absolute target).
  // I/O and LDS, STS: the data address. illegal: the opcode.
  std::int32_t k;
};
static_assert(sizeof(Slot) == 8);

// What a core has; decides which opcodes are illegal.
struct CoreFeatures {
  bool multiply;       // MUL family: AVRe+
  bool long_jumps;     // JMP and CALL: flash above 8 KiB
  bool extended_load;  // ELPM: flash above 64 KiB
  bool extended_call;  // EIJMP, EICALL, 22-bit program counter: flash above 128 KiB
};

// The words of an opcode: 2 for LDS, STS, JMP and CALL. What a skip skips.
constexpr std::uint8_t instruction_words(std::uint16_t opcode) {
  return (opcode & 0xFC0F) == 0x9000 || (opcode & 0xFE0C) == 0x940C ? 2 : 1;
}

class Decoder {
 public:
  // `flash` must outlive the decoder; its size is even.
  Decoder(std::span<const std::uint8_t> flash, CoreFeatures features);

  // Slots of the whole flash, and kGuardSlots of Op::outside_flash after it, where execution ends that runs off the end.
  const Slot* slots() const { return slots_.data(); }
  Slot* slots() { return slots_.data(); }
  std::uint32_t flash_words() const { return flash_words_; }

  // Decodes again what [first, first + count) words of changed flash can affect: the word before too, whose operand or
  // skip length they may be.
  void decode(std::uint32_t first, std::uint32_t count);

  static constexpr std::uint32_t kGuardSlots = 3;

 private:
  std::uint16_t word(std::uint32_t address) const;
  Slot decode_one(std::uint32_t pc) const;

  std::span<const std::uint8_t> flash_;
  CoreFeatures features_;
  std::uint32_t flash_words_;
  std::vector<Slot> slots_;
};

}  // namespace avrlan::cpu
