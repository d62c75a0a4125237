#include "emulator/peers/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/cli/units.hpp"

namespace avrlan::peers {

namespace {

std::optional<std::uint32_t> parse_decimal(std::string_view text, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool padded = text.size() > 1 && text.front() == '0';
  if (error != std::errc{} || end != text.data() + text.size() || padded || value > most) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint32_t> parse_address(std::string_view text) {
  std::uint32_t address = 0;
  for (int i = 0; i != 4; ++i) {
    const std::size_t dot = i == 3 ? text.size() : text.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto octet = parse_decimal(text.substr(0, dot), 255);
    if (!octet) return std::nullopt;
    address = address << 8 | *octet;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return address;
}

bool is_host_address(std::uint32_t address) {
  const std::uint32_t first = address >> 24;
  return first != 0 && first != 127 && first < 224;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const std::uint32_t port = parse_decimal(text, 65'535).value_or(0);
  return port == 0 ? std::nullopt : std::optional(static_cast<std::uint16_t>(port));
}

void Settings::refuse(const std::string& what, const std::string& hint) const {
  throw UsageError(fmt::format("{}: {}", where_, what), hint);
}

std::string Settings::name_of(std::string_view key) const {
  return fmt::format("{}: {}", where_, key);
}

std::vector<std::string> Settings::texts(std::string_view key) {
  known_.emplace_back(key);
  std::vector<std::string> found;
  for (const auto& [name, value] : values_)
    if (name == key) found.push_back(value);
  std::erase_if(values_, [key](const auto& value) { return value.first == key; });
  return found;
}

std::optional<std::string> Settings::text(std::string_view key) {
  const auto found = texts(key);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1)
    refuse(fmt::format("{} is given {} times", key, found.size()), fmt::format("keep one {}=", key));
  return found.front();
}

std::string Settings::needed(std::string_view key, std::string_view example) {
  const auto value = text(key);
  if (!value || value->empty()) refuse(fmt::format("{}= is missing", key), fmt::format("add {}={}", key, example));
  return *value;
}

std::string Settings::choice(std::string_view key, const std::vector<std::string>& choices) {
  const auto value = text(key);
  if (!value) return choices.front();
  if (std::ranges::find(choices, *value) == choices.end())
    refuse(fmt::format("{}={} is not one of {}", key, *value, fmt::join(choices, ", ")),
           fmt::format("did you mean {}={}?", key, nearest_name(*value, choices)));
  return *value;
}

std::int64_t Settings::number(std::string_view key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const auto value = text(key);
  return value ? parse_number(name_of(key), *value, least, most) : otherwise;
}

std::int64_t Settings::size(std::string_view key, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const auto value = text(key);
  if (!value) return otherwise;
  std::string_view digits = *value;
  std::int64_t factor = 1;
  if (digits.ends_with('k')) factor = 1024;
  if (digits.ends_with('M')) factor = 1024 * 1024;
  if (factor != 1) digits.remove_suffix(1);
  const std::int64_t count = parse_number(name_of(key), digits, (least + factor - 1) / factor, most / factor);
  return count * factor;
}

Duration Settings::time(std::string_view key, Duration otherwise) {
  const auto value = text(key);
  if (!value) return otherwise;
  return *value == "0" ? Duration() : parse_time(name_of(key), *value);
}

Duration Settings::limit(std::string_view key, Duration otherwise) {
  const auto value = text(key);
  return value ? parse_time(name_of(key), *value) : otherwise;
}

std::optional<std::uint32_t> Settings::address(std::string_view key) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  const auto parsed = parse_address(*value);
  if (!parsed) refuse(fmt::format("{}={} is no IPv4 address", key, *value), fmt::format("write {}=10.0.2.100", key));
  return parsed;
}

Endpoint Settings::endpoint(std::string_view key, std::string_view example) {
  const std::string value = needed(key, example);
  const std::size_t colon = value.rfind(':');
  const auto address = parse_address(value.substr(0, colon));
  const auto port = colon == std::string::npos ? std::nullopt : parse_port(std::string_view(value).substr(colon + 1));
  if (!address || !port)
    refuse(fmt::format("{}={} is not ADDRESS:PORT", key, value), fmt::format("write {}={}", key, example));
  return {*address, *port};
}

void Settings::finish() const {
  if (values_.empty()) return;
  const std::string& key = values_.front().first;
  refuse(fmt::format("there is no key '{}'", key), fmt::format("did you mean {}=?", nearest_name(key, known_)));
}

}  // namespace avrlan::peers
