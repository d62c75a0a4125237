#pragma once
// Which instruction stands behind what a device is told, for whoever says what the firmware did wrong.

#include <cstdint>

#include "nic-model/core/time.hpp"

namespace avrlan::peripherals {

struct Origin {
  std::uint32_t pc = 0;  // byte address of the instruction
  std::uint16_t sp = 0;  // the stack pointer in it
  Cycles cycle;          // at which it began
};

}  // namespace avrlan::peripherals
