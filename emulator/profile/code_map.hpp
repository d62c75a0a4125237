#pragma once
// What every word of the flash belongs to: a function, and whether it is part of a loop that only waits.
//
// Functions are the ELF's symbols; what no symbol covers is named by the one before it, "main+0x3a", or by its address. A stripped firmware's functions begin
// where something calls or where a vector leads. A slot of the vector table belongs to the function that it jumps to.
//
// A loop waits when it ends in a backward jump of at most 16 words to its start and its body
//   - only reads and tests (IN, LDS, LD without increment, SBIC, SBIS, SBRC, SBRS, CPI, CP, ANDI, ...), so that nothing but
//     a peripheral or an interrupt can end it, or is one jump to itself; or
//   - only counts a register down (DEC, SBIW, SUBI, SBCI, NOP): avr-libc's delay loops.
// Not recognised: loops with a call in them, and delays made of straight NOPs.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/cpu/decoder.hpp"

namespace avrlan::profile {

struct Function {
  std::string symbol;         // as in the ELF, or "0x1234"
  std::string name;           // demangled; unique: of namesakes all but the first have " #2", ... by address
  std::uint32_t address = 0;  // bytes
  std::uint32_t size = 0;     // bytes of flash that belong to it
  bool interrupt = false;     // a vector leads to it
};

// An instruction as it stands in the firmware, and what it costs.
struct Instruction {
  cpu::Op op = cpu::Op::nop;
  std::uint8_t cycles = 0;
  std::uint8_t taken_cycles = 0;  // on top, when a branch or skip is taken
  bool conditional = false;       // a branch or a skip
  bool loads_on = false;          // with a pointer that moves on: by itself, or by ADIW or SUBI in the same loop
  bool stores_on = false;
};

class CodeMap {
 public:
  // The firmware is not kept.
  CodeMap(const Firmware& firmware, const MemoryMap& memory);

  const std::vector<Function>& functions() const { return functions_; }
  std::uint32_t flash_words() const { return static_cast<std::uint32_t>(words_.size()); }
  // As far as the firmware has code or data in it.
  std::uint32_t image_words() const { return image_words_; }
  std::uint32_t function_of(std::uint32_t word) const { return words_[word] >> 1; }
  bool waits(std::uint32_t word) const { return (words_[word] & 1) != 0; }
  // Function and waiting as one number, for comparison.
  std::uint32_t segment(std::uint32_t word) const { return words_[word]; }
  const Instruction& instruction(std::uint32_t word) const { return instructions_[word]; }

 private:
  void name_functions(const Firmware& firmware);
  void find_functions(const Firmware& firmware);
  void resolve_vectors(const Firmware& firmware, unsigned vector_words);
  void find_waiting_loops(const Firmware& firmware);
  void find_moving_pointers(const Firmware& firmware);
  void time_instructions(const Firmware& firmware, unsigned pc_bytes);

  std::vector<Function> functions_;
  std::uint32_t image_words_ = 0;
  std::vector<std::uint32_t> words_;
  std::vector<Instruction> instructions_;
};

}  // namespace avrlan::profile
