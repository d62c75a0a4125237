#pragma once
// What the exact engine can tell while it executes, as compile-time policies: what an observer does not ask for costs nothing.
//
// An observer is a class like NoObserver with the constants that it wants set to true and the functions that belong to them:
//   instructions  bool instruction(std::uint32_t pc, std::int64_t cycle): before each instruction; true stops the run there
//   memory        void load(std::uint16_t address, std::uint8_t value), void store(the same): data space, stack included,
//                 IN and OUT included
//   calls         void call(std::uint32_t to, std::uint16_t sp), void ret(std::uint32_t to, std::uint16_t sp): after the
//                 program counter was pushed or popped; RETI counts as ret
//   interrupts    void interrupt(unsigned vector, std::uint32_t return_pc, std::int64_t cycle): when the entry is over
// Program counters are in words.

namespace avrlan::cpu {

struct NoObserver {
  static constexpr bool instructions = false;
  static constexpr bool memory = false;
  static constexpr bool calls = false;
  static constexpr bool interrupts = false;
};

}  // namespace avrlan::cpu
