#include "emulator/profile/compare.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "emulator/board/host_error.hpp"

namespace avrlan::profile {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kind_names = {"total", "function", "region", "layer",
                                                        "flash", "ram",      "stack",  "coverage"};

// "f [clone .isra.35]" is f [clone .isra] in another build, and which namesake is "f #2" may change.
std::string stable_name(std::string name) {
  if (const auto namesake = name.rfind(" #"); namesake != std::string::npos) name.resize(namesake);
  std::string stable;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool number =
        name[at] == '.' && at + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[at + 1]));
    if (!number) {
      stable += name[at];
      continue;
    }
    while (at + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[at + 1]))) ++at;
  }
  return stable;
}

using Values = std::map<std::string, std::int64_t>;

// Of a list of objects, by name.
Values values_of(const Json& run, const char* list, const char* value) {
  Values values;
  if (run.contains(list)) {
    for (const auto& item : run[list]) values[stable_name(item.at("name"))] += item.at(value).get<std::int64_t>();
  }
  return values;
}

Values values_at(const Json& run, ItemKind kind) {
  Values values;
  switch (kind) {
    case ItemKind::total:
      for (const char* part : {"active", "sleep", "interrupt"}) values[part] = run.at("cycles").at(part);
      break;
    case ItemKind::function:
      return values_of(run, "functions", "cycles");
    case ItemKind::region:
      return values_of(run, "regions", "cycles");
    case ItemKind::layer:
      return values_of(run, "layers", "cycles");
    case ItemKind::flash:
      if (!run.contains("flash")) break;
      values = values_of(run["flash"], "functions", "size");
      values["total"] = run["flash"].at("total");
      break;
    case ItemKind::ram:
      if (!run.contains("ram")) break;
      values = values_of(run["ram"], "objects", "size");
      values["static"] = run["ram"].at("static");
      break;
    case ItemKind::stack:
      if (run.contains("stack")) values["high water"] = run["stack"];
      break;
    case ItemKind::coverage:
      if (!run.contains("coverage")) break;
      for (const auto& [what, share] : run["coverage"].items()) values[what] = share.at("hit");
      break;
  }
  return values;
}

// Where a function's body went, or came from.
std::string inlined_into(const Json& run, const std::string& name) {
  std::string places;
  if (!run.contains("inlined")) return places;
  for (const auto& item : run["inlined"]) {
    if (stable_name(item.at("name")) != name) continue;
    places += fmt::format("{}{} ({} cycles)", places.empty() ? "" : ", ", item.at("in").get<std::string>(),
                          item.at("cycles").get<std::int64_t>());
  }
  return places;
}

std::string explanation(const Change& change, const Json& base, const Json& now) {
  if (change.kind != ItemKind::function) return {};
  if (!change.before) {
    const std::string was = inlined_into(base, change.name);
    return was.empty() ? "new" : "was inlined into " + was;
  }
  if (!change.after) {
    const std::string is = inlined_into(now, change.name);
    return is.empty() ? "gone, or not called any more" : "now inlined into " + is;
  }
  const auto calls = [&](const Json& run) { return values_of(run, "functions", "calls")[change.name]; };
  if (change.difference() == 0) return {};
  const std::int64_t before = calls(base), after = calls(now);
  if (before != after) return fmt::format("{} calls, were {}", after, before);
  return before > 1 ? fmt::format("{} calls", before) : "";
}

void apply(const Limits& limits, Change& change) {
  if (!change.before) return;
  const auto rule = std::find_if(limits.rules.begin(), limits.rules.end(), [&](const Limits::Rule& r) {
    return r.kind == change.kind && ::fnmatch(r.pattern.c_str(), change.name.c_str(), 0) == 0;
  });
  if (rule == limits.rules.end()) return;
  change.limited = true;
  const std::int64_t worse = change.kind == ItemKind::coverage ? -change.difference() : change.difference();
  const std::int64_t beyond = worse - rule->allowance.of(*change.before);
  if (beyond > 0) change.beyond_limit = beyond;
}

void require_same(const Json& base, const Json& now) {
  const auto of = [](const Json& run) {
    return fmt::format("board {}, {} at {} Hz", run.at("board").get<std::string>(),
                       run.at("firmware").at("mcu").get<std::string>(),
                       run.at("firmware").at("hz").get<std::int64_t>());
  };
  if (of(base) != of(now)) {
    throw UsageError(fmt::format("cannot compare runs of different hardware: {} and {}", of(base), of(now)),
                     "compare runs on the same board");
  }
  for (const Json* run : {&base, &now}) {
    if (!run->contains("functions")) {
      throw UsageError(fmt::format("the {} run has no profile", run == &base ? "first" : "second"),
                       "record it with `avrlan run --profile --out DIR`");
    }
  }
}

std::string signed_percent(const Change& change) {
  if (!change.before || *change.before == 0) return "";
  return fmt::format("{:+.2f} %",
                     100.0 * static_cast<double>(change.difference()) / static_cast<double>(*change.before));
}

std::string shown(const std::optional<std::int64_t>& value) {
  return value ? fmt::to_string(*value) : "-";
}

std::string verdict(const Change& change) {
  return fmt::format("{} {}: {} -> {}, {:+}{}", to_string(change.kind), change.name, shown(change.before),
                     shown(change.after), change.difference(),
                     change.beyond_limit ? fmt::format(", {} more than allowed", *change.beyond_limit) : "");
}

std::string xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string_view to_string(ItemKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

Allowance Allowance::parse(std::string_view option, const std::string& text) {
  const bool relative = text.ends_with('%');
  const char* const end = text.data() + text.size() - (relative ? 1 : 0);
  Allowance allowance;
  std::from_chars_result result{};
  if (relative) {
    result = std::from_chars(text.data(), end, allowance.percent);
  } else {
    result = std::from_chars(text.data(), end, allowance.absolute);
  }
  if (text.empty() || result.ec != std::errc{} || result.ptr != end || allowance.absolute < 0 ||
      !std::isfinite(allowance.percent) || allowance.percent < 0) {
    throw UsageError(fmt::format("{} {}: not an allowance", option, text),
                     "write 0, a number, or a percentage as 1.5%");
  }
  return allowance;
}

std::int64_t Allowance::of(std::int64_t before) const {
  return absolute + static_cast<std::int64_t>(std::floor(static_cast<double>(before) * percent / 100.0));
}

void Limits::limit_cycles(const Allowance& allowance) {
  rules.push_back({ItemKind::total, "active", allowance});
  rules.push_back({ItemKind::total, "interrupt", allowance});
  for (const ItemKind kind : {ItemKind::function, ItemKind::region, ItemKind::layer})
    rules.push_back({kind, "*", allowance});
}

void Limits::read(const std::filesystem::path& path) {
  toml::table table;
  try {
    table = toml::parse_file(path.string());
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: {}", path.string(), error.source().begin.line, error.description()),
                     "mend the file of limits");
  }
  for (const auto& [kind_name, rows] : table) {
    const auto kind = std::find(kind_names.begin(), kind_names.end(), kind_name.str());
    if (kind == kind_names.end() || !rows.is_table()) {
      throw UsageError(fmt::format("{}: '{}' is no table of limits", path.string(), kind_name.str()),
                       fmt::format("there are [{}]", fmt::join(kind_names, "], [")));
    }
    for (const auto& [pattern, value] : *rows.as_table()) {
      const auto text =
          value.is_integer() ? fmt::to_string(*value.value<std::int64_t>()) : value.value_or(std::string{});
      rules.push_back({static_cast<ItemKind>(kind - kind_names.begin()), std::string(pattern.str()),
                       Allowance::parse(fmt::format("{}: {}", path.string(), pattern.str()), text)});
    }
  }
}

bool Comparison::regressed() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& change) { return change.beyond_limit.has_value(); });
}

Json load_run(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UsageError(fmt::format("cannot read {}", path.string()), "give the run.json of a run with --out");
  const Json run = Json::parse(in, nullptr, false);
  if (run.is_discarded() || !run.is_object()) {
    throw UsageError(fmt::format("{} is damaged: not JSON", path.string()), "record it again");
  }
  const std::string schema = run.value("schema", Json()).is_string() ? run["schema"].get<std::string>() : "";
  if (schema != "avrlan-run-1") {
    throw UsageError(fmt::format("{} is no run.json of this version (schema \"{}\")", path.string(), schema),
                     "record it again with this avrlan");
  }
  return run;
}

Comparison compare(const Json& base, const Json& now, const Limits& limits) try {
  require_same(base, now);
  Comparison comparison;
  for (const auto& [run, which] : {std::pair{&base, "first"}, std::pair{&now, "second"}}) {
    if (const auto& fixed = run->at("deterministic"); !fixed.at("value").get<bool>()) {
      comparison.doubts.push_back(
          fmt::format("the {} run would not repeat: {}", which, fixed.at("why").get<std::string>()));
    }
  }
  if (base.at("result").at("reason") != now.at("result").at("reason")) {
    comparison.doubts.push_back(fmt::format("the runs ended differently: {} and {}",
                                            base["result"]["reason"].get<std::string>(),
                                            now["result"]["reason"].get<std::string>()));
  }
  for (std::size_t k = 0; k < kind_names.size(); ++k) {
    const auto kind = static_cast<ItemKind>(k);
    const Values before = values_at(base, kind), after = values_at(now, kind);
    // What only one of the runs has measured cannot be compared.
    if (before.empty() || after.empty()) continue;
    const auto first = comparison.changes.size();
    for (const auto& [name, value] : before)
      comparison.changes.push_back({kind, name, value, std::nullopt, "", {}, false});
    for (const auto& [name, value] : after) {
      const auto known = std::find_if(comparison.changes.begin() + static_cast<std::ptrdiff_t>(first),
                                      comparison.changes.end(), [&](const Change& c) { return c.name == name; });
      if (known != comparison.changes.end()) {
        known->after = value;
      } else {
        comparison.changes.push_back({kind, name, std::nullopt, value, "", {}, false});
      }
    }
    std::stable_sort(comparison.changes.begin() + static_cast<std::ptrdiff_t>(first), comparison.changes.end(),
                     [](const Change& a, const Change& b) { return a.difference() > b.difference(); });
  }
  for (Change& change : comparison.changes) {
    change.why = explanation(change, base, now);
    apply(limits, change);
  }
  return comparison;
} catch (const Json::exception& error) {
  throw UsageError(fmt::format("a run.json is damaged: {}", error.what()), "record it again");
}

std::string text_of(const Comparison& comparison) {
  std::string text;
  for (const auto& doubt : comparison.doubts) text += fmt::format("note: {}\n", doubt);
  std::size_t same = 0;
  for (const Change& change : comparison.changes) {
    if (change.before == change.after) {
      ++same;
      continue;
    }
    text += fmt::format("{} {:<9} {:>12} {:>12} {:>+10} {:>10}  {}{}\n", change.beyond_limit ? "!" : " ",
                        to_string(change.kind), shown(change.before), shown(change.after), change.difference(),
                        signed_percent(change), change.name, change.why.empty() ? "" : " (" + change.why + ")");
  }
  text += fmt::format("{} items are the same, {} differ\n", same, comparison.changes.size() - same);
  for (const Change& change : comparison.changes) {
    if (change.beyond_limit) text += fmt::format("regression: {}\n", verdict(change));
  }
  return text;
}

Json json_of(const Comparison& comparison) {
  auto changes = Json::array();
  const auto number = [](const std::optional<std::int64_t>& value) { return value ? Json(*value) : Json(nullptr); };
  for (const Change& change : comparison.changes) {
    changes.push_back({{"kind", to_string(change.kind)},
                       {"name", change.name},
                       {"before", number(change.before)},
                       {"after", number(change.after)},
                       {"difference", change.difference()},
                       {"why", change.why},
                       {"limited", change.limited},
                       {"beyond_limit", number(change.beyond_limit)}});
  }
  return {{"schema", "avrlan-compare-1"},
          {"regressed", comparison.regressed()},
          {"doubts", comparison.doubts},
          {"changes", changes}};
}

std::string junit_of(const Comparison& comparison) {
  std::string cases;
  std::size_t count = 0, failures = 0;
  for (const Change& change : comparison.changes) {
    if (!change.limited) continue;
    ++count;
    cases += fmt::format("  <testcase classname=\"avrlan.{}\" name=\"{}\"", to_string(change.kind), xml(change.name));
    if (!change.beyond_limit) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    cases += fmt::format(">\n    <failure message=\"{}\"/>\n  </testcase>\n", xml(verdict(change)));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"avrlan compare\" tests=\"{}\" failures=\"{}\">\n{}</testsuite>\n",
      count, failures, cases);
}

std::string annotations_of(const Comparison& comparison) {
  std::string text;
  for (const Change& change : comparison.changes) {
    if (change.beyond_limit) text += fmt::format("::error title=avrlan compare::{}\n", verdict(change));
  }
  return text;
}

std::string markdown_of(const Comparison& comparison) {
  std::string text = "| | item | before | after | difference | | |\n|---|---|--:|--:|--:|--:|---|\n";
  for (const Change& change : comparison.changes) {
    if (change.before == change.after) continue;
    text += fmt::format("| {} | {} `{}` | {} | {} | {:+} | {} | {} |\n", change.beyond_limit ? "**!**" : "",
                        to_string(change.kind), change.name, shown(change.before), shown(change.after),
                        change.difference(), signed_percent(change), change.why);
  }
  return text;
}

Json baseline_of(Json run) {
  run["firmware"].erase("path");
  run["firmware"].erase("sha256");
  run["seconds"].erase("wall");
  // Where it is in flash and in the source is not compared.
  for (auto& function : run["functions"]) {
    for (const char* place : {"address", "file", "line"}) function.erase(place);
  }
  return run;
}

}  // namespace avrlan::profile
