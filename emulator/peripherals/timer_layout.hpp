#pragma once
// Which timers an MCU has, and where their registers, bits, vectors and pins are. Transcribed from the datasheets' "Register
// Description", "Interrupt Vectors" and "Alternate Port Functions": simavr's tables lack force bits, a third of the power
// reduction bits, channels of the ATmega1280 and 32U4, and the modes of the ATmega32's timer 0.
// Not here: timer 4 of the ATmega32U4.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/board/pin.hpp"
#include "emulator/peripherals/mcu_context.hpp"

namespace avrlan::peripherals {

struct InterruptSource {
  unsigned vector = 0;  // 0: there is none
  RegisterBit flag;
  RegisterBit enable;
};

struct TimerChannel {
  std::uint16_t ocr = 0;  // OCRnx or OCRnxL; OCRnxH follows
  std::optional<Pin> pin;
  InterruptSource compare;
  RegisterBit force;
};

// ASSR's bits, of the timer that can count a crystal at TOSC1 and TOSC2.
struct AsynchronousTimer {
  std::uint16_t assr = 0;  // 0: the timer is none
  std::uint8_t as = 0;
  std::uint8_t tcnt_busy = 0;
  std::uint8_t ocr_busy[2] = {};
  std::uint8_t tccra_busy = 0;
  std::uint8_t tccrb_busy = 0;
};

// Where the waveform generation mode is: nowhere (the ATmega8's timer 0), WGMn0 and WGMn1 in TCCRn, or in TCCRnA and TCCRnB.
enum class ModeBits : std::uint8_t { none, one_register, two_registers };

struct TimerLayout {
  char name = '0';
  bool wide = false;  // 16 bits: TCNTnH follows TCNTnL
  ModeBits mode_bits = ModeBits::two_registers;
  std::uint16_t tccra = 0;  // or TCCRn, which is both
  std::uint16_t tccrb = 0;
  std::uint16_t tcnt = 0;
  std::uint16_t icr = 0;  // 0: no input capture
  std::vector<TimerChannel> channels;
  InterruptSource overflow;
  InterruptSource capture;
  std::optional<Pin> clock_pin;    // Tn
  std::optional<Pin> capture_pin;  // ICPn
  RegisterBit power_reduction;
  AsynchronousTimer asynchronous;

  // It has a prescaler of its own, with taps at 32 and 128; else it shares one.
  bool own_prescaler() const { return asynchronous.assr != 0; }
};

struct TimersLayout {
  std::vector<TimerLayout> timers;
  std::uint16_t prescaler_register = 0;  // GTCCR or SFIOR
  std::uint8_t hold = 0;                 // TSM, 0 when there is none
  std::uint8_t reset_shared = 0x01;      // PSRSYNC, PSR10, PSR321
  std::uint8_t reset_own = 0x02;         // PSRASY, PSR2, PSR0
};

// `mcu` as avr-gcc names it; without timers when it is unknown.
TimersLayout timers_layout(std::string_view mcu);

}  // namespace avrlan::peripherals
