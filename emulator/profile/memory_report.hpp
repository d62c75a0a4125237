#pragma once
// memory.json: what a run made of the SRAM.

#include <nlohmann/json_fwd.hpp>

#include "emulator/board/firmware.hpp"
#include "emulator/board/machine.hpp"
#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/memory_profiler.hpp"

namespace avrlan::profile {

// schema "avrlan-memory-1". Addresses are data addresses, sizes bytes.
//   ram {first, last, size}, static {data, bss, end}, objects [{name, address, size}] largest first
//   heap {start, highest_end, used}: what malloc() has taken at most; null when it was not called
//   stacks [{lowest_sp, used, chain}]: one a thread, the firmware's first one first. `used` is from the end of the SRAM, of
//     the first one only; `chain` is who did it, outermost first
//   functions [{name, lowest_sp, chain}]: the deepest while this function was the innermost
//   free: SRAM that neither .data, .bss, heap nor the first stack ever reached, at least; negative: they have met
//   never_written [{pc, function, file, line, address, object, first_cycle, count}]: loads of what nothing had written
nlohmann::ordered_json memory_json(const MemoryProfiler& profiler, const DebugInfo& debug, const Firmware& firmware,
                                   const MemoryMap& memory);

}  // namespace avrlan::profile
