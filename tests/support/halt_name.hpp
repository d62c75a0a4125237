#pragma once

#include "emulator/cpu/engine.hpp"

namespace avrlan::test {

// What a run ended in, as the fuzzers count it.
inline const char* halt_name(cpu::Halt halt) {
  switch (halt) {
    case cpu::Halt::none:
      return "the limit";
    case cpu::Halt::jump_to_self:
      return "a jump to itself";
    case cpu::Halt::sleep:
      return "sleep with interrupts off";
    case cpu::Halt::crashed:
      return "a fault";
    case cpu::Halt::done:
      return "simavr's command";
  }
  return "?";
}

}  // namespace avrlan::test
