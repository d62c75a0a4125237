#pragma once
// What a peripheral needs of the MCU that it sits in. Every access by the CPU is dated at the start of its instruction;
// every event of a peripheral happens before the instruction that starts at its cycle. What the MCU's clock drives is dated
// in cycles, by at(); what has an oscillator of its own is in the Scheduler.

#include <cstdint>
#include <optional>

#include "emulator/board/mcu_clock.hpp"
#include "emulator/cpu/interrupts.hpp"
#include "emulator/cpu/mcu.hpp"
#include "emulator/peripherals/clock_domains.hpp"
#include "emulator/peripherals/cycle_events.hpp"
#include "emulator/peripherals/origin.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/scheduler.hpp"

struct avr_t;

namespace avrlan::peripherals {

// A bit of a register in the data space; `address` 0 when the MCU has no such bit.
struct RegisterBit {
  std::uint16_t address = 0;
  std::uint8_t mask = 0;
};

struct McuContext {
  using EventId = CycleEvents::EventId;

  avr_t& avr;
  const cpu::Mcu& mcu;
  Scheduler& scheduler;
  const McuClock& clock;
  CycleEvents& events;
  ClockDomains& clocks;
  cpu::Interrupts& interrupts;
  DiagnosticSink* diagnostics;  // may be nullptr
  // Where act_for() says it; nullptr: nobody asks.
  std::optional<Origin>* behind = nullptr;

  // Of the instruction being executed, or next.
  Cycles cycle() const;
  Origin origin() const;
  // While a device is told what an earlier instruction did: the byte that it had put into a shift register.
  void act_for(const std::optional<Origin>& origin) const {
    if (behind != nullptr) *behind = origin;
  }
  // Inside a write handler: the cycle at whose start the store has taken effect, which is the end of its instruction
  // (OUT takes 1 cycle; ST, STS, SBI and CBI take 2).
  Cycles store_done() const;
  // Inside a load handler: the cycle in which the instruction looks at the register, which is its first, but the second
  // of LD and LDS.
  Cycles load_sampled() const;
  // The instruction that accesses a register, its first word.
  std::uint16_t opcode() const;
  // Inside an acknowledge: when the response to the interrupt began.
  Cycles response_started() const;
  // Inside a write handler, on a part whose SBI and CBI write one bit: the ones that the instruction itself writes,
  // whatever else an engine has read and writes back.
  std::uint8_t ones_written(std::uint8_t value) const;
  // The last thing that a handler of an access does: the CPU executes its next instruction so many cycles later.
  void stall(std::int64_t cycles) const;
  // Before anything of an access by the CPU enters the world of devices: makes the scheduler's time that of the CPU.
  void sync() const { scheduler.set_now(clock.at(cycle())); }
  // At a cycle of the clock, whatever its frequency is by then.
  EventId at(Cycles when, CycleEvents::Action action) const { return events.at(when, std::move(action)); }
  // Clears the id. Nothing when it has run or was cancelled already.
  void cancel(EventId& id) const { events.cancel(id); }

  // The data space as it stands, without side effects.
  std::uint8_t& data(std::uint16_t address) const;
  bool is_set(RegisterBit bit) const { return bit.address != 0 && (data(bit.address) & bit.mask) != 0; }
  void set_bits(std::uint16_t address, std::uint8_t mask, bool on) const {
    std::uint8_t& value = data(address);
    value = static_cast<std::uint8_t>(on ? value | mask : value & ~mask);
  }
};

// Handlers for loads from and stores to a register. They replace whatever had the register; a write handler stores the
// new value itself. `Method` is a member of `owner`: uint8_t (address), or void (address, value).
using LoadHandler = std::uint8_t (*)(avr_t*, std::uint16_t address, void* owner);
using StoreHandler = void (*)(avr_t*, std::uint16_t address, std::uint8_t value, void* owner);
void set_load_handler(avr_t& avr, std::uint16_t address, LoadHandler handler, void* owner);
void set_store_handler(avr_t& avr, std::uint16_t address, StoreHandler handler, void* owner);

// Whatever has a register now, to store to it later. For registers whose bits belong to several peripherals.
class StoreTarget {
 public:
  StoreTarget(avr_t& avr, std::uint16_t address);
  void store(std::uint16_t address, std::uint8_t value) const;

 private:
  avr_t& avr_;
  StoreHandler handler_;
  void* owner_;
};

template <auto Method, class Owner>
void on_load(avr_t& avr, std::uint16_t address, Owner& owner) {
  set_load_handler(
      avr, address,
      [](avr_t*, std::uint16_t from, void* self) -> std::uint8_t { return (static_cast<Owner*>(self)->*Method)(from); },
      &owner);
}

template <auto Method, class Owner>
void on_store(avr_t& avr, std::uint16_t address, Owner& owner) {
  set_store_handler(
      avr, address,
      [](avr_t*, std::uint16_t to, std::uint8_t value, void* self) { (static_cast<Owner*>(self)->*Method)(to, value); },
      &owner);
}

}  // namespace avrlan::peripherals
