#pragma once
// What is connected to the analog pins.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan {

struct Voltage {
  std::int64_t microvolts = 0;
  friend constexpr auto operator<=>(Voltage, Voltage) = default;
};

// ADC0 to ADC15, AIN0, AIN1, AREF, AVCC.
struct AnalogPin {
  std::uint8_t index;
  static constexpr AnalogPin adc(unsigned channel) { return {static_cast<std::uint8_t>(channel)}; }
  static constexpr AnalogPin ain(unsigned input) { return {static_cast<std::uint8_t>(16 + input)}; }
  static constexpr AnalogPin aref() { return {18}; }
  static constexpr AnalogPin avcc() { return {19}; }
  // "adc3", "ain0", "aref", "avcc".
  std::string name() const;
  friend constexpr bool operator==(AnalogPin, AnalogPin) = default;
};
inline constexpr std::size_t analog_pins = 20;

struct AnalogSignal {
  struct Step {
    Instant from;
    Voltage voltage;
  };
  AnalogPin pin;
  std::vector<Step> steps;  // one at least, by time; the first holds before its time, too

  // "adc0=2.5V", "aref=3300mV", or "ain0=@FILE" whose lines are "TIME VOLTAGE" ("20ms 1.2V"; # begins a comment). Throws
  // UsageError that says what to write instead.
  static AnalogSignal parse(std::string_view text);
};

}  // namespace avrlan
