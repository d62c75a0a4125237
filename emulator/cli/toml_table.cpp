#include "emulator/cli/toml_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/board/nearest_name.hpp"
#include "emulator/cli/units.hpp"

namespace avrlan {

namespace {

std::string region_text(const std::string& file, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", file, region.begin.line, region.begin.column);
}

// Throws for a key of so many parts that the parser, which calls itself for each, would have no stack left.
void check_keys(std::string_view text, const std::string& file) {
  constexpr unsigned most_dots = 64;
  unsigned line = 1, dots = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (c == '\n') ++line;
    if (c == '#') {
      n = std::min(text.find('\n', n), text.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const bool multiline = text.substr(n, 3) == std::string(3, c);
      const std::string_view quotes = text.substr(n, multiline ? 3 : 1);
      for (n += quotes.size(); n < text.size() && text.substr(n, quotes.size()) != quotes; ++n) {
        if (c == '"' && text[n] == '\\') ++n;
        if (n < text.size() && text[n] == '\n') {
          ++line;
          if (!multiline) break;
        }
      }
      n += quotes.size() - 1;
    } else if (c == '.') {
      if (++dots > most_dots)
        throw Place{fmt::format("{}:{}:1", file, line)}.error(fmt::format("a key of more than {} parts", most_dots + 1),
                                                              "no key here has more than one or two");
    } else if (c == '=' || c == '\n' || c == '{' || c == ',' || c == '[') {
      dots = 0;
    }
  }
}

}  // namespace

toml::table parse_toml(const std::string& text, const std::string& file, std::string hint) {
  check_keys(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Place{region_text(file, error.source())}.error(error.description(), std::move(hint));
  }
}

UsageError Place::error(std::string_view what, std::string hint) const {
  return UsageError(fmt::format("{}: {}", text, what), std::move(hint));
}

TomlTable::TomlTable(const std::string& file, const toml::table& table, std::string what)
    : file_(&file), table_(table), what_(std::move(what)), place_{region_text(file, table.source())} {}

Place TomlTable::place_of(const toml::node& node) const {
  return {region_text(*file_, node.source())};
}

const toml::node* TomlTable::find(std::string_view key) {
  asked_.emplace_back(key);
  return table_.get(key);
}

void TomlTable::wrong(const toml::node& node, std::string_view key, std::string_view wanted, std::string hint) const {
  throw place_of(node).error(fmt::format("{} has to be {}", key, wanted), std::move(hint));
}

std::optional<Placed<std::string>> TomlTable::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<std::string>();
  if (!value) wrong(*node, key, "a text", fmt::format("write {} = \"...\"", key));
  if (value->empty()) throw place_of(*node).error(fmt::format("{} is empty", key), "leave it out, or write something");
  if (value->find('\0') != std::string::npos)
    throw place_of(*node).error(fmt::format("{} has a NUL in it", key), "leave \\u0000 out");
  return Placed<std::string>{*value, place_of(*node)};
}

Placed<std::string> TomlTable::required_text(std::string_view key, std::string_view example) {
  auto value = text(key);
  if (!value)
    throw place_.error(fmt::format("this {} has no {}", what_, key), fmt::format("add {} = \"{}\"", key, example));
  return *value;
}

std::vector<Placed<std::string>> TomlTable::texts(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (!node->is_array()) return {*text(key)};
  std::vector<Placed<std::string>> all;
  for (const toml::node& item : *node->as_array()) {
    const auto value = item.value_exact<std::string>();
    if (!value || value->empty())
      wrong(item, key, "a text, or a list of texts", fmt::format("write {} = [\"...\", \"...\"]", key));
    all.push_back({*value, place_of(item)});
  }
  return all;
}

std::string TomlTable::scalar_text(const toml::node& node, std::string_view key) const {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  wrong(node, key, "a text or a number", fmt::format("write {} = \"...\"", key));
}

std::optional<Placed<std::string>> TomlTable::scalar(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  return Placed<std::string>{scalar_text(*node, key), place_of(*node)};
}

std::optional<Placed<std::int64_t>> TomlTable::number(std::string_view key, std::int64_t least, std::int64_t most,
                                                      std::string hint) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (hint.empty()) hint = fmt::format("write {} = {}", key, std::clamp<std::int64_t>(1, least, most));
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most)
    wrong(*node, key, fmt::format("a whole number from {} to {}", least, most), std::move(hint));
  return Placed<std::int64_t>{*value, place_of(*node)};
}

std::optional<Placed<bool>> TomlTable::flag(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<bool>();
  if (!value) wrong(*node, key, "true or false", fmt::format("write {} = true", key));
  return Placed<bool>{*value, place_of(*node)};
}

std::optional<Placed<Duration>> TomlTable::time(std::string_view key) {
  const auto value = text(key);
  if (!value) return std::nullopt;
  return Placed<Duration>{value->place.located([&] { return parse_time(key, value->value); }), value->place};
}

std::optional<TomlTable> TomlTable::table(std::string_view key, std::string what) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) wrong(*node, key, "a table", fmt::format("write {} = {{ name = value, ... }}", key));
  return TomlTable(*file_, *node->as_table(), std::move(what));
}

std::vector<TomlTable> TomlTable::tables(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  std::vector<TomlTable> all;
  const auto* array = node->as_array();
  if (array == nullptr || array->empty() || !array->is_homogeneous(toml::node_type::table)) {
    throw place_of(*node).error(fmt::format("{} is no list of tables", key),
                                fmt::format("begin each with a line [[{}]]", key));
  }
  for (const toml::node& item : *array) all.emplace_back(*file_, *item.as_table(), std::string(key));
  return all;
}

std::vector<std::pair<Placed<std::string>, std::string>> TomlTable::rest() {
  std::vector<std::pair<Placed<std::string>, std::string>> all;
  for (const auto& [key, node] : table_) {
    if (std::find(asked_.begin(), asked_.end(), key.str()) != asked_.end()) continue;
    all.push_back({{std::string(key.str()), {region_text(*file_, key.source())}}, scalar_text(node, key.str())});
  }
  for (const auto& [key, value] : all) asked_.push_back(key.value);
  return all;
}

void TomlTable::finish() const {
  for (const auto& [key, node] : table_) {
    if (std::find(asked_.begin(), asked_.end(), key.str()) != asked_.end()) continue;
    const Place place{region_text(*file_, key.source())};
    throw place.error(fmt::format("there is no key '{}' in '{}'", key.str(), what_), did_you_mean(key.str(), asked_));
  }
}

}  // namespace avrlan
