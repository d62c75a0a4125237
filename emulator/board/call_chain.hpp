#pragma once
// Who called whom, from the return addresses on an AVR's stack.

#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/board/firmware.hpp"

namespace avrlan {

// Byte addresses of the instructions that led to `pc`, the innermost first: calls, and jumps that stand for a call and a
// return. A word on the stack counts as a return address when the instruction before it calls the very function that the
// chain has reached, or one that jumps there, or calls by a pointer. The chain ends where none is found: at main, in an
// interrupt handler, behind more than three such jumps.
// `read` gives a byte of the data space; the stack begins above `sp` and ends with `ram_end`.
std::vector<std::uint32_t> call_chain(const Firmware& firmware, std::uint32_t pc, std::uint16_t sp,
                                      std::uint16_t ram_end, bool wide_pc,
                                      const std::function<std::uint8_t(std::uint16_t)>& read);

}  // namespace avrlan
