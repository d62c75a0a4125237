#pragma once
// What the interpreter shares with the engine around it: registers, time, and the ways out of the fast path.

#include <bit>
#include <cstdint>
#include <cstring>

#include "emulator/cpu/decoder.hpp"

namespace avrlan::cpu {

class Interrupts;

static_assert(std::endian::native == std::endian::little, "register pairs are read as host words");

inline std::uint32_t load16(const std::uint8_t* p) {
  std::uint16_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
inline void store16(std::uint8_t* p, std::uint32_t value) {
  const auto narrow = static_cast<std::uint16_t>(value);
  std::memcpy(p, &narrow, sizeof narrow);
}

// SREG's arithmetic flags as instructions leave them: the operands' carries and the result, from which a flag is computed
// only when something asks for it.
struct Flags {
  std::uint32_t carry = 0;     // C: bit 8, H: bit 4; carries into bit 4 and out of bit 7
  std::uint32_t overflow = 0;  // V: bit 7 differs from bit 8
  std::uint32_t negative = 0;  // N: bit 7; S is N ^ V ^ bit 9
  std::uint32_t zero = 1;      // Z: all bits are 0

  static constexpr std::uint8_t C = 0x01, Z = 0x02, N = 0x04, V = 0x08, S = 0x10, H = 0x20, T = 0x40, I = 0x80;

  static constexpr Flags from(std::uint32_t sreg) {
    Flags f;
    f.carry = (sreg & C) << 8 | (sreg & H) >> 1;
    f.overflow = (sreg & V) << 4;
    f.negative = (sreg & N) << 5 | ((sreg ^ sreg << 1 ^ sreg << 2) & S) << 5;
    f.zero = ~sreg & Z;
    return f;
  }
  // Without T and I.
  constexpr std::uint32_t bits() const {
    return (carry >> 8 & C) | (zero == 0 ? Z : 0U) | (negative >> 5 & N) | ((overflow >> 4 ^ overflow >> 5) & V) |
           ((negative >> 3 ^ negative >> 5 ^ overflow >> 3 ^ overflow >> 4) & S) | (carry << 1 & H);
  }
};

struct Core {
  // Registers, I/O registers and internal SRAM.
  std::uint8_t* data = nullptr;
  // Where loads and stores need not look further: internal SRAM, as first address and size.
  std::uint32_t ram_first = 0;
  std::uint32_t ram_size = 0;
  // Where pushes need not: the SRAM above the stack's floor.
  std::uint32_t stack_first = 0;
  std::uint32_t stack_size = 0;

  const Slot* slots = nullptr;
  std::uint32_t flash_words = 0;
  const std::uint8_t* flash = nullptr;
  std::uint32_t flash_size = 0;
  std::uint32_t readable_flash = 0;  // what LPM and ELPM read without looking further, from 0

  std::uint32_t wide_pc = 0;  // 1 when the program counter has 22 bits and takes 3 bytes of stack
  std::uint16_t rampz = 0;    // data addresses, 0 when the core has none
  std::uint16_t eind = 0;

  std::uint32_t pc = 0;  // in words
  Flags flags;
  std::uint8_t t = 0;
  std::uint8_t i = 0;

  // The slice ends at cycle `deadline`; `left` cycles of it remain before the instruction at pc.
  std::int64_t deadline = 0;
  std::int64_t left = 0;
  // The cycle at which an instruction ended that lets one more go before any interrupt (SEI, RETI, SREG).
  std::int64_t shadow = -1;
  // An observer or a breakpoint wants the run to stop before the instruction at pc.
  bool stop = false;

  const Interrupts* interrupts = nullptr;

  std::int64_t now() const { return deadline - left; }
  // To be called with `left` of the next instruction: it is the last one of this slice.
  void end_after_next() {
    if (left <= 1) return;
    deadline -= left - 1;
    left = 1;
  }
  // The instruction being executed is the last one of this slice.
  void end_now() {
    deadline -= left;
    left = 0;
  }
  // I has gone from 0 to 1 in an instruction that ended at now().
  void interrupts_enabled();

  // The ways out. pc and left are those of the instruction being executed; each may change left and deadline.
  virtual std::uint8_t load(std::uint16_t address) = 0;
  virtual void store(std::uint16_t address, std::uint8_t value) = 0;
  virtual std::uint8_t in(std::uint16_t address) = 0;
  virtual void out(std::uint16_t address, std::uint8_t value) = 0;
  virtual void set_bit(std::uint16_t address, std::uint8_t mask) = 0;
  virtual void clear_bit(std::uint16_t address, std::uint8_t mask) = 0;
  virtual void push(std::uint16_t sp, std::uint8_t value) = 0;
  virtual void push_pc(std::uint16_t sp, std::uint32_t return_pc) = 0;
  virtual std::uint32_t pop_pc(std::uint16_t sp) = 0;
  virtual std::uint8_t read_flash(std::uint32_t address) = 0;
  virtual void store_program() = 0;
  virtual void leave_interrupt() = 0;  // with pc, left and i as RETI leaves them
  virtual void sleep() = 0;            // with pc and left as SLEEP leaves them
  virtual void reset_watchdog() = 0;
  // A jump to itself with interrupts off; false when a watchdog will end it.
  virtual bool halt_in_loop() = 0;
  virtual void illegal(std::uint16_t opcode) = 0;
  virtual void outside_flash(std::uint32_t target) = 0;

 protected:
  ~Core() = default;
};

}  // namespace avrlan::cpu
