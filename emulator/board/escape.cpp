#include "emulator/board/escape.hpp"

#include <fmt/format.h>

namespace avrlan {

namespace {

// How many bytes the UTF-8 character at the beginning of `text` has; 0: it is none, or a control character.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || size > text.size()) return 0;
  unsigned long code = first & (0x7fu >> size);
  for (std::size_t n = 1; n < size; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(n) & 0x3fu);
  }
  const bool shortest = code >= (size == 2 ? 0xa0u : size == 3 ? 0x800u : 0x10000u);  // U+0080 to U+009F are controls
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return shortest && !surrogate && code <= 0x10ffff ? size : 0;
}

std::string percent_encoded(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    result += special.find(c) == std::string_view::npos ? std::string(1, c)
                                                        : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character(text);
    if (size == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return result;
}

std::string workflow_message(std::string_view text) {
  return percent_encoded(text, "%\r\n");
}

std::string workflow_property(std::string_view text) {
  return percent_encoded(text, "%\r\n:,");
}

}  // namespace avrlan
