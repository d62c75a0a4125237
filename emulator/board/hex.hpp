#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avrlan {

// "0aff" for 0x0a, 0xff.
std::string to_hex(std::span<const std::uint8_t> octets);
std::string to_hex(std::string_view text);
// nullopt: an odd number of digits, or something else.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view digits);
// Of one digit; -1: it is none.
int hex_value(char digit);

}  // namespace avrlan
