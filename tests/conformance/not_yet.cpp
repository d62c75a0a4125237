#include "tests/conformance/rules.hpp"

namespace avrlan::test {

const std::vector<NotYet>& not_yet() {
  static const std::vector<NotYet> all;
  return all;
}

const std::vector<Elsewhere>& elsewhere() {
  static const std::vector<Elsewhere> all{
      {"AR-8", "not wanted: AR-3 has the cache follow an ARP message that nobody asked for"},
      {"AR-9", "not wanted in a stack that does not probe its address (RFC 5227)"},
      {"IP-23", "two interfaces: tests/unit/stack/interfaces_test.cpp; no board has two chips"},
      {"DH-5", "not wanted in a stack that does not probe its address (RFC 5227)"},
      {"L-6", "impossible pointers and lengths from the chip: tests/driver/enc28j60_test.cpp"},
  };
  return all;
}

}  // namespace avrlan::test
