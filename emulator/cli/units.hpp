#pragma once
// Numbers with units on the command line.

#include <cstdint>
#include <string_view>

#include "emulator/board/analog_signal.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

// "5s", "200ms", "1.5 s", "2min", "1h", "10us", "100ns"; a bare number is seconds. Above 0 and at most 100 days.
// Throws UsageError that names `option` and shows the form.
Duration parse_time(std::string_view option, std::string_view text);
// From the start on, which is 0.
Duration parse_instant(std::string_view option, std::string_view text);

// A whole number in decimal, from `least` to `most`. Throws UsageError.
std::int64_t parse_number(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most);

// "16000000", "16MHz", "14.7456 M", "32.768k"; whole hertz, 1 Hz to 100 MHz. Throws UsageError.
std::int64_t parse_frequency(std::string_view option, std::string_view text);

// "2.5V", "3300mV", "0"; a bare number is volts; -50 V to 50 V. Throws UsageError.
Voltage parse_voltage(std::string_view option, std::string_view text);

}  // namespace avrlan
