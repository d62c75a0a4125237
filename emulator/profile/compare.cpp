#include "emulator/profile/compare.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "emulator/board/escape.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/board/read_file.hpp"

namespace avrlan::profile {

namespace {

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
Values values_of(const JsonValue& run, const char* list, const char* value) {
  Values values;
  if (!run.has(list)) return values;
  for (const JsonValue& item : run[list].items()) values[stable_name(item["name"].name())] += item[value].count();
  return values;
}

Values values_at(const JsonValue& run, ItemKind kind) {
  Values values;
  switch (kind) {
    case ItemKind::total:
      for (const char* part : {"active", "sleep", "interrupt"}) values[part] = run["cycles"][part].count();
      break;
    case ItemKind::function:
      return values_of(run, "functions", "cycles");
    case ItemKind::region:
      return values_of(run, "regions", "cycles");
    case ItemKind::layer:
      return values_of(run, "layers", "cycles");
    case ItemKind::flash:
      if (!run.has("flash")) break;
      values = values_of(run["flash"], "functions", "size");
      values["total"] = run["flash"]["total"].count();
      break;
    case ItemKind::ram:
      if (!run.has("ram")) break;
      values = values_of(run["ram"], "objects", "size");
      values["static"] = run["ram"]["static"].count();
      break;
    case ItemKind::stack:
      if (run.has("stack")) values["high water"] = run["stack"].count();
      break;
    case ItemKind::coverage:
      if (!run.has("coverage")) break;
      for (const auto& [what, share] : run["coverage"].members()) values[what] = share["hit"].count();
      break;
  }
  return values;
}

// What explains a change of a run's functions.
struct Explained {
  Values calls;
  std::map<std::string, std::string> inlined;  // where a function's body went, or came from

  explicit Explained(const JsonValue& run) : calls(values_of(run, "functions", "calls")) {
    if (!run.has("inlined")) return;
    for (const JsonValue& item : run["inlined"].items()) {
      std::string& places = inlined[stable_name(item["name"].name())];
      places += fmt::format("{}{} ({} cycles)", places.empty() ? "" : ", ", item["in"].name(), item["cycles"].count());
    }
  }
  std::string places_of(const std::string& name) const {
    const auto known = inlined.find(name);
    return known == inlined.end() ? "" : known->second;
  }
};

std::string explanation(const Change& change, const Explained& base, const Explained& now) {
  if (change.kind != ItemKind::function) return {};
  if (!change.before) {
    const std::string was = base.places_of(change.name);
    return was.empty() ? "new" : "was inlined into " + was;
  }
  if (!change.after) {
    const std::string is = now.places_of(change.name);
    return is.empty() ? "gone, or not called any more" : "now inlined into " + is;
  }
  if (change.difference() == 0) return {};
  const std::int64_t before = base.calls.at(change.name), after = now.calls.at(change.name);
  if (before != after) return fmt::format("{} calls, were {}", after, before);
  return before > 1 ? fmt::format("{} calls", before) : "";
}

bool fits(const Limits::Rule& rule, const Change& change) {
  return rule.kind == change.kind && ::fnmatch(rule.pattern.c_str(), change.name.c_str(), 0) == 0;
}

void apply(const Limits& limits, Change& change) {
  if (!change.before) return;
  const auto rule =
      std::find_if(limits.rules.begin(), limits.rules.end(), [&](const Limits::Rule& r) { return fits(r, change); });
  if (rule == limits.rules.end()) return;
  change.limited = true;
  const std::int64_t worse = change.kind == ItemKind::coverage ? -change.difference() : change.difference();
  const std::int64_t beyond = worse - rule->allowance.of(*change.before);
  if (beyond > 0) change.beyond_limit = beyond;
}

std::string hardware_of(const JsonValue& run) {
  return fmt::format("board {}, {} at {} Hz", run["board"].name(), run["firmware"]["mcu"].name(),
                     run["firmware"]["hz"].count());
}

// Every cycle is some function's.
void check_sums(const JsonValue& run) {
  std::int64_t cycles = 0, sleep = 0;
  for (const JsonValue& function : run["functions"].items()) {
    cycles += function["cycles"].count();
    sleep += function["sleep"].count();
  }
  const std::int64_t active = run["cycles"]["active"].count(), asleep = run["cycles"]["sleep"].count();
  if (cycles == active && sleep == asleep && active + asleep == run["cycles"]["total"].count()) return;
  run["functions"].damaged(
      fmt::format("add up to {} cycles and {} asleep, the run to {} and {}", cycles, sleep, active, asleep));
}

void require_same(const JsonFile& base, const JsonFile& now) {
  const std::string before = hardware_of(base.root()), after = hardware_of(now.root());
  if (before != after) {
    throw UsageError(
        fmt::format("cannot compare different hardware: {} in {} and {} in {}", before, base.name, after, now.name),
        "compare runs on the same board");
  }
  for (const JsonFile* file : {&base, &now}) {
    if (!file->root().has("functions")) {
      throw UsageError(fmt::format("{} has no profile", file->name), "record it with `avrlan run --profile --out DIR`");
    }
    check_sums(file->root());
  }
}

// A limit that limits nothing is a mistake in its pattern, or in what was recorded.
void require_use(const Limits& limits, const std::vector<Change>& changes) {
  for (const Limits::Rule& rule : limits.rules) {
    if (rule.where.empty() ||
        std::any_of(changes.begin(), changes.end(), [&](const Change& c) { return fits(rule, c); }))
      continue;
    std::vector<std::string> names;
    for (const Change& change : changes) {
      if (change.kind == rule.kind) names.push_back(change.name);
    }
    throw UsageError(fmt::format("{}: no {} of the runs fits '{}'", rule.where, to_string(rule.kind), rule.pattern),
                     names.empty() ? fmt::format("one of them has no {} at all: see --profile, --region, --coverage of "
                                                 "`avrlan run`",
                                                 to_string(rule.kind))
                                   : did_you_mean(rule.pattern, names));
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

// In a Markdown table, where | ends a cell and ` a name.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '`' ? '\'' : c;
  }
  return escaped;
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
  rules.push_back({ItemKind::total, "active", allowance, ""});
  rules.push_back({ItemKind::total, "interrupt", allowance, ""});
  for (const ItemKind kind : {ItemKind::function, ItemKind::region, ItemKind::layer})
    rules.push_back({kind, "*", allowance, ""});
}

void Limits::read(const std::filesystem::path& path) {
  toml::table table;
  try {
    table = toml::parse(read_file(path, "give --limits a TOML file, see `avrlan compare --help`"), path.string());
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
      const std::string where = fmt::format("{}:{}", path.string(), value.source().begin.line);
      if (!value.is_integer() && !value.is_string()) {
        throw UsageError(
            fmt::format("{}: the limit of '{}' is neither a whole number nor a text", where, pattern.str()),
            "write 0, 64 or \"1.5%\"");
      }
      const auto text = value.is_integer() ? fmt::to_string(*value.value<std::int64_t>()) : *value.value<std::string>();
      rules.push_back({static_cast<ItemKind>(kind - kind_names.begin()), std::string(pattern.str()),
                       Allowance::parse(fmt::format("{}: {} =", where, pattern.str()), text), where});
    }
  }
}

bool Comparison::regressed() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& change) { return change.beyond_limit.has_value(); });
}

Comparison compare(const JsonFile& base_file, const JsonFile& now_file, const Limits& limits) {
  require_same(base_file, now_file);
  const JsonValue base = base_file.root(), now = now_file.root();
  Comparison comparison;
  for (const JsonFile* file : {&base_file, &now_file}) {
    const JsonValue fixed = file->root()["deterministic"];
    if (!fixed["value"].flag())
      comparison.doubts.push_back(fmt::format("{} would not repeat: {}", file->name, fixed["why"].text()));
  }
  const std::string ended = base["result"]["reason"].name(), ends = now["result"]["reason"].name();
  if (ended != ends) comparison.doubts.push_back(fmt::format("the runs ended differently: {} and {}", ended, ends));
  const double length = base["seconds"]["virtual"].real(), length_now = now["seconds"]["virtual"].real();
  if (ended == "timeout" && ends == ended && std::abs(length - length_now) > 1e-6 * length)
    comparison.doubts.push_back(
        fmt::format("the runs were not of one --timeout: {:g} s and {:g} s", length, length_now));
  for (std::size_t k = 0; k < kind_names.size(); ++k) {
    const auto kind = static_cast<ItemKind>(k);
    const Values before = values_at(base, kind), after = values_at(now, kind);
    // What only one of the runs has measured cannot be compared.
    if (before.empty() || after.empty()) continue;
    const auto first = comparison.changes.size();
    for (const auto& [name, value] : before) {
      const auto known = after.find(name);
      const auto then = known == after.end() ? std::nullopt : std::optional(known->second);
      comparison.changes.push_back({kind, name, value, then, "", {}, false});
    }
    for (const auto& [name, value] : after) {
      if (!before.contains(name)) comparison.changes.push_back({kind, name, std::nullopt, value, "", {}, false});
    }
    std::stable_sort(comparison.changes.begin() + static_cast<std::ptrdiff_t>(first), comparison.changes.end(),
                     [](const Change& a, const Change& b) { return a.difference() > b.difference(); });
  }
  const Explained explained_base(base), explained_now(now);
  for (Change& change : comparison.changes) {
    change.why = explanation(change, explained_base, explained_now);
    apply(limits, change);
  }
  require_use(limits, comparison.changes);
  return comparison;
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
    if (change.beyond_limit)
      text += fmt::format("::error title=avrlan compare::{}\n", workflow_message(verdict(change)));
  }
  return text;
}

std::string markdown_of(const Comparison& comparison) {
  std::string text = "| | item | before | after | difference | | |\n|---|---|--:|--:|--:|--:|---|\n";
  for (const Change& change : comparison.changes) {
    if (change.before == change.after) continue;
    text += fmt::format("| {} | {} `{}` | {} | {} | {:+} | {} | {} |\n", change.beyond_limit ? "**!**" : "",
                        to_string(change.kind), cell(change.name), shown(change.before), shown(change.after),
                        change.difference(), signed_percent(change), cell(change.why));
  }
  return text;
}

void check_baseline(const JsonFile& now, const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return;
  const JsonFile old = JsonFile::load_run(path);
  const std::string before = hardware_of(old.root()), after = hardware_of(now.root());
  if (before == after) return;
  throw UsageError(fmt::format("{} is a baseline of other hardware: {}, not {}", old.name, before, after),
                   "give another BASE, or delete it first");
}

Json baseline_of(const JsonFile& file) {
  if (!file.root().has("functions")) {
    throw UsageError(fmt::format("{} has no profile", file.name), "record it with `avrlan run --profile --out DIR`");
  }
  check_sums(file.root());
  Json run = file.json;
  run["firmware"].erase("path");
  run["firmware"].erase("sha256");
  if (file.root().has("seconds") && file.root()["seconds"].has("wall")) run["seconds"].erase("wall");
  run.erase("files");
  // Where it is in flash and in the source is not compared.
  for (auto& function : run["functions"]) {
    for (const char* place : {"address", "file", "line"}) function.erase(place);
  }
  return run;
}

}  // namespace avrlan::profile
