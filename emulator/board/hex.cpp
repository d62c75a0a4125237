#include "emulator/board/hex.hpp"

namespace avrlan {

std::string to_hex(std::span<const std::uint8_t> octets) {
  constexpr std::string_view hex_digits = "0123456789abcdef";
  std::string digits;
  digits.reserve(2 * octets.size());
  for (const std::uint8_t octet : octets) {
    digits += hex_digits[octet >> 4];
    digits += hex_digits[octet & 0xF];
  }
  return digits;
}

std::string to_hex(std::string_view text) {
  return to_hex(std::vector<std::uint8_t>(text.begin(), text.end()));
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> octets;
  octets.reserve(digits.size() / 2);
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    const int high = hex_value(digits[at]);
    const int low = hex_value(digits[at + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    octets.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return octets;
}

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace avrlan
