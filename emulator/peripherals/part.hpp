#pragma once
// System control, fuses and memories of each part, where simavr's tables are silent or wrong. Register addresses and fuse bits
// are those of avr-libc's headers; times and factors those of the datasheets.

#include <array>
#include <cstdint>
#include <string_view>

#include "emulator/board/analog_signal.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::peripherals {

// Low, high and extended fuse byte; a bit that is programmed is 0.
using Fuses = std::array<std::uint8_t, 3>;

// A bit of the fuses; mask 0 when the part has none such.
struct FuseBit {
  std::uint8_t byte = 0;
  std::uint8_t mask = 0;
  bool programmed(const Fuses& fuses) const { return mask != 0 && (fuses[byte] & mask) == 0; }
};

struct Part {
  // MCUCR, or GICR: IVSEL and IVCE are bits 1 and 0 in either. 0 when there is none.
  std::uint16_t ivsel;
  // Data addresses, 0 when there is none.
  std::uint16_t clkpr, xdiv, osccal;
  // WDTCSR, with WDIE, WDIF and WDP3; or the WDTCR of the older parts, which can only reset.
  std::uint16_t wdtcsr;
  bool watchdog_interrupt;
  // The watchdog's time-out at prescaler 0, typical at 5 V: 2K cycles of 128 kHz, or 16K cycles of its 1 MHz oscillator.
  Duration watchdog_timeout;
  // ATmega32: WDTOE guards switching off alone, the prescaler can be changed at any time.
  bool watchdog_prescaler_free;
  // EEPM1:0 and 3.4 / 1.8 / 1.8 ms; without, 8448 cycles of the 1 MHz oscillator.
  bool eeprom_modes;
  // SIGRD: the signature row can be read.
  bool signature_row;
  // The analog comparator, of which simavr does not always know: ACSR, ACME, its vector, the bandgap reference.
  std::uint16_t acsr;
  RegisterBit acme;
  std::uint8_t comparator_vector;
  Voltage bandgap;
  FuseBit ckdiv8, wdton, bootrst, m103c;
  // BOOTSZ1:0: the byte, and the shift of BOOTSZ0.
  std::uint8_t bootsz_byte, bootsz_shift;
  // In words, at BOOTSZ 3; each step down doubles it. The largest is the no-read-while-write section. 0 on the ATmega48,
  // which can execute SPM anywhere, and is halted by it.
  std::uint16_t smallest_boot_section;
  // What our boards have: an external crystal with the slowest start, no CKDIV8, the largest boot section, reset to 0.
  Fuses board_fuses;
};

// For every name in cpu::mcus().
Part part(std::string_view mcu, std::uint32_t flash_size);

// Byte address of the boot section. With all fuses programmed: of the no-read-while-write section.
std::uint32_t boot_section_start(const Part& part, const Fuses& fuses, std::uint32_t flash_size);

// What CKSEL and SUT choose.
struct ClockSource {
  std::int64_t hz;               // 0: what the board has, a crystal or an external clock
  std::int64_t start_up_cycles;  // from power-down and power-save, and after a reset
  Duration reset_delay;          // more after a reset, and 14 cycles
};
ClockSource clock_source(const Part& part, const Fuses& fuses);

}  // namespace avrlan::peripherals
