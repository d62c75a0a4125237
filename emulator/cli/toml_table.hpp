#pragma once
// A table of a TOML file, read key by key. Every mistake is a UsageError "FILE:LINE:COLUMN: ...", with a hint.

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/board/host_error.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan {

// Where something stands in a file, for messages about it.
struct Place {
  std::string text;  // "lab.toml:12:3"
  UsageError error(std::string_view what, std::string hint) const;
  // Calls `parse` and puts this place in front of what it complains about.
  template <class Parse>
  auto located(Parse parse) const {
    try {
      return parse();
    } catch (const UsageError& mistake) {
      throw error(mistake.what(), mistake.hint());
    } catch (const HostError& failure) {
      throw HostError(error(failure.what(), {}).what(), failure.hint());
    }
  }
};

// Throws UsageError with `hint` when `text` is no TOML. `file`: for messages.
toml::table parse_toml(const std::string& text, const std::string& file, std::string hint);

// A value with its place.
template <class Value>
struct Placed {
  Value value;
  Place place;
};

class TomlTable {
 public:
  // `what`: as messages call it, for example "board". `file` and `table` must outlive this.
  TomlTable(const std::string& file, const toml::table& table, std::string what);

  const Place& place() const { return place_; }
  const std::string& what() const { return what_; }
  Place place_of(const toml::node& node) const;

  // Of the value of a key that is there.
  Place place_of_key(std::string_view key) const { return place_of(*table_.get(key)); }

  bool has(std::string_view key) const { return table_.contains(key); }
  // Of a text that is not empty.
  std::optional<Placed<std::string>> text(std::string_view key);
  Placed<std::string> required_text(std::string_view key, std::string_view example);
  // A text, or a list of texts.
  std::vector<Placed<std::string>> texts(std::string_view key);
  // A text, or a number as it would be written in one.
  std::optional<Placed<std::string>> scalar(std::string_view key);
  // `hint`: what to write instead; empty: 1.
  std::optional<Placed<std::int64_t>> number(std::string_view key, std::int64_t least, std::int64_t most,
                                             std::string hint = {});
  std::optional<Placed<bool>> flag(std::string_view key);
  std::optional<Placed<Duration>> time(std::string_view key);
  std::optional<TomlTable> table(std::string_view key, std::string what);
  // [[key]]; empty when there is none.
  std::vector<TomlTable> tables(std::string_view key);
  // What nobody has asked for yet, in the order of the file, as scalar() gives it.
  std::vector<std::pair<Placed<std::string>, std::string>> rest();
  // Throws for the first key that nobody has asked for.
  void finish() const;

 private:
  const toml::node* find(std::string_view key);
  [[noreturn]] void wrong(const toml::node& node, std::string_view key, std::string_view wanted,
                          std::string hint) const;
  std::string scalar_text(const toml::node& node, std::string_view key) const;

  const std::string* file_;
  const toml::table& table_;
  std::string what_;
  Place place_;
  std::vector<std::string> asked_;
};

}  // namespace avrlan
