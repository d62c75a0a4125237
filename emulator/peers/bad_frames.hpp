#pragma once
// Malformed frames and attacks on a small IPv4 host, by the classes of public vulnerabilities: those that need no conversation.
// tests/conformance has the others, and what a right stack says to each of them.
// Not here: attacks on an established connection, on DHCP and DNS clients, on a chip's driver.

#include <cstdint>
#include <string>
#include <vector>

#include "nic-model/core/frame.hpp"

namespace avrlan::peers {

struct BadClass {
  std::string name;  // "ipv4-total-length"
  std::vector<std::vector<std::uint8_t>> frames;
};

struct Station {
  MacAddress mac{};
  std::uint32_t address = 0;
};

// `tcp_port`: one that the target listens at, best. `seed`: of the class "mutated", valid frames with octets changed.
std::vector<BadClass> bad_frames(const Station& from, const Station& to, std::uint16_t tcp_port, std::uint64_t seed);

}  // namespace avrlan::peers
