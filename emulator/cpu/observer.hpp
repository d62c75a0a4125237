#pragma once
// What the exact engine can tell while it executes, as compile-time policies: what an observer does not ask for costs nothing.
//
// An observer is a class like NoObserver with the constants that it wants set to true and the functions that belong to them:
//   instructions  bool instruction(std::uint32_t pc, std::int64_t cycle): before each instruction; true stops the run there
//   memory        void load(std::uint16_t address, std::uint8_t value), void store(the same): data space, stack included,
//                 IN, OUT, SBI, CBI, SBIC and SBIS included; what SBI and CBI leave
//   timing        void taken(std::uint32_t pc): a branch or skip at pc was taken; void stalled(std::uint32_t pc,
//                 std::int64_t cycles): it takes so many cycles more than the decoder's table says (wait states, SPM), or fewer:
//                 the run ended at it
//   calls         void call(std::uint32_t from, std::uint32_t to, std::uint16_t sp), void ret(the same): after the program
//                 counter was pushed or popped; RETI counts as ret
//   stack         void push(std::uint16_t sp): after PUSH; void stack_set(std::uint16_t address, std::uint16_t sp): after OUT
//                 to SPL or SPH, as which of them `address` tells. ST and STS to them are not told
//   interrupts    void interrupt(const InterruptEntry&): when the entry is over; void reset(): the MCU was reset
//   sleep         void slept(std::uint32_t next_pc, std::int64_t from, std::int64_t cycles): so many cycles after `from` have
//                 passed, wake-up included
// Program counters are in words.

#include <cstdint>

namespace avrlan::cpu {

struct InterruptEntry {
  unsigned vector;
  std::uint32_t vector_pc;
  std::uint32_t return_pc;
  std::uint16_t sp;      // after the program counter was pushed
  std::int64_t started;  // the entry's first cycle
  std::int64_t over;
};

struct NoObserver {
  static constexpr bool instructions = false;
  static constexpr bool memory = false;
  static constexpr bool timing = false;
  static constexpr bool calls = false;
  static constexpr bool stack = false;
  static constexpr bool interrupts = false;
  static constexpr bool sleep = false;
};

}  // namespace avrlan::cpu
