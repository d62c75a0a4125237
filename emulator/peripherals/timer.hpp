#pragma once
// One timer: its registers, flags and pins around a TimerCounter. It counts when somebody looks: an event is scheduled only
// for a flag whose interrupt is enabled and for a change of a pin that is an output.
// Phase: a store takes effect at the end of its instruction, and the clock edge there still sees the register's old value;
// IN sees what the edge at its start has left, LDS and LD the one after it. An edge at Tn or ICPn acts three cycles later
// (datasheet: 2.5 to 3.5), seven with the noise canceller; the flag is set then, ICRn is the count before that edge.
// Not modelled: capture by the analog comparator, edges at Tn and ICPn while the I/O clock stands (sleep modes), pulses at ICPn or Tn shorter than a cycle.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/timer_clock.hpp"
#include "emulator/peripherals/timer_counter.hpp"
#include "emulator/peripherals/timer_layout.hpp"

namespace avrlan::peripherals {

class Timer {
 public:
  Timer(const McuContext& mcu, Gpio& gpio, TimerClock& clock, const TimerLayout& layout);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  const TimerLayout& layout() const { return layout_; }
  TimerClock& clock() const { return clock_; }

  // After avr_reset().
  void reset();
  // Counts up to the clock edge at the start of cycle `at`, and no further. A change at that edge of what it counts by
  // (prescaler, power, sleep) comes after it.
  void settle(Cycles at);
  // As settle(), for a store: `at` lies a cycle or two ahead, and each change of a pin until then keeps its own cycle.
  void catch_up(Cycles at);
  // Sets the interrupt lines, and schedules what can be observed next. After settle(), and every change.
  void update();
  // The flags in register `tifr` that counting on to cycle `at` would set.
  std::uint8_t flags_ahead(std::uint16_t tifr, Cycles at) const;
  bool has_flags_in(std::uint16_t tifr) const;
  // Bits of this register that are this timer's: TIFRn and TIMSKn.
  std::uint8_t flag_mask(std::uint16_t tifr) const;
  std::uint8_t enable_mask(std::uint16_t timsk) const;
  // Puts the current count into the data space, for a debugger.
  void show();

  // The I/O clock stands still or goes on; TCNTn of an asynchronous timer reads as before until its next clock.
  void io_clock_stops(Cycles at);
  void io_clock_goes_on(Cycles at);

 private:
  // What OCnx does with its pin: nothing, tell it each change, or be asked.
  enum class Attached : std::uint8_t { no, telling, on_demand };
  struct Output {
    unsigned channel;
    Gpio::Alternate* pin;
    Attached attached = Attached::no;
    bool shown = false;
  };
  // A store on its way into the clock domain of the crystal.
  struct Delayed {
    std::uint16_t address;
    std::uint16_t value;
    std::int64_t latched;  // at this count of the clock
  };

  struct Source {
    TimerCounter::Events event;
    unsigned vector;
    RegisterBit flag;
    RegisterBit enable;
    std::uint8_t* tifr;
    const std::uint8_t* timsk;
    bool raised() const { return (*tifr & flag.mask) != 0; }
    bool enabled() const { return (*timsk & enable.mask) != 0; }
  };

  std::uint8_t load(std::uint16_t address);
  void store(std::uint16_t address, std::uint8_t value);
  void store_assr(std::uint16_t address, std::uint8_t value);
  std::uint8_t load_assr(std::uint16_t address);

  bool powered() const { return !mcu_.is_set(layout_.power_reduction); }
  bool sampling() const { return powered() && mcu_.clocks.runs(ClockDomain::io); }
  bool asynchronous() const { return layout_.own_prescaler() && clock_.counts_crystal(); }
  bool ticking() const { return divided_ && clock_.runs() && powered(); }
  unsigned external_edge() const { return layout_.own_prescaler() ? 0 : control_b_ & 7U; }

  std::uint16_t count_at(Cycles at);
  std::int64_t ticks_to(Cycles at) const;
  void count_to(std::int64_t count);
  void tick(std::int64_t ticks, std::int64_t count);
  void raise(TimerCounter::Events events);
  bool store_16bit(std::uint16_t address, std::uint8_t value, std::uint16_t& whole);
  void write(std::uint16_t address, std::uint16_t value);
  void write_delayed(std::uint16_t address, std::uint16_t value, Cycles at);
  std::uint8_t busy_bit(std::uint16_t address) const;
  void write_control();
  void force(std::uint16_t address, std::uint8_t value);
  std::uint8_t writable(std::uint16_t address) const;

  TimerCounter::Events awaited() const;
  std::uint8_t awaited_outputs() const;
  void schedule();
  void due(Cycles at);
  void show_outputs(Cycles at);
  void attach(Output& output, Cycles at);
  bool output_at(unsigned channel, Cycles at) const;
  void watch_input_pins();
  void connect(TimerCounter::Events event, const InterruptSource& source);
  void acknowledge(const Source& source);

  void clock_pin_changed(bool high);
  void capture_pin_changed(bool high);
  void capture(Cycles at, bool high);

  const McuContext& mcu_;
  Gpio& gpio_;
  TimerClock& clock_;
  const TimerLayout layout_;
  std::vector<Source> sources_;
  TimerCounter counter_;

  std::int64_t counted_ = 0;    // of the clock
  bool divided_ = false;        // else stopped, or clocked at Tn
  unsigned shift_ = 0;          // it divides by two to this
  std::uint8_t control_a_ = 0;  // TCCRnA and TCCRnB as they work, which is later than written in an asynchronous timer
  std::uint8_t control_b_ = 0;
  std::uint8_t temp_ = 0;
  std::deque<Delayed> delayed_;
  std::optional<std::uint16_t> stale_count_;  // what TCNTn reads as after waking, until ...
  std::int64_t stale_until_ = 0;

  std::vector<Output> outputs_;
  std::uint8_t outputs_before_ = 0;  // levels before the last change, which was at this count of the clock
  std::int64_t outputs_changed_ = 0;
  bool watches_inputs_ = false;
  bool capture_level_ = false;  // behind the noise canceller
  McuContext::EventId capture_;
  McuContext::EventId event_;
  Scheduler::EventId crystal_event_;
};

}  // namespace avrlan::peripherals
