#pragma once
// What a guest can do wrong in the core, as data.

#include <cstdint>
#include <string_view>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::cpu {

enum class FaultKind : std::uint8_t {
  illegal_opcode,       // value: the opcode
  closed_flash,         // execution in a section that is being programmed; address: where, in bytes
  jump_outside_flash,   // address: the target, in bytes
  flash_read_outside,   // LPM, ELPM; address: in bytes
  flash_write_outside,  // SPM; address: in bytes
  wild_load,            // address: where no memory, register or device answers
  wild_store,           // the same; value: what was written
  stack_overflow        // address: where the stack would grow into data
};

// The code of its diagnostic, for example "illegal-opcode"; loads and stores share "wild-access".
std::string_view to_string(FaultKind kind);

struct Fault {
  FaultKind kind;
  std::uint32_t pc;  // byte address of the instruction
  std::uint32_t address;
  std::uint16_t value;
  Cycles cycle;  // at which the instruction began
};

// Of severity error, with the kind as its code and what to look for in its message.
Diagnostic to_diagnostic(const Fault& fault);

// Whether execution goes on. An illegal opcode and a jump outside flash end it in any case. Otherwise, after `resume`: a
// load is 0, a store or SPM is ignored, a flash read is 0xFF, the stack grows.
enum class Verdict : std::uint8_t { halt, resume };

class FaultSink {
 public:
  virtual ~FaultSink() = default;
  virtual Verdict on_fault(const Fault& fault) = 0;
};

}  // namespace avrlan::cpu
