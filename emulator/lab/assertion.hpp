#pragma once
// What [[assert]] says has to hold, and whether it did.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "emulator/cli/toml_table.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::lab {

// The UART has sent, or has not sent, this text up to a time.
struct TextAssertion {
  std::string text;
  bool absent = false;
};
// A number in the results of a board, "nic.rx_frames", or of a peer, is within bounds at a time. After a power cycle it is
// the sum.
struct ValueAssertion {
  std::string name;
  std::optional<std::int64_t> least, most;
};
// A peer that is a client has ended, and nothing went wrong.
struct SuccessAssertion {};
// The firmware has ended with this status.
struct StatusAssertion {
  int status = 0;
};

struct AssertDescription {
  std::string station;
  bool of_peer = false;  // else of a board
  std::variant<TextAssertion, ValueAssertion, StatusAssertion, SuccessAssertion> what;
  std::optional<Duration> by;  // nullopt: the end
  Place place;

  // `has` is read, `by` and `at` are one. Throws UsageError.
  static AssertDescription read(TomlTable& table);
  // "server: text \"done\" by 5s"
  std::string text() const;
};

// An assertion as the run has decided it; once.
class Assertion {
 public:
  explicit Assertion(const AssertDescription& description) : description_(&description) {}

  const AssertDescription& description() const { return *description_; }
  bool decided() const { return passed_.has_value(); }
  bool failed() const { return passed_ == false; }
  // When it has to be decided; never(): at the end.
  Instant deadline() const;

  // A text was seen for the first time; nullopt: it was not, up to `now`.
  void see(std::optional<Instant> when, Instant now, bool at_end);
  void decide(bool passed, std::string found);

  nlohmann::ordered_json json() const;
  // "lab.toml:12:3: server: text \"done\" by 5s: not seen"
  std::string text() const;

 private:
  const AssertDescription* description_;
  std::optional<bool> passed_;
  std::string found_;
};

// The number `name` in a run.json; missing drops are 0. nullopt: no such number.
std::optional<std::int64_t> find_number(const nlohmann::ordered_json& json, std::string_view name);

}  // namespace avrlan::lab
