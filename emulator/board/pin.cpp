#include "emulator/board/pin.hpp"

#include <fmt/format.h>

namespace avrlan {

std::optional<Pin> Pin::parse(std::string_view text) {
  if (text.size() != 3 || text[0] != 'P' || text[1] < 'A' || text[1] > 'L' || text[2] < '0' || text[2] > '7') {
    return std::nullopt;
  }
  return Pin{text[1], static_cast<std::uint8_t>(text[2] - '0')};
}

std::string Pin::name() const {
  return fmt::format("P{}{}", port, bit);
}

}  // namespace avrlan
