#include "emulator/board/eeprom_patch.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "emulator/board/hex.hpp"
#include "emulator/board/host_error.hpp"
#include "emulator/board/read_file.hpp"

namespace avrlan {

namespace {

constexpr const char* form = "write it like 02:41:56:00:00:01, 0x10=CAFE, @FILE or 0x10=@FILE";
constexpr std::size_t largest_eeprom = 4096;

std::uint16_t parse_address(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = text.substr(hex ? 2 : 0);
  std::uint16_t address = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, hex ? 16 : 10);
  if (error == std::errc{} && end == digits.data() + digits.size() && address < largest_eeprom) return address;
  throw UsageError(fmt::format("'{}' is no address of an EEPROM", text),
                   fmt::format("take 0 to 0x{:X}; {}", largest_eeprom - 1, form));
}

std::vector<std::uint8_t> parse_octets(std::string_view text) {
  std::string digits;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const bool between = n != 0 && n + 1 != text.size() && hex_value(text[n - 1]) >= 0 && digits.size() % 2 == 0;
    if (between && (text[n] == ':' || text[n] == '-' || text[n] == ' ')) continue;
    digits += text[n];
  }
  const auto octets = from_hex(digits);
  if (octets && !octets->empty()) return *octets;
  throw UsageError(fmt::format("'{}' are no octets in hexadecimal for the EEPROM", text), form);
}

}  // namespace

EepromPatch EepromPatch::parse(std::string_view text, const std::filesystem::path& directory) {
  EepromPatch patch;
  const auto equals = text.find('=');
  std::string_view content = text;
  if (!text.starts_with('@') && equals != std::string_view::npos) {
    patch.address = parse_address(text.substr(0, equals));
    content = text.substr(equals + 1);
  }
  if (content.starts_with('@')) {
    if (content.size() == 1) throw UsageError(fmt::format("'{}' names no file after the @", text), form);
    const auto file = (directory / content.substr(1)).lexically_normal();
    const std::string octets = read_file(file, "check the path after the @, of what is to be in the EEPROM");
    patch.octets.assign(octets.begin(), octets.end());
    if (octets.empty()) throw UsageError(fmt::format("{} is empty", file.string()), form);
  } else {
    patch.octets = parse_octets(content);
  }
  if (patch.address + patch.octets.size() > largest_eeprom) {
    throw UsageError(
        fmt::format("'{}' ends at 0x{:X}, beyond the largest EEPROM", text, patch.address + patch.octets.size() - 1),
        form);
  }
  return patch;
}

}  // namespace avrlan
