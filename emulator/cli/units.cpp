#include "emulator/cli/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "emulator/board/host_error.hpp"

namespace avrlan {

namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr const char* time_form = "write it like 5s, 200ms, 1.5s, 2min or 1h";

constexpr std::array<Unit, 7> time_units{
    {{"", 1e12}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}, {"min", 60e12}, {"h", 3600e12}}};
constexpr std::array<Unit, 6> frequency_units{{{"", 1}, {"Hz", 1}, {"k", 1e3}, {"kHz", 1e3}, {"M", 1e6}, {"MHz", 1e6}}};

constexpr std::array<Unit, 4> voltage_units{{{"", 1e6}, {"V", 1e6}, {"mV", 1e3}, {"uV", 1}}};

// The number times its unit's factor; nullopt when it is not of that form.
std::optional<double> scaled(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& u : units) {
    if (unit == u.name) return value * u.factor;
  }
  return std::nullopt;
}

}  // namespace

Duration parse_time(std::string_view option, std::string_view text) {
  const Duration time = parse_instant(option, text);
  if (time > Duration{}) return time;
  throw UsageError(fmt::format("{} '{}' is not a time above 0 and up to 100 days", option, text), time_form);
}

Duration parse_instant(std::string_view option, std::string_view text) {
  constexpr double longest = 100 * 24 * 3600e12;
  const auto picoseconds = scaled(text, time_units);
  if (!picoseconds || *picoseconds < 0 || *picoseconds > longest) {
    throw UsageError(fmt::format("{} '{}' is not a time of up to 100 days", option, text), time_form);
  }
  return Duration::picoseconds(std::llround(*picoseconds));
}

std::int64_t parse_number(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool octal = text.size() > 1 && text.front() == '0';
  if (error != std::errc{} || end != text.data() + text.size() || octal || value < least || value > most) {
    throw UsageError(fmt::format("{} '{}' is not a whole number from {} to {}", option, text, least, most),
                     octal ? "write it in decimal, without zeros before it" : "write it in decimal");
  }
  return value;
}

std::int64_t parse_frequency(std::string_view option, std::string_view text) {
  const auto hertz = scaled(text, frequency_units);
  constexpr double rounding = 1e-4;
  if (!hertz || *hertz < 1e3 || *hertz > 100e6 || std::abs(*hertz - std::round(*hertz)) > rounding) {
    throw UsageError(fmt::format("{} '{}' is not a frequency from 1 kHz to 100 MHz, in whole hertz", option, text),
                     "write it like 16000000, 16MHz or 14.7456MHz");
  }
  return std::llround(*hertz);
}

Voltage parse_voltage(std::string_view option, std::string_view text) {
  while (text.ends_with(' ') || text.ends_with('\t') || text.ends_with('\r')) text.remove_suffix(1);
  const auto microvolts = scaled(text, voltage_units);
  if (!microvolts || std::abs(*microvolts) > 50e6) {
    throw UsageError(fmt::format("{} '{}' is not a voltage from -50 V to 50 V", option, text),
                     "write it like 2.5V or 3300mV");
  }
  return {std::llround(*microvolts)};
}

}  // namespace avrlan
