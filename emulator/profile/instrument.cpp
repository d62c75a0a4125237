#include "emulator/cpu/interpreter.hpp"
#include "emulator/profile/memory_profiler.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

cpu::Instrument instrument_of(Profiler& profiler) {
  return cpu::instrument(profiler);
}

cpu::Instrument instrument_of(MemoryProfiler& profiler) {
  return cpu::instrument(profiler);
}

}  // namespace avrlan::profile
