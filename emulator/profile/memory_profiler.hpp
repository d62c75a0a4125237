#pragma once
// A profiler that looks at each load and store, too: reads of SRAM that the firmware has never written, and how far the heap
// has grown. Slower than a Profiler alone.
//
// What the C runtime copies and clears counts as written, and so do return addresses. A return address that is popped by
// RET or RETI is not told. The heap's end is avr-libc's __brkval; other allocators are not known.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "emulator/board/firmware.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

// Loads at one instruction of bytes that were never written.
struct NeverWritten {
  std::uint16_t address = 0;  // of the first
  std::int64_t cycle = 0;     // at which that instruction started
  std::int64_t count = 0;
};

class MemoryProfiler : public Profiler {
 public:
  static constexpr bool memory = true;

  MemoryProfiler(const CodeMap& map, const MemoryMap& memory_map, const Firmware& firmware,
                 const std::vector<std::uint8_t>& kinds = {});

  bool instruction(std::uint32_t pc, std::int64_t cycle) {
    pc_ = pc;
    cycle_ = cycle;
    return Profiler::instruction(pc, cycle);
  }
  void load(std::uint16_t address, std::uint8_t) {
    const std::uint32_t at = address - ram_first_;
    if (at < written_.size() && written_[at] == 0) [[unlikely]]
      read_unwritten(address);
  }
  void store(std::uint16_t address, std::uint8_t value) {
    const std::uint32_t at = address - ram_first_;
    if (at < written_.size()) written_[at] = 1;
    if (address - brkval_ <= 1) [[unlikely]]
      heap_grows(address, value);
  }
  void call(std::uint32_t from, std::uint32_t to, std::uint16_t sp) {
    pushed(sp);
    Profiler::call(from, to, sp);
  }
  void interrupt(const cpu::InterruptEntry& entry) {
    pushed(entry.sp);
    Profiler::interrupt(entry);
  }

  // By word address of the loading instruction.
  const std::map<std::uint32_t, NeverWritten>& never_written() const { return never_written_; }
  // First address after the heap when it was largest; nothing when it was never used.
  std::optional<std::uint16_t> highest_heap_end() const { return highest_heap_end_; }

 private:
  void read_unwritten(std::uint16_t address);
  void heap_grows(std::uint16_t address, std::uint8_t value);
  void pushed(std::uint16_t sp) {
    for (std::uint32_t at = sp + 1U - ram_first_; at < sp + 1U - ram_first_ + pc_size_; ++at) {
      if (at < written_.size()) written_[at] = 1;
    }
  }

  const std::uint32_t ram_first_;
  const unsigned pc_size_;
  std::vector<std::uint8_t> written_;
  std::uint32_t pc_ = 0;
  std::int64_t cycle_ = 0;
  std::map<std::uint32_t, NeverWritten> never_written_;
  static constexpr std::uint32_t nowhere = 0x10000;
  std::uint32_t brkval_ = nowhere;  // where malloc() keeps the heap's end
  std::uint16_t heap_end_ = 0;
  bool half_heap_end_ = false;
  std::optional<std::uint16_t> highest_heap_end_;
};

cpu::Instrument instrument_of(MemoryProfiler& profiler);

}  // namespace avrlan::profile
