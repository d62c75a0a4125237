#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace avrlan {

struct Pin {
  char port;         // 'A'..'L'
  std::uint8_t bit;  // 0..7
  // "PB2" and the like; nullopt when it is no pin name.
  static std::optional<Pin> parse(std::string_view text);
  std::string name() const;
};

// What is soldered to what.
struct Board {
  std::string name;
  std::string summary;  // one line for `avrlan boards`
  std::string mcu;      // avr-gcc's name, for example "atmega328p"
  std::int64_t hz;
  std::string nic;      // "enc28j60"
  Pin nic_select;
  std::optional<Pin> nic_int;
  std::optional<Pin> nic_reset;
};

// The boards that are built in, in the order in which they are listed.
const std::vector<Board>& boards();
// Throws HostError that names the nearest board and how to list them.
const Board& find_board(std::string_view name);

}  // namespace avrlan
