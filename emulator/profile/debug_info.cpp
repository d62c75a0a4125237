#include "emulator/profile/debug_info.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <map>

#include "emulator/board/demangle.hpp"
#include "emulator/board/escape.hpp"

namespace avrlan::profile {

namespace {

// Larger than any AVR's flash.
constexpr Dwarf_Addr flash_limit = 0x40000;

}  // namespace

class DwarfReader {
 public:
  explicit DwarfReader(const std::filesystem::path& elf) : fd_(::open(elf.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ >= 0) dwarf_ = dwarf_begin(fd_, DWARF_C_READ);
  }
  ~DwarfReader() {
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
    if (fd_ >= 0) ::close(fd_);
  }
  DwarfReader(const DwarfReader&) = delete;
  DwarfReader& operator=(const DwarfReader&) = delete;

  DebugInfo read();

 private:
  void read_lines(Dwarf_Die& unit);
  void set(Dwarf_Addr from, Dwarf_Addr to, SourceLine line);
  std::uint32_t file_index(const char* name, const std::filesystem::path& directory);
  void read_functions(Dwarf_Die& die, bool linked);
  void add_inlined(Dwarf_Die& die);

  int fd_;
  Dwarf* dwarf_ = nullptr;
  DebugInfo info_;
  std::map<std::string, std::uint32_t> known_files_;
};

DebugInfo DwarfReader::read() {
  if (dwarf_ == nullptr) return {};
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    read_lines(die);
    read_functions(die, true);
  }
  return std::move(info_);
}

std::uint32_t DwarfReader::file_index(const char* name, const std::filesystem::path& directory) {
  std::string path = printable((directory / name).lexically_normal().string());
  while (path.starts_with("../")) path.erase(0, 3);
  const auto [at, is_new] = known_files_.try_emplace(path, static_cast<std::uint32_t>(info_.files_.size()));
  if (is_new) info_.files_.push_back(path);
  return at->second;
}

void DwarfReader::set(Dwarf_Addr from, Dwarf_Addr to, SourceLine line) {
  if (to > flash_limit || from >= to) return;
  // A sequence may end with an odd byte of data.
  if (info_.lines_.size() < (to + 1) / 2) info_.lines_.resize((to + 1) / 2);
  for (Dwarf_Addr at = from; at < to; at += 2) info_.lines_[at / 2] = line;
}

void DwarfReader::read_lines(Dwarf_Die& unit) {
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(&unit, &lines, &count) != 0) return;
  Dwarf_Attribute attribute;
  const char* directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
  const bool may_begin_at_zero = dwarf_srclang(&unit) == DW_LANG_Mips_Assembler;
  bool linked = false;
  bool in_sequence = false;
  Dwarf_Addr from = 0;
  SourceLine line;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const row = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    int number = 0;
    bool end = false;
    dwarf_lineaddr(row, &address);
    dwarf_lineno(row, &number);
    dwarf_lineendsequence(row, &end);
    if (!in_sequence) linked = address != 0 || may_begin_at_zero;
    if (in_sequence && linked) set(from, address, line);
    in_sequence = !end;
    from = address;
    const char* const name = dwarf_linesrc(row, nullptr, nullptr);
    line = {name == nullptr ? 0 : file_index(name, directory == nullptr ? "" : directory),
            static_cast<std::uint32_t>(number)};
  }
}

// `linked`: the function around is in the image.
void DwarfReader::read_functions(Dwarf_Die& die, bool linked) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do {
    bool here = linked;
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram) {
      Dwarf_Addr entry = 0;
      here = dwarf_entrypc(&child, &entry) == 0 && entry != 0;
    } else if (tag == DW_TAG_inlined_subroutine && linked) {
      add_inlined(child);
    }
    read_functions(child, here);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void DwarfReader::add_inlined(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  const char* symbol = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attribute));
  if (symbol == nullptr) symbol = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_name, &attribute));
  if (symbol == nullptr) return;
  const std::string name = demangled(printable(symbol));
  Dwarf_Addr base = 0, first = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &first, &end)) > 0;) {
    if (first >= end || end > flash_limit) continue;
    info_.inlined_.push_back({name, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end)});
  }
}

DebugInfo DebugInfo::load(const std::filesystem::path& elf) {
  return DwarfReader(elf).read();
}

}  // namespace avrlan::profile
