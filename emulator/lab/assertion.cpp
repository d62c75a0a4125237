#include "emulator/lab/assertion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/board/nearest_name.hpp"
#include "nic-model/core/diagnostics.hpp"

namespace avrlan::lab {

namespace {

constexpr std::string_view drops = "nic.drops.";

const std::vector<std::string>& board_values() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"cycles.total",     "cycles.active",       "cycles.sleep",     "cycles.interrupt",
                                    "nic.rx_frames",    "nic.tx_frames",       "nic.rx_bytes",     "nic.tx_bytes",
                                    "wire.in_frames",   "wire.in_bytes",       "wire.out_frames",  "wire.out_bytes",
                                    "diagnostics.note", "diagnostics.warning", "diagnostics.error"};
    for (std::size_t n = 0; n < static_cast<std::size_t>(DropReason::count_); ++n)
      all.push_back(std::string(drops) + std::string(to_string(static_cast<DropReason>(n))));
    return all;
  }();
  return names;
}

ValueAssertion read_value(TomlTable& table, const Placed<std::string>& name, bool of_peer) {
  const auto& names = board_values();
  // Each peer has its own.
  if (!of_peer && std::find(names.begin(), names.end(), name.value) == names.end()) {
    throw name.place.error(fmt::format("a board's results have no '{}'", name.value), did_you_mean(name.value, names));
  }
  ValueAssertion value{name.value, std::nullopt, std::nullopt};
  constexpr std::int64_t most = INT64_MAX;
  const auto equals = table.number("equals", 0, most), least = table.number("min", 0, most),
             greatest = table.number("max", 0, most);
  if (equals) value.least = value.most = equals->value;
  if (least) value.least = least->value;
  if (greatest) value.most = greatest->value;
  if (!least && !greatest && !equals)
    throw table.place().error(fmt::format("this assert does not say what {} has to be", name.value),
                              "add equals = N, or min = N, max = N, or both");
  if (equals && (least || greatest))
    throw table.place().error("this assert has equals and a bound", "keep equals = N, or min = N and max = N");
  if (value.least && value.most && *value.least > *value.most)
    throw table.place().error("min is greater than max", "exchange them");
  return value;
}

std::string bounds(const ValueAssertion& value) {
  if (value.least && value.most && *value.least == *value.most) return fmt::format("equals {}", *value.least);
  std::string text;
  if (value.least) text += fmt::format("at least {}", *value.least);
  if (value.most) text += fmt::format("{}at most {}", text.empty() ? "" : ", ", *value.most);
  return text;
}

}  // namespace

AssertDescription AssertDescription::read(TomlTable& table) {
  const bool of_peer = table.has("peer");
  if (of_peer && table.has("board"))
    throw table.place().error("this assert is about a board and a peer", "write two asserts");
  const auto station = table.required_text(of_peer ? "peer" : "board", "server");
  AssertDescription description{station.value, of_peer, StatusAssertion{}, std::nullopt, station.place};
  const auto value = table.text("value");
  const auto text = of_peer ? std::nullopt : table.text("text");
  const auto no_text = of_peer ? std::nullopt : table.text("no-text");
  const auto status = of_peer ? std::nullopt : table.number("status", 0, 255);
  const auto success = of_peer ? table.flag("success") : std::nullopt;
  const int said = (text ? 1 : 0) + (no_text ? 1 : 0) + (value ? 1 : 0) + (status ? 1 : 0) + (success ? 1 : 0);
  if (said != 1) {
    throw table.place().error(said == 0 ? "this assert says nothing" : "this assert says more than one thing",
                              of_peer ? "give it success = true, or value = \"...\""
                                      : "give it one of text = \"...\", no-text = \"...\", value = \"nic.rx_frames\", "
                                        "status = 0");
  }
  if (text) description.what = TextAssertion{text->value, false};
  if (no_text) description.what = TextAssertion{no_text->value, true};
  if (value) description.what = read_value(table, *value, of_peer);
  if (status) description.what = StatusAssertion{static_cast<int>(status->value)};
  if (success && !success->value)
    throw success->place.error("a failure cannot be asked for", "write success = true, or leave the assert out");
  if (success) description.what = SuccessAssertion{};
  if (const auto by = table.time(value ? "at" : "by")) description.by = by->value;
  table.finish();
  return description;
}

std::string AssertDescription::text() const {
  std::string text = station + ": ";
  if (const auto* sent = std::get_if<TextAssertion>(&what)) {
    text += fmt::format("{} \"{}\"", sent->absent ? "no text" : "text", sent->text);
  } else if (const auto* value = std::get_if<ValueAssertion>(&what)) {
    text += fmt::format("{} {}", value->name, bounds(*value));
  } else if (std::holds_alternative<SuccessAssertion>(what)) {
    text += "success";
  } else {
    text += fmt::format("ends with status {}", std::get<StatusAssertion>(what).status);
  }
  if (by) text += fmt::format(" {} {} s", std::holds_alternative<ValueAssertion>(what) ? "at" : "by", by->seconds());
  return text;
}

Instant Assertion::deadline() const {
  return description_->by ? Instant::at(*description_->by) : Instant::never();
}

void Assertion::see(std::optional<Instant> when, Instant now, bool at_end) {
  const bool absent = std::get<TextAssertion>(description_->what).absent;
  if (when && *when <= deadline()) {
    decide(!absent, fmt::format("seen at {:.6f} s", when->since_start().seconds()));
  } else if (at_end || now >= deadline()) {
    decide(absent, "not seen");
  }
}

void Assertion::decide(bool passed, std::string found) {
  if (decided()) return;
  passed_ = passed;
  found_ = std::move(found);
}

nlohmann::ordered_json Assertion::json() const {
  return {{"assert", description_->text()},
          {"place", description_->place.text},
          {"passed", passed_ ? nlohmann::ordered_json(*passed_) : nlohmann::ordered_json(nullptr)},
          {"found", found_}};
}

std::string Assertion::text() const {
  return fmt::format("{}: {}: {}", description_->place.text, description_->text(), found_);
}

std::optional<std::int64_t> find_number(const nlohmann::ordered_json& json, std::string_view name) {
  const nlohmann::ordered_json* value = &json;
  for (std::string_view rest = name; !rest.empty();) {
    const std::string part(rest.substr(0, rest.find('.')));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    if (!value->is_object() || !value->contains(part)) return name.starts_with(drops) ? std::optional(0) : std::nullopt;
    value = &(*value)[part];
  }
  return value->is_number_integer() ? std::optional(value->get<std::int64_t>()) : std::nullopt;
}

}  // namespace avrlan::lab
