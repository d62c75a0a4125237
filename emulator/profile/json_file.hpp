#pragma once
// The JSON files that a run leaves, read by somebody who does not trust them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace avrlan::profile {

using Json = nlohmann::ordered_json;

// A value in a file. What is missing, or is of another type than asked for, is a UsageError that names the file and the place
// in it.
class JsonValue {
 public:
  JsonValue(const Json& value, const std::string& file, std::string place)
      : value_(&value), file_(&file), place_(std::move(place)) {}

  // Of an object.
  bool has(std::string_view key) const;
  JsonValue operator[](std::string_view key) const;
  std::vector<std::pair<std::string, JsonValue>> members() const;
  // Of an array.
  std::vector<JsonValue> items() const;

  bool is_null() const { return value_->is_null(); }
  bool flag() const;
  // A whole number from 0 to 10^15: cycles, bytes, calls.
  std::int64_t count() const;
  // A whole number of 63 bits, not negative: picoseconds.
  std::int64_t whole() const;
  // A number that is not negative.
  double real() const;
  // Printable (emulator/board/escape.hpp).
  std::string text() const;
  // As it stands there.
  const std::string& raw_text() const;
  // The same, not empty.
  std::string name() const;

  // "FILE is damaged: PLACE WHAT".
  [[noreturn]] void damaged(std::string_view what) const;

 private:
  const Json* value_;
  const std::string* file_;
  std::string place_;
};

struct JsonFile {
  std::string name;  // for messages
  Json json;

  // Throws UsageError: it cannot be read, is no JSON object, or its `schema` is another.
  static JsonFile load(const std::filesystem::path& path, std::string_view schema);
  // A run.json; throws UsageError, too, when the run has not ended.
  static JsonFile load_run(const std::filesystem::path& path);
  JsonValue root() const { return {json, name, ""}; }
};

inline constexpr std::string_view run_schema = "avrlan-run-1";

}  // namespace avrlan::profile
