#include "emulator/cli/diagnostic_policy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/board/diagnostic_kinds.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/nearest_name.hpp"
#include "emulator/net/frame_check.hpp"
#include "nic-model/enc28j60/diagnostic_kinds.hpp"
#include "nic-model/rtl8019as/diagnostic_kinds.hpp"

namespace avrlan {

namespace {

constexpr Severity severities[] = {Severity::note, Severity::warning, Severity::error};

bool matches(std::string_view what, std::string_view name, Severity own) {
  if (what == "all" || what == name || what == to_string(own)) return true;
  return what.ends_with('*') && name.starts_with(what.substr(0, what.size() - 1));
}

// nullopt: ignore.
std::optional<Severity> parse_severity(std::string_view rule, std::string_view text) {
  if (text == "ignore") return std::nullopt;
  for (const Severity severity : severities) {
    if (text == to_string(severity)) return severity;
  }
  throw UsageError(fmt::format("--diag '{}': '{}' is no severity", rule, text), "use ignore, note, warning or error");
}

// No instruction comes after these.
bool is_final(std::string_view name, EngineKind engine) {
  if (engine == EngineKind::exact)
    return std::find(std::begin(final_errors), std::end(final_errors), name) != std::end(final_errors);
  // simavr's interpreter ends at whatever the core does wrong. That a clock stands is no instruction's end.
  return name != "mcu-clock-stopped" &&
         std::any_of(std::begin(machine_diagnostic_kinds), std::end(machine_diagnostic_kinds),
                     [&](const auto& kind) { return kind.name == name && kind.severity == Severity::error; });
}

void check_what(std::string_view rule, std::string_view what) {
  const auto& kinds = diagnostic_kinds();
  const bool any = std::any_of(kinds.begin(), kinds.end(),
                               [&](const DiagnosticKind& kind) { return matches(what, kind.name, kind.severity); });
  if (any) return;
  std::vector<std::string> names = {"all", "note", "warning", "error"};
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  throw UsageError(fmt::format("--diag '{}': there is no diagnostic '{}'", rule, what),
                   fmt::format("did you mean '{}'? `avrlan diagnostics` lists them all", nearest_name(what, names)));
}

}  // namespace

const std::vector<DiagnosticKind>& diagnostic_kinds() {
  static const std::vector<DiagnosticKind> all = [] {
    std::vector<DiagnosticKind> kinds;
    const auto append = [&kinds](std::span<const DiagnosticKind> some) {
      kinds.insert(kinds.end(), some.begin(), some.end());
    };
    append(machine_diagnostic_kinds);
    append(enc28j60::diagnostic_kinds);
    append(rtl8019as::diagnostic_kinds);
    append(net::frame_check_kinds());
    std::sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return kinds;
  }();
  return all;
}

void DiagnosticPolicy::add(std::string_view rules) {
  while (true) {
    const std::string_view rule = rules.substr(0, rules.find(','));
    const auto equals = rule.find('=');
    const std::string_view what = rule.substr(0, equals);
    check_what(rule, what);
    if (equals == std::string_view::npos) {
      throw UsageError(fmt::format("--diag '{}' says no severity", rule),
                       fmt::format("write {}=ignore, =note, =warning or =error", rule));
    }
    const auto severity = parse_severity(rule, rule.substr(equals + 1));
    rules_.push_back({std::string(what), severity});
    if (rule.size() == rules.size()) return;
    rules.remove_prefix(rule.size() + 1);
  }
}

void DiagnosticPolicy::use(EngineKind engine) {
  engine_ = engine;
  for (const Rule& rule : rules_) {
    if (engine == EngineKind::simavr && rule.what == "stack-overflow")
      throw UsageError("--diag stack-overflow: simavr's interpreter does not look at the stack", "use --engine exact");
    if (is_final(rule.what, engine) && rule.severity != Severity::error) {
      throw UsageError(fmt::format("--diag: {} is always an error with --engine {}", rule.what, to_string(engine)),
                       "the firmware cannot go on after it");
    }
  }
}

std::string DiagnosticPolicy::text() const {
  std::string text;
  for (const Rule& rule : rules_) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", rule.what,
                        rule.severity ? to_string(*rule.severity) : "ignore");
  }
  return text;
}

std::optional<Severity> DiagnosticPolicy::severity(std::string_view name, Severity own) const {
  std::optional<Severity> severity = own;
  if (is_final(name, engine_)) return severity;
  for (const Rule& rule : rules_) {
    if (matches(rule.what, name, own)) severity = rule.severity;
  }
  return severity;
}

}  // namespace avrlan
