#pragma once
// INT0..INT7 and the pin-change interrupts (datasheets, section "External Interrupts"; EIFR is GIFR, EIMSK GICR, EICRA MCUCR
// and MCUCSR on the older parts). They work on outputs, too: "software interrupts".
//
// Phase. Behind PINxn's synchroniser (gpio.hpp: 1/2 to 1 1/2 cycles) an edge detector takes two cycles more, so that INTFn or
// PCIFn is set 2 1/2 to 3 1/2 cycles after the edge: figure "Timing of pin change interrupts", and the words of the
// timers' section on the like edge detector of T1 and T0. That INTn's detector is like it is inferred. A level is seen
// as PINxn is. The first interrupt that an OUT at cycle c can cause is entered at c + 4; a level, at c + 2.
// ISCn counts when the flag is about to be set.
// In sleep modes without clkIO, levels, pin changes and the edges of INT3:0 (INT2 on the ATmega16 and 32) are detected without
// a clock, at once. Other edges are seen when the clock is back, if the level is still another.
//
// Not modelled: the low level that must last for the start-up time, or two periods of the watchdog's oscillator, to wake;
// a flag that a change of ISCn or PCMSKn itself may set, which the datasheets leave open.

#include <array>
#include <cstdint>
#include <deque>

#include "emulator/peripherals/gpio.hpp"
#include "emulator/peripherals/mcu_context.hpp"

struct avr_irq_t;
struct avr_extint_t;

namespace avrlan::peripherals {

class ExternalInterrupts {
 public:
  ExternalInterrupts(const McuContext& mcu, Gpio& gpio);
  ExternalInterrupts(const ExternalInterrupts&) = delete;
  ExternalInterrupts& operator=(const ExternalInterrupts&) = delete;

  // After avr_reset().
  void reset();

 private:
  // ISCn1:0
  enum class Sense : std::uint8_t { low_level, any_edge, falling_edge, rising_edge };

  // INTn
  struct Line {
    ExternalInterrupts* owner;
    Pin pin;
    unsigned vector;
    std::uint16_t control;
    std::uint8_t control_shift;
    bool one_bit;       // ISC2 of the ATmega16 and 32 chooses between the falling and the rising edge
    bool asynchronous;  // edges need no clock
    RegisterBit enable;
    RegisterBit flag;
    bool seen = false;  // the level that the edge detector has been fed

    Sense sense() const;
    bool wanted() const;
    void update();
    void changed(bool high, Cycles visible);
    void clock_goes_on(Cycles at);
    void edge_arrives(bool high, unsigned reset);
    void raise(bool high);
  };
  // PCINTn
  struct Group {
    ExternalInterrupts* owner;
    unsigned vector;
    std::uint16_t mask_register;
    RegisterBit enable;
    RegisterBit flag;

    void update();
    void change_arrives(unsigned reset);
    void raise();
  };
  // What hangs on one port.
  struct Port {
    char name;
    std::array<Line*, 8> lines{};
    std::array<Group*, 8> groups{};
    std::array<std::uint8_t, 8> masks{};  // in the group's mask register
    std::uint8_t wanted = 0;
  };

  Port& port(char name);
  void add_lines(avr_extint_t& module);
  void add_groups();
  void listen(std::uint16_t address);
  bool clock_runs() const;
  void pins_changed(Port& port, std::uint8_t changed);
  void update();
  void store_eifr(std::uint16_t address, std::uint8_t value);
  void store_pcifr(std::uint16_t address, std::uint8_t value);
  static void register_accessed(avr_irq_t* irq, std::uint32_t value, void* self);

  const McuContext& mcu_;
  Gpio& gpio_;
  std::deque<Line> lines_;
  std::deque<Group> groups_;
  std::deque<Port> ports_;
  unsigned resets_ = 0;  // edges that were under way before one are forgotten
};

}  // namespace avrlan::peripherals
