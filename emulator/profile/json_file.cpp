#include "emulator/profile/json_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "emulator/board/escape.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"

namespace avrlan::profile {

namespace {

constexpr const char* again = "record it again with this avrlan";

}  // namespace

void JsonValue::damaged(std::string_view what) const {
  throw UsageError(fmt::format("{} is damaged: {} {}", *file_, place_.empty() ? "it" : place_, what), again);
}

bool JsonValue::has(std::string_view key) const {
  if (!value_->is_object()) damaged("is no object");
  return value_->contains(std::string(key));
}

JsonValue JsonValue::operator[](std::string_view key) const {
  const std::string place = fmt::format("{}{}{}", place_, place_.empty() ? "" : ".", key);
  if (!has(key)) JsonValue(*value_, *file_, place).damaged("is missing");
  return {value_->at(std::string(key)), *file_, place};
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) damaged("is no object");
  std::vector<std::pair<std::string, JsonValue>> all;
  for (const auto& [key, value] : value_->items())
    all.emplace_back(printable(key), JsonValue(value, *file_, place_ + (place_.empty() ? "" : ".") + key));
  return all;
}

std::vector<JsonValue> JsonValue::items() const {
  if (!value_->is_array()) damaged("is no list");
  std::vector<JsonValue> all;
  for (const Json& value : *value_) all.emplace_back(value, *file_, fmt::format("{}[{}]", place_, all.size()));
  return all;
}

bool JsonValue::flag() const {
  if (!value_->is_boolean()) damaged("is neither true nor false");
  return value_->get<bool>();
}

std::int64_t JsonValue::count() const {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  const std::int64_t value = whole();
  if (value > most) damaged("is no whole number from 0 to 10^15");
  return value;
}

std::int64_t JsonValue::whole() const {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  const bool positive =
      value_->is_number_unsigned() || (value_->is_number_integer() && value_->get<std::int64_t>() >= 0);
  if (!positive || value_->get<std::uint64_t>() > most) damaged("is no whole number from 0 on");
  return value_->get<std::int64_t>();
}

double JsonValue::real() const {
  const double value = value_->is_number() ? value_->get<double>() : -1;
  if (!std::isfinite(value) || value < 0) damaged("is no number from 0 on");
  return value;
}

const std::string& JsonValue::raw_text() const {
  if (!value_->is_string()) damaged("is no text");
  return value_->get_ref<const std::string&>();
}

std::string JsonValue::text() const {
  return printable(raw_text());
}

std::string JsonValue::name() const {
  std::string name = text();
  if (name.empty()) damaged("is empty");
  return name;
}

JsonFile JsonFile::load(const std::filesystem::path& path, std::string_view schema) {
  JsonFile file{path.string(),
                Json::parse(read_file(path, "give what `avrlan run --out DIR` has left"), nullptr, false)};
  const auto refuse = [&](const std::string& why) { return UsageError(fmt::format("{} {}", file.name, why), again); };
  if (file.json.is_discarded()) throw refuse("is damaged: not JSON");
  if (!file.json.is_object() || !file.json.contains("schema") || !file.json["schema"].is_string())
    throw refuse(fmt::format("is no file of avrlan's (no schema, which would be {})", schema));
  const auto& is = file.json["schema"].get_ref<const std::string&>();
  if (is == schema) return file;
  const auto family = schema.substr(0, schema.rfind('-') + 1);
  throw refuse(is.starts_with(family) ? fmt::format("is of another version of avrlan ({}, not {})", is, schema)
                                      : fmt::format("has schema {}, not {}", is, schema));
}

JsonFile JsonFile::load_run(const std::filesystem::path& path) {
  JsonFile run = load(path, run_schema);
  if (run.root().has("result")) return run;
  throw UsageError(fmt::format("{} is of a run that has not ended, or was killed", run.name), "record it again");
}

}  // namespace avrlan::profile
