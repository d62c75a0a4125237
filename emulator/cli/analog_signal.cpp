#include "emulator/board/analog_signal.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <sstream>
#include <string>

#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/cli/units.hpp"

namespace avrlan {

namespace {

constexpr const char* form = "write it like adc0=2.5V, aref=3300mV, or ain0=@FILE with lines of 'TIME VOLTAGE'";

std::optional<AnalogPin> pin_of(std::string_view name) {
  if (name == "aref") return AnalogPin::aref();
  if (name == "avcc") return AnalogPin::avcc();
  if (name.size() < 4) return std::nullopt;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  if (name.starts_with("adc") && number <= 15) return AnalogPin::adc(number);
  if (name.starts_with("ain") && number <= 1) return AnalogPin::ain(number);
  return std::nullopt;
}

std::vector<AnalogSignal::Step> read_steps(const std::string& path) {
  std::istringstream in(read_file(path, "check the path in --analog; " + std::string{form}));
  std::vector<AnalogSignal::Step> steps;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    const auto first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) continue;
    const auto space = line.find_first_of(" \t", first);
    const auto value = line.find_first_not_of(" \t", space);
    const std::string where = fmt::format("{}:{}:", path, number);
    if (space == std::string::npos || value == std::string::npos) {
      throw UsageError(fmt::format("{} '{}' is not a time and a voltage", where, line), "write it like 20ms 1.2V");
    }
    const std::string time = line.substr(first, space - first);
    const Instant from = Instant::at(parse_instant(where, time));
    if (!steps.empty() && from <= steps.back().from) {
      throw UsageError(fmt::format("{} {} does not come after the line before", where, time), "sort the lines by time");
    }
    steps.push_back({from, parse_voltage(where, std::string_view{line}.substr(value))});
  }
  if (steps.empty()) throw UsageError(fmt::format("--analog: {} has no steps", path), "add a line like 0 1.2V");
  return steps;
}

}  // namespace

AnalogSignal AnalogSignal::parse(std::string_view text) {
  const auto equals = text.find('=');
  const auto pin = pin_of(text.substr(0, equals));
  if (!pin || equals == std::string_view::npos) {
    throw UsageError(fmt::format("--analog '{}' names no analog pin: adc0 to adc15, ain0, ain1, aref, avcc", text),
                     form);
  }
  const std::string_view value = text.substr(equals + 1);
  if (value.starts_with('@')) return {*pin, read_steps(std::string{value.substr(1)})};
  return {*pin, {{Instant{}, parse_voltage("--analog", value)}}};
}

}  // namespace avrlan
