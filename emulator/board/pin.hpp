#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace avrlan {

struct Pin {
  char port;         // 'A'..'L'
  std::uint8_t bit;  // 0..7
  // "PB2" and the like; nullopt when it is no pin name.
  static std::optional<Pin> parse(std::string_view text);
  std::string name() const;

  friend bool operator==(const Pin&, const Pin&) = default;
};

}  // namespace avrlan
