#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace avrlan {

// 64 hex digits.
std::string sha256(std::span<const std::uint8_t> octets);

}  // namespace avrlan
