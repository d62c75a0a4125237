#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace avrlan::peers {

// The frame with the MSS option of a TCP SYN in it (RFC 9293 3.7.1) lowered to `mss`, and the checksum with it; any other frame
// as it is. The stack's own MSS is a constant; this is what a router does for a network with a smaller MTU behind it.
std::vector<std::uint8_t> clamp_mss(std::span<const std::uint8_t> frame, std::uint16_t mss);

}  // namespace avrlan::peers
