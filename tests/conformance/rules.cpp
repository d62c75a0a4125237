#include "tests/conformance/rules.hpp"

namespace avrlan::test {

std::vector<Rule> all_rules() {
  std::vector<Rule> all;
  for (const auto& some : {arp_rules(), ipv4_rules(), icmp_rules(), udp_rules(), client_rules(), tcp_connection_rules(),
                           tcp_data_rules(), bad_inputs(), bad_tcp_inputs(), bad_service_inputs()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace avrlan::test
