#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "emulator/board/firmware.hpp"
#include "emulator/net/link.hpp"

namespace avrlan::net {
namespace {

struct Number {
  double value;
  std::string_view unit;
};

// "1.5M" is 1.5 and "M". No sign, no exponent.
std::optional<Number> split_number(std::string_view text) {
  Number number{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number.value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number.value) || std::signbit(number.value)) return std::nullopt;
  number.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<std::int64_t> scaled(double value, double factor, double limit) {
  const double product = std::round(value * factor);
  if (product > limit) return std::nullopt;
  return static_cast<std::int64_t>(product);
}

std::optional<std::int64_t> parse_rate(std::string_view text) {
  const auto number = split_number(text);
  if (!number) return std::nullopt;
  double factor = 0;
  if (number->unit.empty()) factor = 1;
  if (number->unit == "k" || number->unit == "K") factor = 1e3;
  if (number->unit == "M") factor = 1e6;
  if (number->unit == "G") factor = 1e9;
  if (factor == 0) return std::nullopt;
  const auto rate = scaled(number->value, factor, 100e9);
  // A positive rate below 1 bit/s would round to "no limit".
  if (!rate || (*rate == 0 && number->value > 0)) return std::nullopt;
  return rate;
}

std::optional<Duration> parse_duration(std::string_view text) {
  const auto number = split_number(text);
  if (!number) return std::nullopt;
  double picoseconds = 0;
  if (number->unit.empty() && number->value == 0) return Duration();
  if (number->unit == "s") picoseconds = 1e12;
  if (number->unit == "ms") picoseconds = 1e9;
  if (number->unit == "us") picoseconds = 1e6;
  if (number->unit == "ns") picoseconds = 1e3;
  if (picoseconds == 0) return std::nullopt;
  const auto span = scaled(number->value, picoseconds, 3600e12);
  if (!span) return std::nullopt;
  return Duration::picoseconds(*span);
}

std::optional<double> parse_probability(std::string_view text) {
  const auto number = split_number(text);
  if (!number || (!number->unit.empty() && number->unit != "%")) return std::nullopt;
  const double value = number->unit == "%" ? number->value / 100 : number->value;
  if (value > 1) return std::nullopt;
  return value;
}

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text, Integer limit) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > limit) return std::nullopt;
  return value;
}

constexpr std::string_view rate_form = "bit/s, for example 10M, 1.5M or 500k; 0 for no limit; at most 100G";
constexpr std::string_view duration_form = "a time with its unit, for example 10ms, 100us or 1.5s; at most one hour";
constexpr std::string_view probability_form = "a share, for example 1% or 0.01; at most 100% or 1";

template <class Value>
void assign(std::string_view key, std::string_view text, Value& target, std::optional<Value> value,
            std::string_view form) {
  if (!value) {
    throw UsageError(fmt::format("{}={} is not a value that {} can have", key, text, key),
                     fmt::format("{} takes {}", key, form));
  }
  target = *value;
}

}  // namespace

void LinkOptions::set(std::string_view key, std::string_view value) {
  if (key == "rate") return assign(key, value, rate, parse_rate(value), rate_form);
  if (key == "delay") return assign(key, value, delay, parse_duration(value), duration_form);
  if (key == "jitter") return assign(key, value, jitter, parse_duration(value), duration_form);
  if (key == "loss") return assign(key, value, loss, parse_probability(value), probability_form);
  if (key == "dup") return assign(key, value, dup, parse_probability(value), probability_form);
  if (key == "reorder") return assign(key, value, reorder, parse_probability(value), probability_form);
  if (key == "corrupt") return assign(key, value, corrupt, parse_probability(value), probability_form);
  if (key == "queue") {
    return assign(key, value, queue, parse_integer<std::size_t>(value, 1'000'000), "a number of frames, 0 to 1000000");
  }
  if (key == "seed") {
    return assign(key, value, seed, parse_integer<std::uint64_t>(value, UINT64_MAX), "a whole number from 0 on");
  }
  throw UsageError(fmt::format("there is no key '{}'", key),
                   "keys: rate, delay, jitter, loss, dup, reorder, corrupt, queue, seed");
}

LinkOptions LinkOptions::parse(std::string_view text) {
  LinkOptions options;
  std::set<std::string_view> seen;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      throw UsageError(fmt::format("--link: '{}' is not of the form key=value", item),
                       "for example --link rate=1M,delay=10ms,loss=1%,seed=7");
    }
    const std::string_view key = item.substr(0, equals);
    if (!seen.insert(key).second) {
      throw UsageError(fmt::format("--link: {} is given twice", key), fmt::format("keep one {}=", key));
    }
    try {
      options.set(key, item.substr(equals + 1));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--link: {}", error.what()), error.hint());
    }
    if (comma == std::string_view::npos) return options;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace avrlan::net
