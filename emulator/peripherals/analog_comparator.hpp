#pragma once
// The analog comparator (datasheets, section "Analog Comparator").
// Not modelled: ACIC (input capture), offset, the one or two cycles by which ACO is synchronised.

#include <cstdint>

#include "emulator/peripherals/adc.hpp"
#include "emulator/peripherals/analog_inputs.hpp"
#include "emulator/peripherals/mcu_context.hpp"
#include "emulator/peripherals/part.hpp"

namespace avrlan::peripherals {

class AnalogComparator {
 public:
  // After everything else that has ADCSRB or SFIOR: its handlers are kept.
  AnalogComparator(const McuContext& mcu, const Part& part, AnalogInputs& inputs, Adc& adc);
  AnalogComparator(const AnalogComparator&) = delete;
  AnalogComparator& operator=(const AnalogComparator&) = delete;

  // After avr_reset().
  void reset();

 private:
  void store_acsr(std::uint16_t address, std::uint8_t value);
  void store_acme(std::uint16_t address, std::uint8_t value);
  void compare();
  void update_request();
  std::uint8_t& acsr() const { return mcu_.data(part_.acsr); }

  const McuContext& mcu_;
  const Part& part_;
  AnalogInputs& inputs_;
  Adc& adc_;
  const StoreTarget acme_target_;
};

}  // namespace avrlan::peripherals
