#pragma once
// Executes predecoded slots until a slice of cycles is used up. Threaded code: each operation jumps to the next one's label.
// Registers stay in the data space's array, flags and time in locals. GNU C++ (labels as values).

#include <cstdint>

#include "emulator/cpu/core.hpp"
#include "emulator/cpu/exact_engine.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/observer.hpp"

namespace avrlan::cpu {

inline void Core::interrupts_enabled() {
  shadow = now();
  if (interrupts->any()) end_after_next();
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

// Each operation ends in one of these: the next slot, and the cycles that have passed (worked out before slot moves).
#define AVRLAN_GO(words, cycles)            \
  do {                                      \
    const std::int64_t passed = (cycles);   \
    slot += (words);                        \
    if ((left -= passed) <= 0) [[unlikely]] \
      goto leave;                           \
    AVRLAN_DISPATCH();                      \
  } while (false)
#define AVRLAN_DISPATCH()                                                                              \
  do {                                                                                                 \
    if constexpr (Observer::instructions) {                                                            \
      if (observer.instruction(static_cast<std::uint32_t>(slot - core.slots), core.deadline - left)) { \
        core.stop = true;                                                                              \
        goto leave;                                                                                    \
      }                                                                                                \
    }                                                                                                  \
    goto* labels[static_cast<std::size_t>(slot->op)];                                                  \
  } while (false)
#define AVRLAN_NEXT(op) AVRLAN_GO(words_of(Op::op), cycles_of(Op::op))
// Calls into the engine, which may look at the time and the program counter and change the slice.
#define AVRLAN_CALL(statement)                                                      \
  do {                                                                              \
    core.left = left;                                                               \
    core.pc = static_cast<std::uint32_t>(slot - core.slots);                        \
    [[maybe_unused]] const std::int64_t before = Observer::timing ? core.now() : 0; \
    statement;                                                                      \
    left = core.left;                                                               \
    if constexpr (Observer::timing) {                                               \
      if (core.now() != before) observer.stalled(AVRLAN_PC(), core.now() - before); \
    }                                                                               \
  } while (false)
#define AVRLAN_PC() static_cast<std::uint32_t>(slot - core.slots)
// The run ends here, and the instruction's cycles do not pass.
#define AVRLAN_NOT_DONE(cycles) \
  if constexpr (Observer::timing) observer.stalled(AVRLAN_PC(), -static_cast<std::int64_t>(cycles))
#define AVRLAN_TAKEN() \
  if constexpr (Observer::timing) observer.taken(AVRLAN_PC())

#define AVRLAN_ZN(result) (negative = zero = static_cast<std::uint8_t>(result))
#define AVRLAN_ADD(op, addend, carry_in)              \
  {                                                   \
    const std::uint32_t x = r[slot->a], y = (addend); \
    const std::uint32_t sum = x + y + (carry_in);     \
    carry = overflow = x ^ y ^ sum;                   \
    AVRLAN_ZN(sum);                                   \
    r[slot->a] = static_cast<std::uint8_t>(sum);      \
    AVRLAN_NEXT(op);                                  \
  }
#define AVRLAN_SUBTRACT(op, subtrahend, carry_in, keep)               \
  {                                                                   \
    const std::uint32_t x = r[slot->a], y = (subtrahend);             \
    const std::uint32_t rest = x - y - (carry_in);                    \
    carry = overflow = x ^ y ^ rest;                                  \
    AVRLAN_ZN(rest);                                                  \
    if constexpr (keep) r[slot->a] = static_cast<std::uint8_t>(rest); \
    AVRLAN_NEXT(op);                                                  \
  }
// SBC, SBCI, CPC: Z is only ever cleared.
#define AVRLAN_SUBTRACT_CHAINED(op, subtrahend, keep)                 \
  {                                                                   \
    const std::uint32_t x = r[slot->a], y = (subtrahend);             \
    const std::uint32_t rest = x - y - (carry >> 8 & 1);              \
    carry = overflow = x ^ y ^ rest;                                  \
    negative = static_cast<std::uint8_t>(rest);                       \
    zero |= negative;                                                 \
    if constexpr (keep) r[slot->a] = static_cast<std::uint8_t>(rest); \
    AVRLAN_NEXT(op);                                                  \
  }
#define AVRLAN_LOGIC(op, expression)                \
  {                                                 \
    const std::uint32_t x = r[slot->a];             \
    const std::uint32_t result = (expression);      \
    overflow = 0;                                   \
    AVRLAN_ZN(result);                              \
    r[slot->a] = static_cast<std::uint8_t>(result); \
    AVRLAN_NEXT(op);                                \
  }
// ASR, LSR, ROR: C is the bit that falls out, V is N ^ C, H stays.
#define AVRLAN_SHIFT_RIGHT(op, top)                 \
  {                                                 \
    const std::uint32_t x = r[slot->a];             \
    const std::uint32_t result = x >> 1 | (top);    \
    const std::uint32_t out = (x & 1) << 8;         \
    carry = (carry & 0x10) | out;                   \
    overflow = result | out;                        \
    negative = zero = result;                       \
    r[slot->a] = static_cast<std::uint8_t>(result); \
    AVRLAN_NEXT(op);                                \
  }
// ADIW, SBIW: the word's carries, moved down a byte.
#define AVRLAN_WORD(op, sign)                                 \
  {                                                           \
    const std::uint32_t x = load16(r + slot->a), y = slot->b; \
    const std::uint32_t result = x sign y;                    \
    overflow = (x ^ y ^ result) >> 8;                         \
    carry = (carry & 0x10) | (overflow & 0x100);              \
    negative = result >> 8 & 0xFF;                            \
    zero = result & 0xFFFF;                                   \
    store16(r + slot->a, result);                             \
    AVRLAN_NEXT(op);                                          \
  }
// The MUL family: C is bit 15 of the product before FMUL's shift.
#define AVRLAN_MULTIPLY(op, type_d, type_r, shift)                                                      \
  {                                                                                                     \
    const auto product = static_cast<std::uint32_t>(static_cast<int>(static_cast<type_d>(r[slot->a])) * \
                                                    static_cast<int>(static_cast<type_r>(r[slot->b]))); \
    carry = (carry & 0x10) | (product >> 7 & 0x100);                                                    \
    zero = product << (shift)&0xFFFF;                                                                   \
    store16(r, zero);                                                                                   \
    AVRLAN_NEXT(op);                                                                                    \
  }
#define AVRLAN_BRANCH(op, condition)                        \
  {                                                         \
    if (condition) {                                        \
      AVRLAN_TAKEN();                                       \
      AVRLAN_GO(slot->k, cycles_of(Op::op) + kTakenBranch); \
    }                                                       \
    AVRLAN_NEXT(op);                                        \
  }
#define AVRLAN_SKIP(op, condition)                                              \
  {                                                                             \
    if (condition) {                                                            \
      AVRLAN_TAKEN();                                                           \
      AVRLAN_GO(words_of(Op::op) + slot->skip, cycles_of(Op::op) + slot->skip); \
    }                                                                           \
    AVRLAN_NEXT(op);                                                            \
  }

// A jump to itself: with interrupts off it ends the run, else nothing but the end of the slice ends it.
#define AVRLAN_LOOP(op)                                                            \
  {                                                                                \
    if (!core.i) {                                                                 \
      bool halted;                                                                 \
      AVRLAN_CALL(halted = core.halt_in_loop());                                   \
      if (halted) {                                                                \
        AVRLAN_NOT_DONE(cycles_of(Op::op));                                        \
        goto leave;                                                                \
      }                                                                            \
    }                                                                              \
    constexpr std::int64_t once = cycles_of(Op::op);                               \
    AVRLAN_GO(0, Observer::instructions ? once : (left + once - 1) / once * once); \
  }

#define AVRLAN_SREG()                                                                        \
  (Flags{carry, overflow, negative, zero}.bits() | static_cast<std::uint32_t>(core.t) << 6 | \
   static_cast<std::uint32_t>(core.i) << 7)
// `cycles` are those of the instruction: I takes effect when it is over.
#define AVRLAN_SET_SREG(value, cycles)     \
  do {                                     \
    const std::uint32_t sreg = (value);    \
    const Flags flags = Flags::from(sreg); \
    carry = flags.carry;                   \
    overflow = flags.overflow;             \
    negative = flags.negative;             \
    zero = flags.zero;                     \
    core.t = sreg >> 6 & 1;                \
    AVRLAN_SET_I(sreg >> 7 & 1, cycles);   \
  } while (false)
#define AVRLAN_SET_I(value, cycles)                       \
  do {                                                    \
    const auto enable = static_cast<std::uint8_t>(value); \
    const bool edge = enable && !core.i;                  \
    core.i = enable;                                      \
    if (edge) {                                           \
      core.left = left - (cycles);                        \
      core.interrupts_enabled();                          \
      left = core.left + (cycles);                        \
    }                                                     \
  } while (false)

#define AVRLAN_LOAD(address, value)                                                                                  \
  do {                                                                                                               \
    const std::uint32_t at = (address);                                                                              \
    if (at - core.ram_first < core.ram_size) [[likely]] {                                                            \
      value = r[at];                                                                                                 \
    } else if (at == sreg_address) {                                                                                 \
      value = AVRLAN_SREG();                                                                                         \
    } else {                                                                                                         \
      AVRLAN_CALL(value = core.load(static_cast<std::uint16_t>(at)));                                                \
    }                                                                                                                \
    if constexpr (Observer::memory) observer.load(static_cast<std::uint16_t>(at), static_cast<std::uint8_t>(value)); \
  } while (false)
#define AVRLAN_STORE(address, value, cycles)                                              \
  do {                                                                                    \
    const std::uint32_t at = (address);                                                   \
    const std::uint8_t byte = (value);                                                    \
    if constexpr (Observer::memory) observer.store(static_cast<std::uint16_t>(at), byte); \
    if (at - core.ram_first < core.ram_size) [[likely]] {                                 \
      r[at] = byte;                                                                       \
    } else if (at == sreg_address) {                                                      \
      AVRLAN_SET_SREG(byte, cycles);                                                      \
    } else {                                                                              \
      AVRLAN_CALL(core.store(static_cast<std::uint16_t>(at), byte));                      \
    }                                                                                     \
  } while (false)

// `pair` is the pointer register's address; a predecrement happens before, a postincrement after the access.
#define AVRLAN_LD(op, pair, before, after)                                               \
  {                                                                                      \
    const std::uint32_t pointer = (load16(r + (pair)) + (before)) & 0xFFFF;              \
    std::uint32_t value;                                                                 \
    AVRLAN_LOAD(pointer, value);                                                         \
    if constexpr ((before) != 0 || (after) != 0) store16(r + (pair), pointer + (after)); \
    r[slot->a] = static_cast<std::uint8_t>(value);                                       \
    AVRLAN_NEXT(op);                                                                     \
  }
#define AVRLAN_ST(op, pair, before, after)                                               \
  {                                                                                      \
    const std::uint32_t pointer = (load16(r + (pair)) + (before)) & 0xFFFF;              \
    AVRLAN_STORE(pointer, r[slot->a], cycles_of(Op::op));                                \
    if constexpr ((before) != 0 || (after) != 0) store16(r + (pair), pointer + (after)); \
    AVRLAN_NEXT(op);                                                                     \
  }

// Pushes the word address `return_pc`, low byte first; the stack grows down.
#define AVRLAN_PUSH_PC(return_pc)                                                     \
  do {                                                                                \
    const std::uint32_t sp = load16(r + sp_address);                                  \
    const std::uint32_t back = (return_pc);                                           \
    const std::uint32_t bytes = 2 + core.wide_pc;                                     \
    if (sp - bytes + 1 - core.stack_first < core.stack_size - bytes + 1) [[likely]] { \
      r[sp] = static_cast<std::uint8_t>(back);                                        \
      r[sp - 1] = static_cast<std::uint8_t>(back >> 8);                               \
      if (core.wide_pc) r[sp - 2] = static_cast<std::uint8_t>(back >> 16);            \
    } else {                                                                          \
      AVRLAN_CALL(core.push_pc(static_cast<std::uint16_t>(sp), back));                \
    }                                                                                 \
    store16(r + sp_address, sp - bytes);                                              \
  } while (false)
#define AVRLAN_POP_PC(target)                                             \
  do {                                                                    \
    const std::uint32_t sp = load16(r + sp_address);                      \
    const std::uint32_t bytes = 2 + core.wide_pc;                         \
    if (sp + 1 - core.ram_first < core.ram_size - bytes + 1) [[likely]] { \
      const std::uint8_t* top = r + sp + 1;                               \
      target = static_cast<std::uint32_t>(top[0] << 8 | top[1]);          \
      if (core.wide_pc) target = target << 8 | top[2];                    \
    } else {                                                              \
      AVRLAN_CALL(target = core.pop_pc(static_cast<std::uint16_t>(sp)));  \
    }                                                                     \
    store16(r + sp_address, sp + bytes);                                  \
  } while (false)
#define AVRLAN_TOLD(event, target)                                        \
  do {                                                                    \
    if constexpr (Observer::calls)                                        \
      observer.event(AVRLAN_PC(), static_cast<std::uint32_t>(target),     \
                     static_cast<std::uint16_t>(load16(r + sp_address))); \
  } while (false)
// To an absolute word address.
#define AVRLAN_JUMP(target, cycles)            \
  do {                                         \
    const std::uint32_t to = (target);         \
    if (to >= core.flash_words) [[unlikely]] { \
      AVRLAN_CALL(core.outside_flash(to));     \
      AVRLAN_NOT_DONE(cycles);                 \
      goto leave;                              \
    }                                          \
    slot = core.slots + to;                    \
    AVRLAN_GO(0, cycles);                      \
  } while (false)
#define AVRLAN_LPM(op, high, increment)                                                        \
  {                                                                                            \
    const std::uint32_t address = load16(r + z_pair) | static_cast<std::uint32_t>(high) << 16; \
    if (address < core.readable_flash) [[likely]] {                                            \
      r[slot->a] = core.flash[address];                                                        \
    } else {                                                                                   \
      AVRLAN_CALL(r[slot->a] = core.read_flash(address));                                      \
    }                                                                                          \
    increment;                                                                                 \
    AVRLAN_NEXT(op);                                                                           \
  }

// Executes from core.pc on while core.left > 0. All state is back in `core` when it returns: core.left <= 0, or core.stop,
// or a way out has ended the slice.
template <class Observer>
void interpret(Core& core, Observer& observer) {
  static const void* const labels[] = {
#define AVRLAN_LABEL(name, words, cycles) &&do_##name,
      AVRLAN_OPERATIONS(AVRLAN_LABEL)
#undef AVRLAN_LABEL
  };
  constexpr std::uint32_t x_pair = 26, y_pair = 28, z_pair = 30, sp_address = 0x5D, sreg_address = 0x5F;

  std::uint8_t* const r = core.data;
  const Slot* slot = core.slots + core.pc;
  std::int64_t left = core.left;
  std::uint32_t carry = core.flags.carry;
  std::uint32_t overflow = core.flags.overflow;
  std::uint32_t negative = core.flags.negative;
  std::uint32_t zero = core.flags.zero;
  static_cast<void>(observer);

  if (left <= 0) goto leave;
  AVRLAN_DISPATCH();

do_nop:
  AVRLAN_NEXT(nop);

do_add:
  AVRLAN_ADD(add, r[slot->b], 0)
do_adc:
  AVRLAN_ADD(adc, r[slot->b], carry >> 8 & 1)
do_sub:
  AVRLAN_SUBTRACT(sub, r[slot->b], 0, true)
do_subi:
  AVRLAN_SUBTRACT(subi, slot->b, 0, true)
do_cp:
  AVRLAN_SUBTRACT(cp, r[slot->b], 0, false)
do_cpi:
  AVRLAN_SUBTRACT(cpi, slot->b, 0, false)
do_sbc:
  AVRLAN_SUBTRACT_CHAINED(sbc, r[slot->b], true)
do_sbci:
  AVRLAN_SUBTRACT_CHAINED(sbci, slot->b, true)
do_cpc:
  AVRLAN_SUBTRACT_CHAINED(cpc, r[slot->b], false)
do_and_:
  AVRLAN_LOGIC(and_, x & r[slot->b])
do_andi:
  AVRLAN_LOGIC(andi, x & slot->b)
do_or_:
  AVRLAN_LOGIC(or_, x | r[slot->b])
do_ori:
  AVRLAN_LOGIC(ori, x | slot->b)
do_eor:
  AVRLAN_LOGIC(eor, x ^ r[slot->b])
do_clr:
  overflow = negative = zero = 0;
  r[slot->a] = 0;
  AVRLAN_NEXT(clr);
do_com:
  carry = (carry & 0x10) | 0x100;
  AVRLAN_LOGIC(com, ~x)
do_neg : {
  const std::uint32_t x = r[slot->a], result = 0 - x;
  carry = overflow = x ^ result;
  AVRLAN_ZN(result);
  r[slot->a] = static_cast<std::uint8_t>(result);
  AVRLAN_NEXT(neg);
}
do_inc : {
  const std::uint32_t x = r[slot->a], result = x + 1;
  overflow = x ^ 1 ^ result;
  AVRLAN_ZN(result);
  r[slot->a] = static_cast<std::uint8_t>(result);
  AVRLAN_NEXT(inc);
}
do_dec : {
  const std::uint32_t x = r[slot->a], result = x - 1;
  overflow = x ^ 1 ^ result;
  AVRLAN_ZN(result);
  r[slot->a] = static_cast<std::uint8_t>(result);
  AVRLAN_NEXT(dec);
}
do_swap:
  r[slot->a] = static_cast<std::uint8_t>(r[slot->a] >> 4 | r[slot->a] << 4);
  AVRLAN_NEXT(swap);
do_asr:
  AVRLAN_SHIFT_RIGHT(asr, x & 0x80)
do_lsr:
  AVRLAN_SHIFT_RIGHT(lsr, 0)
do_ror:
  AVRLAN_SHIFT_RIGHT(ror, carry >> 1 & 0x80)
do_adiw:
  AVRLAN_WORD(adiw, +)
do_sbiw:
  AVRLAN_WORD(sbiw, -)
do_mul:
  AVRLAN_MULTIPLY(mul, std::uint8_t, std::uint8_t, 0)
do_muls:
  AVRLAN_MULTIPLY(muls, std::int8_t, std::int8_t, 0)
do_mulsu:
  AVRLAN_MULTIPLY(mulsu, std::int8_t, std::uint8_t, 0)
do_fmul:
  AVRLAN_MULTIPLY(fmul, std::uint8_t, std::uint8_t, 1)
do_fmuls:
  AVRLAN_MULTIPLY(fmuls, std::int8_t, std::int8_t, 1)
do_fmulsu:
  AVRLAN_MULTIPLY(fmulsu, std::int8_t, std::uint8_t, 1)

do_mov:
  r[slot->a] = r[slot->b];
  AVRLAN_NEXT(mov);
do_movw:
  store16(r + slot->a, load16(r + slot->b));
  AVRLAN_NEXT(movw);
do_ldi:
  r[slot->a] = slot->b;
  AVRLAN_NEXT(ldi);

do_bld:
  r[slot->a] = static_cast<std::uint8_t>(core.t ? r[slot->a] | slot->b : r[slot->a] & ~slot->b);
  AVRLAN_NEXT(bld);
do_bst:
  core.t = r[slot->a] >> slot->b & 1;
  AVRLAN_NEXT(bst);
do_set:
  core.t = 1;
  AVRLAN_NEXT(set);
do_clt:
  core.t = 0;
  AVRLAN_NEXT(clt);
do_sec:
  carry |= 0x100;
  AVRLAN_NEXT(sec);
do_clc:
  carry &= ~0x100U;
  AVRLAN_NEXT(clc);
do_bset:
  AVRLAN_SET_SREG(AVRLAN_SREG() | slot->b, cycles_of(Op::bset));
  AVRLAN_NEXT(bset);
do_bclr:
  AVRLAN_SET_SREG(AVRLAN_SREG() & ~static_cast<std::uint32_t>(slot->b), cycles_of(Op::bclr));
  AVRLAN_NEXT(bclr);
do_sei:
  AVRLAN_SET_I(1, cycles_of(Op::sei));
  AVRLAN_NEXT(sei);
do_cli:
  core.i = 0;
  AVRLAN_NEXT(cli);

do_cpse:
  AVRLAN_SKIP(cpse, r[slot->a] == r[slot->b])
do_sbrc:
  AVRLAN_SKIP(sbrc, (r[slot->a] & slot->b) == 0)
do_sbrs:
  AVRLAN_SKIP(sbrs, (r[slot->a] & slot->b) != 0)

do_brcs:
  AVRLAN_BRANCH(brcs, carry & 0x100)
do_brcc:
  AVRLAN_BRANCH(brcc, !(carry & 0x100))
do_breq:
  AVRLAN_BRANCH(breq, zero == 0)
do_brne:
  AVRLAN_BRANCH(brne, zero != 0)
do_brmi:
  AVRLAN_BRANCH(brmi, negative & 0x80)
do_brpl:
  AVRLAN_BRANCH(brpl, !(negative & 0x80))
do_brvs:
  AVRLAN_BRANCH(brvs, (overflow ^ overflow >> 1) & 0x80)
do_brvc:
  AVRLAN_BRANCH(brvc, !((overflow ^ overflow >> 1) & 0x80))
do_brlt:
  AVRLAN_BRANCH(brlt, (negative ^ negative >> 2 ^ overflow ^ overflow >> 1) & 0x80)
do_brge:
  AVRLAN_BRANCH(brge, !((negative ^ negative >> 2 ^ overflow ^ overflow >> 1) & 0x80))
do_brhs:
  AVRLAN_BRANCH(brhs, carry & 0x10)
do_brhc:
  AVRLAN_BRANCH(brhc, !(carry & 0x10))
do_brts:
  AVRLAN_BRANCH(brts, core.t)
do_brtc:
  AVRLAN_BRANCH(brtc, !core.t)
do_brie:
  AVRLAN_BRANCH(brie, core.i)
do_brid:
  AVRLAN_BRANCH(brid, !core.i)

do_rjmp:
  AVRLAN_GO(slot->k, cycles_of(Op::rjmp));
do_jmp:
  AVRLAN_GO(slot->k, cycles_of(Op::jmp));
do_rjmp_self:
  AVRLAN_LOOP(rjmp_self)
do_jmp_self:
  AVRLAN_LOOP(jmp_self)
do_ijmp:
  AVRLAN_JUMP(load16(r + z_pair), cycles_of(Op::ijmp));
do_eijmp:
  AVRLAN_JUMP(load16(r + z_pair) | static_cast<std::uint32_t>(r[core.eind]) << 16, cycles_of(Op::eijmp));
do_rcall:
  AVRLAN_PUSH_PC(static_cast<std::uint32_t>(slot - core.slots) + words_of(Op::rcall));
  AVRLAN_TOLD(call, slot - core.slots + slot->k);
  AVRLAN_GO(slot->k, cycles_of(Op::rcall) + core.wide_pc);
do_call:
  AVRLAN_PUSH_PC(static_cast<std::uint32_t>(slot - core.slots) + words_of(Op::call));
  AVRLAN_TOLD(call, slot - core.slots + slot->k);
  AVRLAN_GO(slot->k, cycles_of(Op::call) + core.wide_pc);
do_icall : {
  const std::uint32_t target = load16(r + z_pair);
  AVRLAN_PUSH_PC(static_cast<std::uint32_t>(slot - core.slots) + words_of(Op::icall));
  AVRLAN_TOLD(call, target);
  AVRLAN_JUMP(target, cycles_of(Op::icall) + core.wide_pc);
}
do_eicall : {
  const std::uint32_t target = load16(r + z_pair) | static_cast<std::uint32_t>(r[core.eind]) << 16;
  AVRLAN_PUSH_PC(static_cast<std::uint32_t>(slot - core.slots) + words_of(Op::eicall));
  AVRLAN_TOLD(call, target);
  AVRLAN_JUMP(target, cycles_of(Op::eicall) + core.wide_pc);
}
do_ret : {
  std::uint32_t target;
  AVRLAN_POP_PC(target);
  AVRLAN_TOLD(ret, target);
  AVRLAN_JUMP(target, cycles_of(Op::ret) + core.wide_pc);
}
do_reti : {
  std::uint32_t target;
  AVRLAN_POP_PC(target);
  AVRLAN_TOLD(ret, target);
  if (target >= core.flash_words) {
    AVRLAN_CALL(core.outside_flash(target));
    AVRLAN_NOT_DONE(cycles_of(Op::reti) + core.wide_pc);
    goto leave;
  }
  slot = core.slots + target;
  left -= cycles_of(Op::reti) + core.wide_pc;
  core.i = 1;
  AVRLAN_CALL(core.leave_interrupt());
  AVRLAN_GO(0, 0);
}

do_ld_x:
  AVRLAN_LD(ld_x, x_pair, 0U, 0U)
do_ld_x_inc:
  AVRLAN_LD(ld_x_inc, x_pair, 0U, 1U)
do_ld_x_dec:
  AVRLAN_LD(ld_x_dec, x_pair, ~0U, 0U)
do_ld_y_inc:
  AVRLAN_LD(ld_y_inc, y_pair, 0U, 1U)
do_ld_y_dec:
  AVRLAN_LD(ld_y_dec, y_pair, ~0U, 0U)
do_ld_z_inc:
  AVRLAN_LD(ld_z_inc, z_pair, 0U, 1U)
do_ld_z_dec:
  AVRLAN_LD(ld_z_dec, z_pair, ~0U, 0U)
do_ldd_y : {
  std::uint32_t value;
  AVRLAN_LOAD((load16(r + y_pair) + slot->b) & 0xFFFF, value);
  r[slot->a] = static_cast<std::uint8_t>(value);
  AVRLAN_NEXT(ldd_y);
}
do_ldd_z : {
  std::uint32_t value;
  AVRLAN_LOAD((load16(r + z_pair) + slot->b) & 0xFFFF, value);
  r[slot->a] = static_cast<std::uint8_t>(value);
  AVRLAN_NEXT(ldd_z);
}
do_lds : {
  std::uint32_t value;
  AVRLAN_LOAD(static_cast<std::uint32_t>(slot->k), value);
  r[slot->a] = static_cast<std::uint8_t>(value);
  AVRLAN_NEXT(lds);
}
do_pop : {
  const std::uint32_t sp = (load16(r + sp_address) + 1) & 0xFFFF;
  std::uint32_t value;
  AVRLAN_LOAD(sp, value);
  store16(r + sp_address, sp);
  r[slot->a] = static_cast<std::uint8_t>(value);
  AVRLAN_NEXT(pop);
}

do_st_x:
  AVRLAN_ST(st_x, x_pair, 0U, 0U)
do_st_x_inc:
  AVRLAN_ST(st_x_inc, x_pair, 0U, 1U)
do_st_x_dec:
  AVRLAN_ST(st_x_dec, x_pair, ~0U, 0U)
do_st_y_inc:
  AVRLAN_ST(st_y_inc, y_pair, 0U, 1U)
do_st_y_dec:
  AVRLAN_ST(st_y_dec, y_pair, ~0U, 0U)
do_st_z_inc:
  AVRLAN_ST(st_z_inc, z_pair, 0U, 1U)
do_st_z_dec:
  AVRLAN_ST(st_z_dec, z_pair, ~0U, 0U)
do_std_y:
  AVRLAN_STORE((load16(r + y_pair) + slot->b) & 0xFFFF, r[slot->a], cycles_of(Op::std_y));
  AVRLAN_NEXT(std_y);
do_std_z:
  AVRLAN_STORE((load16(r + z_pair) + slot->b) & 0xFFFF, r[slot->a], cycles_of(Op::std_z));
  AVRLAN_NEXT(std_z);
do_sts:
  AVRLAN_STORE(static_cast<std::uint32_t>(slot->k), r[slot->a], cycles_of(Op::sts));
  AVRLAN_NEXT(sts);
do_push : {
  const std::uint32_t sp = load16(r + sp_address);
  if constexpr (Observer::memory) observer.store(static_cast<std::uint16_t>(sp), r[slot->a]);
  if (sp - core.stack_first < core.stack_size) [[likely]] {
    r[sp] = r[slot->a];
  } else if (sp == sreg_address) {
    AVRLAN_SET_SREG(r[slot->a], cycles_of(Op::push));
  } else {
    AVRLAN_CALL(core.push(static_cast<std::uint16_t>(sp), r[slot->a]));
  }
  store16(r + sp_address, sp - 1);
  if constexpr (Observer::stack) observer.push(static_cast<std::uint16_t>(sp - 1));
  AVRLAN_NEXT(push);
}

do_lpm:
  AVRLAN_LPM(lpm, 0, )
do_lpm_inc:
  AVRLAN_LPM(lpm_inc, 0, store16(r + z_pair, address + 1))
do_elpm:
  AVRLAN_LPM(elpm, r[core.rampz], )
do_elpm_inc:
  AVRLAN_LPM(elpm_inc, r[core.rampz], store16(r + z_pair, address + 1);
             r[core.rampz] = static_cast<std::uint8_t>((address + 1) >> 16))
do_spm:
  AVRLAN_CALL(core.store_program());
  AVRLAN_NEXT(spm);

do_in : {
  std::uint32_t value;
  AVRLAN_CALL(value = core.in(static_cast<std::uint16_t>(slot->k)));
  if constexpr (Observer::memory) observer.load(static_cast<std::uint16_t>(slot->k), static_cast<std::uint8_t>(value));
  r[slot->a] = static_cast<std::uint8_t>(value);
  AVRLAN_NEXT(in);
}
do_in_sreg:
  r[slot->a] = static_cast<std::uint8_t>(AVRLAN_SREG());
  if constexpr (Observer::memory) observer.load(sreg_address, r[slot->a]);
  AVRLAN_NEXT(in_sreg);
do_in_sp:
  r[slot->a] = r[slot->k];
  if constexpr (Observer::memory) observer.load(static_cast<std::uint16_t>(slot->k), r[slot->a]);
  AVRLAN_NEXT(in_sp);
do_out:
  if constexpr (Observer::memory) observer.store(static_cast<std::uint16_t>(slot->k), r[slot->a]);
  AVRLAN_CALL(core.out(static_cast<std::uint16_t>(slot->k), r[slot->a]));
  AVRLAN_NEXT(out);
do_out_sreg:
  if constexpr (Observer::memory) observer.store(sreg_address, r[slot->a]);
  AVRLAN_SET_SREG(r[slot->a], cycles_of(Op::out_sreg));
  AVRLAN_NEXT(out_sreg);
do_out_sp:
  if constexpr (Observer::memory) observer.store(static_cast<std::uint16_t>(slot->k), r[slot->a]);
  r[slot->k] = r[slot->a];
  if constexpr (Observer::stack)
    observer.stack_set(static_cast<std::uint16_t>(slot->k), static_cast<std::uint16_t>(load16(r + sp_address)));
  AVRLAN_NEXT(out_sp);
do_sbi:
  AVRLAN_CALL(core.set_bit(static_cast<std::uint16_t>(slot->k), slot->a));
  if constexpr (Observer::memory) observer.store(static_cast<std::uint16_t>(slot->k), r[slot->k]);
  AVRLAN_NEXT(sbi);
do_cbi:
  AVRLAN_CALL(core.clear_bit(static_cast<std::uint16_t>(slot->k), slot->a));
  if constexpr (Observer::memory) observer.store(static_cast<std::uint16_t>(slot->k), r[slot->k]);
  AVRLAN_NEXT(cbi);
do_sbic : {
  std::uint32_t value;
  AVRLAN_CALL(value = core.in(static_cast<std::uint16_t>(slot->k)));
  if constexpr (Observer::memory) observer.load(static_cast<std::uint16_t>(slot->k), static_cast<std::uint8_t>(value));
  AVRLAN_SKIP(sbic, (value & slot->a) == 0)
}
do_sbis : {
  std::uint32_t value;
  AVRLAN_CALL(value = core.in(static_cast<std::uint16_t>(slot->k)));
  if constexpr (Observer::memory) observer.load(static_cast<std::uint16_t>(slot->k), static_cast<std::uint8_t>(value));
  AVRLAN_SKIP(sbis, (value & slot->a) != 0)
}

do_sleep:
  slot += words_of(Op::sleep);
  left -= cycles_of(Op::sleep);
  AVRLAN_CALL(core.sleep());
  AVRLAN_GO(0, 0);
do_wdr:
  AVRLAN_CALL(core.reset_watchdog());
  AVRLAN_NEXT(wdr);
do_break_:
  AVRLAN_NEXT(break_);

do_illegal:
  AVRLAN_CALL(core.illegal(static_cast<std::uint16_t>(slot->k)));
  goto leave;
do_outside_flash:
  AVRLAN_CALL(core.outside_flash(static_cast<std::uint32_t>(slot->k)));
  goto leave;
do_breakpoint:
  core.stop = true;

leave:
  core.left = left;
  core.pc = static_cast<std::uint32_t>(slot - core.slots);
  core.flags = Flags{carry, overflow, negative, zero};
}

// To give to ExactEngine::observe(). Whoever calls it compiles an interpreter of its own.
template <class Observer>
Instrument instrument(Observer& observer) {
  Instrument result;
  result.interpret = [](Core& core, void* self) { interpret(core, *static_cast<Observer*>(self)); };
  if constexpr (Observer::interrupts) {
    result.interrupt = [](void* self, const InterruptEntry& entry) { static_cast<Observer*>(self)->interrupt(entry); };
    result.reset = [](void* self) { static_cast<Observer*>(self)->reset(); };
  }
  if constexpr (Observer::sleep) {
    result.slept = [](void* self, std::uint32_t next_pc, std::int64_t from, std::int64_t cycles) {
      static_cast<Observer*>(self)->slept(next_pc, from, cycles);
    };
  }
  result.observer = &observer;
  return result;
}

#undef AVRLAN_GO
#undef AVRLAN_DISPATCH
#undef AVRLAN_NEXT
#undef AVRLAN_CALL
#undef AVRLAN_PC
#undef AVRLAN_NOT_DONE
#undef AVRLAN_TAKEN
#undef AVRLAN_ZN
#undef AVRLAN_ADD
#undef AVRLAN_SUBTRACT
#undef AVRLAN_SUBTRACT_CHAINED
#undef AVRLAN_LOGIC
#undef AVRLAN_SHIFT_RIGHT
#undef AVRLAN_WORD
#undef AVRLAN_MULTIPLY
#undef AVRLAN_BRANCH
#undef AVRLAN_SKIP
#undef AVRLAN_LOOP
#undef AVRLAN_SREG
#undef AVRLAN_SET_SREG
#undef AVRLAN_SET_I
#undef AVRLAN_LOAD
#undef AVRLAN_STORE
#undef AVRLAN_LD
#undef AVRLAN_ST
#undef AVRLAN_PUSH_PC
#undef AVRLAN_POP_PC
#undef AVRLAN_TOLD
#undef AVRLAN_JUMP
#undef AVRLAN_LPM

#pragma GCC diagnostic pop

}  // namespace avrlan::cpu
