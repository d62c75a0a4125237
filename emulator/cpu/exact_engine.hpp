#pragma once
// The engine that counts every cycle as the manual does: predecoded slots, a threaded interpreter, our own data space. Works
// on simavr's public avr_t, so that simavr's parts, IRQs and VCD keep working.

#include <cstdint>
#include <memory>

#include "emulator/cpu/engine.hpp"
#include "emulator/cpu/fault.hpp"
#include "emulator/cpu/observer.hpp"

namespace avrlan::cpu {

struct Core;
class DataSpace;

struct ExactOptions {
  FaultSink* faults = nullptr;  // nobody: every fault halts
  // The lowest data address that the stack may grow to, for example the end of .bss; 0: the start of SRAM.
  std::uint16_t stack_floor = 0;
  SleepOptions sleep = {};
};

// An observer, once instantiated; see interpreter.hpp's instrument().
struct Instrument {
  void (*interpret)(Core&, void* observer) = nullptr;
  void (*interrupt)(void* observer, const InterruptEntry& entry) = nullptr;
  void (*reset)(void* observer) = nullptr;
  void (*slept)(void* observer, std::uint32_t next_pc, std::int64_t from, std::int64_t cycles) = nullptr;
  void* observer = nullptr;
};

// An I/O register's handler sees avr_t::cycle at the start of the instruction that accesses it, avr_t::pc at that instruction,
// and I in avr_t::sreg; the arithmetic flags there are current only between runs. It stalls the CPU by adding to avr_t::cycle.
class ExactEngine : public Engine {
 public:
  // To solder external RAM and devices to, before the first run.
  virtual DataSpace& data_space() = 0;

  // Run so that an observer sees it; an empty Instrument: nobody does.
  virtual void observe(const Instrument& instrument) = 0;

  // Stops before the instruction at byte address `pc` is executed, except when the run before stopped there. They cost a run
  // nothing.
  virtual void add_breakpoint(std::uint32_t pc) = 0;
  virtual void remove_breakpoint(std::uint32_t pc) = 0;
  // Whether the last run_until returned Halt::none before its limit: at a breakpoint, or because an observer wanted to.
  virtual bool stopped() const = 0;
};

// All of them must outlive the engine.
std::unique_ptr<ExactEngine> make_exact_engine(avr_t& avr, Interrupts& interrupts, const Mcu& mcu,
                                               const ExactOptions& options = {});

}  // namespace avrlan::cpu
