#include "emulator/profile/memory_profiler.hpp"

#include <algorithm>

namespace avrlan::profile {

MemoryProfiler::MemoryProfiler(const CodeMap& map, const MemoryMap& memory_map, const Firmware& firmware,
                               const std::vector<std::uint8_t>& kinds)
    : Profiler(map, memory_map.pc_bytes, kinds),
      ram_first_(memory_map.ram_first),
      pc_size_(memory_map.pc_bytes),
      written_(static_cast<std::size_t>(memory_map.ram_last - memory_map.ram_first + 1)) {
  const auto heap = std::find_if(firmware.objects.begin(), firmware.objects.end(),
                                 [](const Symbol& symbol) { return symbol.name == "__brkval"; });
  if (heap != firmware.objects.end()) brkval_ = heap->address;
}

void MemoryProfiler::read_unwritten(std::uint16_t address) {
  NeverWritten& reads = never_written_.try_emplace(pc_, NeverWritten{address, cycle_, 0}).first->second;
  ++reads.count;
}

// malloc() writes the pointer a byte at a time, in either order; until both are written, one is old.
void MemoryProfiler::heap_grows(std::uint16_t address, std::uint8_t value) {
  const bool high = address != brkval_;
  heap_end_ = static_cast<std::uint16_t>(high ? (heap_end_ & 0x00FF) | value << 8 : (heap_end_ & 0xFF00) | value);
  if (half_heap_end_ = !half_heap_end_; half_heap_end_ || heap_end_ == 0) return;
  highest_heap_end_ = std::max(highest_heap_end_.value_or(0), heap_end_);
}

}  // namespace avrlan::profile
