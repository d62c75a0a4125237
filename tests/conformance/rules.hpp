#pragma once
// The table of rules. Each is tested on a stack that has just been started, in every build of every profile that wants it.

#include <optional>
#include <string_view>
#include <vector>

#include "tests/conformance/link.hpp"

namespace avrlan::test {

enum class Level : std::uint8_t { must, should, may };

struct Rule {
  std::string_view id;
  Level level;
  std::string_view source;  // RFC and section
  bool minimal;             // profiles that are to meet it
  bool full;
  std::string_view text;
  void (*test)(Link&);  // throws Broken
  Setup setup = Setup::configured;
  bool hostile = false;  // afterwards the stack must still serve, and may have sent no octet that it was not sent
};

// One class of bad input; `source` is a public member of it.
inline Rule attack(std::string_view id, std::string_view source, std::string_view text, void (*test)(Link&),
                   Setup setup = Setup::configured) {
  return {id, Level::must, source, true, true, text, test, setup, true};
}

std::vector<Rule> arp_rules();
std::vector<Rule> ipv4_rules();
std::vector<Rule> icmp_rules();
std::vector<Rule> udp_rules();
std::vector<Rule> client_rules();
std::vector<Rule> tcp_connection_rules();
std::vector<Rule> tcp_data_rules();
// Malformed frames and attacks; see bad_inputs.cpp.
std::vector<Rule> bad_inputs();
std::vector<Rule> bad_tcp_inputs();
std::vector<Rule> bad_service_inputs();

// All of them, in this order.
std::vector<Rule> all_rules();

// The liveness probe: an echo, an exchange over TCP on a fresh connection, a page.
void expect_alive(Link& link);

// A rule that its profile does not meet yet, and why. As soon as it does, the suite fails until the entry is gone.
struct NotYet {
  std::string_view id;
  std::optional<Profile> profile;  // none: every one
  std::string_view reason;
};
const std::vector<NotYet>& not_yet();

// A rule or class of the checklists that is not tested here: where it is, or why it is not wanted.
struct Elsewhere {
  std::string_view id;
  std::string_view reason;
};
const std::vector<Elsewhere>& elsewhere();

}  // namespace avrlan::test
