#pragma once
// Executes instructions on simavr's public avr_t. One class an engine; a Machine does not know which one it has.

#include <cstdint>
#include <functional>
#include <memory>

#include "emulator/cpu/core_traits.hpp"
#include "nic-model/core/time.hpp"

struct avr_t;

namespace avrlan::cpu {

class Interrupts;
struct Mcu;

// Where every cycle since power-on went; active + sleep == total, and interrupt is the part of active spent between an
// interrupt's entry (the cycles of the entry included) and the end of its RETI. Nested interrupts count once.
struct CycleTotals {
  Cycles total;
  Cycles active;
  Cycles sleep;
  Cycles interrupt;
};

enum class Halt : std::uint8_t {
  none,
  jump_to_self,  // a jump to itself with interrupts off, where avr-libc's exit() ends; r25:r24 is the status
  sleep,         // SLEEP with interrupts off: nothing can wake it
  crashed,       // illegal opcode, wild access: a diagnostic of severity error says which
  done           // simavr's command register
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Executes whole instructions (and sleeps) until avr_t::cycle is at least `limit` or the MCU halts. An instruction that
  // starts at or after the limit is not executed. Returns why it halted, Halt::none when the limit was reached.
  // A jump to itself that halts is not executed: cycle and pc are those of its start.
  virtual Halt run_until(Cycles limit) = 0;

  // Called from inside run_until (by an I/O handler): an event is now due at `limit`, earlier than asked for.
  virtual void shorten(Cycles limit) = 0;

  virtual CycleTotals totals() const = 0;

  // Something other than simavr's own SPM has changed avr_t::flash: byte addresses.
  virtual void flash_changed(std::uint32_t first, std::uint32_t size) = 0;

  // From now on LPM and ELPM ask `reader`, with the byte address, instead of the flash; nullptr: the flash again.
  using FlashReader = std::function<std::uint8_t(std::uint32_t address)>;
  virtual void read_flash_by(FlashReader reader) = 0;

  // Nothing in [0, end) can be executed: it is being programmed. 0: everything can.
  virtual void close_flash(std::uint32_t end) = 0;
};

// Hears of the modes in which clocks stop. Peripherals that are ours stop theirs by it.
class SleepListener {
 public:
  virtual ~SleepListener() = default;
  // `now` is the end of SLEEP.
  virtual void fell_asleep(SleepMode mode, Cycles now) = 0;
  // `now` is when the clocks run again: the wake-up event and the oscillator's start-up time, before the cycles for which
  // the CPU is halted still.
  virtual void woke(Cycles now) = 0;
};

struct SleepOptions {
  // The main oscillator's start-up time from power-down and power-save, by the CKSEL and SUT fuses; 16K CK is a crystal,
  // slowly rising power. ATmega328P datasheet, table "Start-up Times for the Low Power Crystal Oscillator".
  std::int64_t start_up_cycles = 16384;
  SleepListener* listener = nullptr;
};

// simavr's interpreter, one instruction at a time, under our own interrupt entry, sleep and end of run. All arguments that
// are references, and the listener, must outlive the engine.
std::unique_ptr<Engine> make_simavr_engine(avr_t& avr, Interrupts& interrupts, const Mcu& mcu,
                                           const SleepOptions& sleep = {});

}  // namespace avrlan::cpu
