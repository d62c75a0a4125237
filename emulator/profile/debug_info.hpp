#pragma once
// Source lines and inlined functions of a firmware, from its DWARF.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace avrlan::profile {

struct SourceLine {
  std::uint32_t file = 0;  // index into files()
  std::uint32_t line = 0;  // 0: unknown
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// A call that the compiler replaced by the function's body.
struct Inlined {
  std::string name;         // demangled
  std::uint32_t first = 0;  // byte addresses: [first, end)
  std::uint32_t end = 0;
};

class DebugInfo {
 public:
  // Nothing is known of a firmware without debug information, or with one that cannot be read. Code that the linker has
  // thrown away, which the compiler's tables still place at address 0, is left out; only assembler is believed to be there.
  static DebugInfo load(const std::filesystem::path& elf);

  // As the compiler was told them, joined to its directory and without "." and "..": a name that begins below an unknown
  // directory (-fdebug-prefix-map) begins with the first known one.
  const std::vector<std::string>& files() const { return files_; }
  SourceLine line_of(std::uint32_t byte_address) const {
    return byte_address / 2 < lines_.size() ? lines_[byte_address / 2] : SourceLine{};
  }
  const std::vector<Inlined>& inlined() const { return inlined_; }
  bool empty() const { return lines_.empty(); }

 private:
  friend class DwarfReader;
  std::vector<std::string> files_{""};
  std::vector<SourceLine> lines_;  // by word
  std::vector<Inlined> inlined_;
};

}  // namespace avrlan::profile
