#pragma once
// INT0..INT7: edges and low level, EIFR, EICRA/EICRB, EIMSK; and the write-1-to-clear of PCIFR, which simavr lacks.
// (ATmega328P datasheet "External Interrupts", ATmega2560 the same.)
// Not modelled: the pin synchroniser (a request is seen one to two cycles early), flags set by a change of ISCn while
// the interrupt is enabled, asynchronous detection in the deeper sleep modes (all sleep is idle).

#include <cstdint>
#include <deque>

#include "emulator/peripherals/mcu_context.hpp"

struct avr_irq_t;
struct avr_ioport_t;

namespace avrlan::peripherals {

class ExternalInterrupts {
 public:
  explicit ExternalInterrupts(const McuContext& mcu);
  ExternalInterrupts(const ExternalInterrupts&) = delete;
  ExternalInterrupts& operator=(const ExternalInterrupts&) = delete;

  // After avr_reset().
  void reset();

 private:
  // ISCn1:0
  enum class Sense : std::uint8_t { low_level, any_edge, falling_edge, rising_edge };
  struct Line {
    ExternalInterrupts* owner;
    unsigned vector;
    std::uint16_t control;  // EICRA, EICRB, or MCUCR and MCUCSR
    std::uint8_t control_shift;
    bool one_bit;        // INT2 of the ATmega16 and 32: ISC2 chooses between the falling and the rising edge
    RegisterBit enable;  // EIMSK
    RegisterBit flag;    // EIFR
    bool high = true;

    Sense sense() const;
    void update();
    static void pin_changed(avr_irq_t* irq, std::uint32_t value, void* line);
  };

  void store_control(std::uint16_t address, std::uint8_t value);
  void store_eifr(std::uint16_t address, std::uint8_t value);
  void store_pcifr(std::uint16_t address, std::uint8_t value);
  void update();

  const McuContext& mcu_;
  std::deque<Line> lines_;
};

}  // namespace avrlan::peripherals
