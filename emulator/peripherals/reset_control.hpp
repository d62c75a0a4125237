#pragma once
// Resets and their causes (MCUSR, MCUCSR), and where the vectors are: BOOTRST, IVSEL (datasheets, sections "System Control and
// Reset" and "Interrupts").
//
// Phase. After the store that sets IVCE no interrupt is taken for four cycles, or until the instruction after the store that
// writes IVSEL is over.
// Not modelled: brown-out and JTAG resets; the boot lock bits that forbid interrupts across sections.

#include <cstdint>

#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"
#include "emulator/peripherals/timed_bit.hpp"

namespace avrlan::peripherals {

enum class ResetCause : std::uint8_t { power_on = 0x01, external = 0x02, watchdog = 0x08 };  // as bits of MCUSR

class ResetControl {
 public:
  // After everything else that has MCUSR, MCUCR or GICR: its handlers are kept.
  ResetControl(const McuContext& mcu, const Part& part, const Fuses& fuses);
  ResetControl(const ResetControl&) = delete;
  ResetControl& operator=(const ResetControl&) = delete;

  // The engine resets the MCU before its next instruction.
  void request(ResetCause cause);
  // After avr_reset(): restores MCUSR, with the cause; CPU and clkIO start when the oscillator has, and the reset delay is
  // over. At power-on, which is what nobody has requested, cycle 0 is when they start.
  void reset();

 private:
  void store_mcusr(std::uint16_t address, std::uint8_t value);
  void store_ivsel(std::uint16_t address, std::uint8_t value);

  const McuContext& mcu_;
  const Part& part_;
  const ClockSource source_;
  const std::uint32_t boot_section_;  // in words
  const StoreTarget mcusr_target_;
  const StoreTarget ivsel_target_;
  TimedBit ivce_;
  ResetCause cause_ = ResetCause::power_on;
  Cycles requested_;
  std::uint8_t causes_ = 0;
};

}  // namespace avrlan::peripherals
