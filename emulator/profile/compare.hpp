#pragma once
// Two runs of two builds of a firmware, item by item: cycles, sizes, stack, coverage.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/profile/json_file.hpp"

namespace avrlan::profile {

// What is compared. Functions are compared by their own cycles; the numbers that the compiler gives its clones, and the order
// of namesakes, do not count.
enum class ItemKind : std::uint8_t {
  total,     // "active", "sleep", "interrupt" cycles
  function,  // own cycles
  region,    // cycles
  layer,     // cycles
  flash,     // bytes: "total", and by function
  ram,       // bytes: "static", and by object
  stack,     // bytes: "high water"
  coverage,  // lines, functions, branches hit
};
std::string_view to_string(ItemKind kind);

struct Change {
  ItemKind kind = ItemKind::total;
  std::string name;
  std::optional<std::int64_t> before;  // nothing: was not there
  std::optional<std::int64_t> after;
  std::string why;  // what is known of it: "now inlined into main (120 cycles)"; may be empty
  // How much more (coverage: less) than the limit allows; nothing: within it, or no limit for this item.
  std::optional<std::int64_t> beyond_limit;
  bool limited = false;

  std::int64_t difference() const { return after.value_or(0) - before.value_or(0); }
};

// "12": so much more; "1.5%": of what it was.
struct Allowance {
  std::int64_t absolute = 0;
  double percent = 0;
  // Throws UsageError that names `option`.
  static Allowance parse(std::string_view option, const std::string& text);
  std::int64_t of(std::int64_t before) const;
};

// The first rule that fits an item counts. An item that is new has no limit of its own: the totals have.
struct Limits {
  struct Rule {
    ItemKind kind;
    std::string pattern;  // shell pattern of the name
    Allowance allowance;
    std::string where;  // "limits.toml:3"; empty: of no file, and may limit nothing
  };
  std::vector<Rule> rules;

  // Cycles: active and interrupt, every function, region and layer.
  void limit_cycles(const Allowance& allowance);
  // A TOML file: a table for each kind, in it "pattern" = allowance, as a string or an integer:
  //   [total]  active = 0          [function]  "tcpip::Tcp*" = "1%"         [flash]  total = 64
  // Throws UsageError.
  void read(const std::filesystem::path& toml);
};

struct Comparison {
  std::vector<Change> changes;      // every item of either run, most grown first within its kind
  std::vector<std::string> doubts;  // why the numbers may not be comparable: one sentence each
  bool regressed() const;
};

// Of two run.json. Throws UsageError, one line: other board, MCU or frequency; a run without --profile; something in a file is
// missing, of another type, or does not add up; a limit of a file fits nothing.
Comparison compare(const JsonFile& base, const JsonFile& now, const Limits& limits);

// For people: what differs.
std::string text_of(const Comparison& comparison);
// schema "avrlan-compare-1".
nlohmann::ordered_json json_of(const Comparison& comparison);
// A test case for each item with a limit.
std::string junit_of(const Comparison& comparison);
// GitHub's workflow commands (::error), and a table for its job summary.
std::string annotations_of(const Comparison& comparison);
std::string markdown_of(const Comparison& comparison);

// A run.json without what is another one each time and not compared: paths, wall-clock time, addresses.
// Throws UsageError: no profile, damaged.
nlohmann::ordered_json baseline_of(const JsonFile& run);
// Throws UsageError when `path` exists and is no run.json, or one of other hardware: that is not to be overwritten.
void check_baseline(const JsonFile& run, const std::filesystem::path& path);

}  // namespace avrlan::profile
