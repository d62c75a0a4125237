#include "emulator/cpu/fault.hpp"

#include <cstdio>

namespace avrlan::cpu {

namespace {

std::string hex(std::uint32_t value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%0*x", digits, static_cast<unsigned>(value));
  return text;
}

std::string message(const Fault& fault) {
  const std::string address = hex(fault.address, 4);
  switch (fault.kind) {
    case FaultKind::illegal_opcode:
      if (fault.value == 0xFFFF) {
        return "Execution has reached erased flash; look for a jump that misses its function, or a part of the image "
               "that was not loaded.";
      }
      return "The opcode " + hex(fault.value, 4) +
             " is no instruction of this MCU; look for a jump into data, or for code built for another -mmcu.";
    case FaultKind::closed_flash:
      return "Execution goes on at " + address +
             ", in the read-while-write section while SPM programs it, or before RWWSRE has enabled it again; keep "
             "interrupts off meanwhile, or move their vectors by IVSEL.";
    case FaultKind::jump_outside_flash:
      return "Execution goes on at " + address +
             ", outside the flash; look for a bad function pointer or an overwritten return address.";
    case FaultKind::flash_read_outside:
      return "LPM or ELPM reads at " + address + ", outside the flash; look at Z and RAMPZ.";
    case FaultKind::flash_write_outside:
      return "SPM writes at " + address + ", outside the flash; look at Z and RAMPZ.";
    case FaultKind::wild_load:
      return "A load from " + address +
             ", where no memory answers; look for a bad pointer, or for external memory that is not enabled.";
    case FaultKind::wild_store:
      return "A store of " + hex(fault.value, 2) + " to " + address +
             ", where no memory answers; look for a bad pointer, or for external memory that is not enabled.";
    case FaultKind::stack_overflow:
      return "The stack grows down to " + address + ", into data; look for deep recursion or large local arrays.";
  }
  return {};
}

}  // namespace

std::string_view to_string(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_opcode:
      return "illegal-opcode";
    case FaultKind::closed_flash:
      return "closed-flash";
    case FaultKind::jump_outside_flash:
      return "outside-flash";
    case FaultKind::flash_read_outside:
      return "flash-read-outside";
    case FaultKind::flash_write_outside:
      return "flash-write-outside";
    case FaultKind::wild_load:
    case FaultKind::wild_store:
      return "wild-access";
    case FaultKind::stack_overflow:
      return "stack-overflow";
  }
  return {};
}

Diagnostic to_diagnostic(const Fault& fault) {
  return {Severity::error, std::string{to_string(fault.kind)}, message(fault)};
}

}  // namespace avrlan::cpu
