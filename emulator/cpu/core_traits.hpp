#pragma once
// How the cores differ, beyond what simavr's tables say.

#include <cstdint>
#include <string_view>

#include "emulator/cpu/external_memory.hpp"

namespace avrlan::cpu {

enum class SleepMode : std::uint8_t { idle, adc_noise_reduction, power_down, power_save, standby, extended_standby };

struct CoreTraits {
  // Where the sleep mode's bits SM0, SM1 and SM2 are in the register that has SE.
  std::uint8_t sm0, sm1, sm2;
  ExternalMemory external_memory;
  // SBI and CBI write the addressed bit only, and a 1 written to PINx toggles PORTx. On the older parts they read, modify
  // and write the whole register, and PINx cannot be written.
  bool bit_writes;
};

// For any name that avr-gcc's -mmcu knows of the megaAVR family; newer parts are alike.
CoreTraits core_traits(std::string_view mcu);

// SM2:0; the reserved values count as idle.
SleepMode sleep_mode(const CoreTraits& traits, std::uint8_t sleep_register);

}  // namespace avrlan::cpu
