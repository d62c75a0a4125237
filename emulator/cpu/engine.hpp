#pragma once
// Executes instructions on simavr's public avr_t. One class an engine; a Machine does not know which one it has.

#include <cstdint>
#include <memory>
#include <optional>

#include "nic-model/core/time.hpp"

struct avr_t;

namespace avrlan::cpu {

// Where every cycle since power-on went; active + sleep == total, and interrupt is the part of active spent between an
// interrupt's entry and its RETI.
struct CycleTotals {
  Cycles total;
  Cycles active;
  Cycles sleep;
  Cycles interrupt;
};

enum class Halt : std::uint8_t {
  none,
  jump_to_self,  // `rjmp .-2` with interrupts off: where avr-libc's exit() ends; r25:r24 is the status
  sleep,         // SLEEP with interrupts off: nothing can wake it
  crashed,       // illegal opcode, wild access: a diagnostic of severity error says which
  done           // simavr's command register
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Executes whole instructions (and sleeps) until avr_t::cycle is at least `limit` or the MCU halts. An instruction that
  // starts at or after the limit is not executed. Returns why it halted, Halt::none when the limit was reached.
  virtual Halt run_until(Cycles limit) = 0;

  // Called from inside run_until (by an I/O handler): an event is now due at `limit`, earlier than asked for.
  virtual void shorten(Cycles limit) = 0;

  virtual CycleTotals totals() const = 0;
};

std::unique_ptr<Engine> make_simavr_engine(avr_t& avr);

}  // namespace avrlan::cpu
