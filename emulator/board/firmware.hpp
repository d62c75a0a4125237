#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "emulator/board/host_error.hpp"

namespace avrlan {

struct Symbol {
  std::string name;       // as in the ELF (mangled); control characters escaped
  std::uint32_t address;  // flash: byte address; data: without the 0x800000 offset
  std::uint32_t size;     // 0 when unknown
};

// The ELF that would be flashed, split into what goes where. Nothing in it is specific to an emulator.
struct Firmware {
  std::filesystem::path path;
  std::string sha256;                // of the file, 64 hex digits
  std::optional<std::string> mcu;    // from .note.gnu.avr.deviceinfo or .mmcu when present, as avr-gcc's -mmcu names it
  std::optional<std::int64_t> hz;    // from .mmcu when present
  std::vector<std::uint8_t> flash;   // from address 0, .text and the load image of .data
  std::vector<std::uint8_t> eeprom;  // from address 0, may be empty
  std::vector<std::uint8_t> fuses;   // low, high, extended: from .fuse (avr-libc's FUSES) when present
  std::vector<Symbol> functions;     // sorted by address
  std::vector<Symbol> objects;       // data space, sorted by address
  std::uint32_t data_bytes = 0;      // of .data, which flash holds a copy of
  std::uint32_t bss_bytes = 0;       // of .bss and .noinit
  std::uint32_t data_end = 0;        // first data address after .data/.bss/.noinit (__heap_start)

  // Throws HostError: no such file, not an ELF, not for AVR, not an executable, damaged.
  static Firmware load_elf(const std::filesystem::path& path);
  // The function that contains byte address `pc`, or nullptr.
  const Symbol* function_at(std::uint32_t pc) const;
};

}  // namespace avrlan
