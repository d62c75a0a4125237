#pragma once
// What is in the MCU's EEPROM at power-on, over what the firmware's file has for it; erased cells read 0xFF.

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace avrlan {

struct EepromPatch {
  std::uint16_t address = 0;  // of the first octet
  std::vector<std::uint8_t> octets;

  // "02:41:56:00:00:01" from address 0, "0x10=CAFE" from another, "@FILE" or "0x10=@FILE" the octets of a file; a relative path
  // is from `directory`. Throws UsageError that says what to write instead.
  static EepromPatch parse(std::string_view text, const std::filesystem::path& directory = {});
};

}  // namespace avrlan
