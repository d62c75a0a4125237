#include "emulator/board/firmware.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "emulator/board/escape.hpp"
#include "emulator/board/read_file.hpp"
#include "emulator/board/sha256.hpp"

namespace avrlan {

namespace {

using Bytes = std::vector<std::uint8_t>;

// The address spaces that avr-gcc's linker scripts put side by side.
constexpr std::uint32_t data_offset = 0x800000;
constexpr std::uint32_t eeprom_offset = 0x810000;
constexpr std::uint32_t fuse_offset = 0x820000;
// Larger than any AVR's, and small enough to allocate for a damaged file.
constexpr std::uint64_t eeprom_limit = fuse_offset - eeprom_offset;

constexpr const char* rebuild = "rebuild it and pass the .elf that avr-gcc links";

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfCloser>;

std::uint32_t little_endian32(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// Up to the first NUL, or the end.
std::string text_of(std::span<const std::uint8_t> bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{0});
  return {bytes.begin(), end};
}

// A parsed file. Every access outside the file, or that libelf refuses, is a HostError.
class ElfFile {
 public:
  ElfFile(const std::filesystem::path& path, Bytes& bytes) : path_(path), bytes_(bytes) {
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size()));
    if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header_) == nullptr) {
      throw UsageError(fmt::format("{} is not an ELF file", path_.string()),
                       "pass the .elf that avr-gcc links, not a .hex or .bin made from it");
    }
    if (header_.e_machine != EM_AVR) {
      throw UsageError(fmt::format("{} is not for an AVR (ELF machine {})", path_.string(), header_.e_machine),
                       "build the firmware with avr-gcc");
    }
    if (gelf_getclass(elf_.get()) != ELFCLASS32 || header_.e_ident[EI_DATA] != ELFDATA2LSB) damaged("its header");
    if (header_.e_type != ET_EXEC) {
      throw UsageError(fmt::format("{} is not linked (ELF type {})", path_.string(), header_.e_type),
                       "link it with avr-gcc; an object file cannot run");
    }
    // libelf ignores section headers that are cut off, and with them the MCU and the symbols.
    slice(header_.e_shoff, std::uint64_t{header_.e_shnum} * header_.e_shentsize, "the section header table");
  }

  void load_segments(Firmware& firmware) const;
  void read_sections(Firmware& firmware) const;

 private:
  [[noreturn]] void damaged(std::string_view what) const {
    throw UsageError(fmt::format("{} is damaged: {}", path_.string(), what), rebuild);
  }
  std::span<const std::uint8_t> slice(std::uint64_t offset, std::uint64_t size, std::string_view what) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      damaged(fmt::format("{} goes beyond the end of the file", what));
    }
    return std::span<const std::uint8_t>{bytes_}.subspan(offset, size);
  }
  void read_symbols(Firmware& firmware, Elf_Scn* section, const GElf_Shdr& header) const;
  bool in_code(const GElf_Sym& symbol) const;

  const std::filesystem::path& path_;
  const Bytes& bytes_;
  ElfHandle elf_;
  GElf_Ehdr header_{};
};

void place(Bytes& memory, std::uint32_t address, std::span<const std::uint8_t> content) {
  if (memory.size() < address + content.size()) memory.resize(address + content.size(), 0xff);
  std::copy(content.begin(), content.end(), memory.begin() + address);
}

void ElfFile::load_segments(Firmware& firmware) const {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) damaged("its program headers");
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) damaged("its program headers");
    if (segment.p_type != PT_LOAD || segment.p_filesz == 0) continue;
    const auto content = slice(segment.p_offset, segment.p_filesz, fmt::format("program header {}", i));
    const std::uint64_t end = segment.p_paddr + segment.p_filesz;
    if (end <= data_offset) {
      place(firmware.flash, static_cast<std::uint32_t>(segment.p_paddr), content);
    } else if (segment.p_paddr >= eeprom_offset && end <= eeprom_offset + eeprom_limit) {
      place(firmware.eeprom, static_cast<std::uint32_t>(segment.p_paddr - eeprom_offset), content);
    } else if (segment.p_paddr < fuse_offset) {
      damaged(fmt::format("program header {} loads {} bytes at {:#x}, which is neither flash nor EEPROM", i,
                          segment.p_filesz, segment.p_paddr));
    }
    // Above are fuses, lock bits, signature and .mmcu, which are not memory.
  }
  if (firmware.flash.empty()) {
    throw UsageError(fmt::format("{} has nothing to load into flash", path_.string()), rebuild);
  }
}

// .note.gnu.avr.deviceinfo of the newer avr-gcc: flash, SRAM and EEPROM start and size, then the size of an offset table
// whose second word (after an empty name) is where the device's name is in the string table behind it.
std::optional<std::string> device_of_note(std::span<const std::uint8_t> note) {
  if (note.size() < 12) return std::nullopt;
  const std::uint32_t name_size = little_endian32(note);
  const std::uint32_t description_size = little_endian32(note.subspan(4));
  const std::uint64_t description_at = 12 + (std::uint64_t{name_size} + 3) / 4 * 4;
  if (description_at + description_size > note.size()) return std::nullopt;
  const auto description = note.subspan(description_at, description_size);
  constexpr std::size_t memories = 24;
  if (description.size() < memories + 4) return std::nullopt;
  const std::uint64_t table_size = little_endian32(description.subspan(memories));
  const std::uint64_t strings_at = memories + table_size;
  if (table_size < 8 || strings_at + 1 > description.size()) return std::nullopt;
  const std::uint64_t name_at = strings_at + little_endian32(description.subspan(memories + 4));
  if (name_at >= description.size()) return std::nullopt;
  std::string name = text_of(description.subspan(name_at));
  if (name.empty()) return std::nullopt;
  return name;
}

// .mmcu: tag, length, value, as simavr's avr_mcu_section.h lays them down; zeros between them are padding.
void read_mmcu(std::span<const std::uint8_t> section, Firmware& firmware) {
  constexpr std::uint8_t tag_name = 1;
  constexpr std::uint8_t tag_frequency = 2;
  while (section.size() >= 2) {
    const std::uint8_t tag = section[0];
    const std::size_t length = section[1];
    if (tag == 0) {
      section = section.subspan(1);
      continue;
    }
    if (section.size() < 2 + length) return;
    const auto value = section.subspan(2, length);
    if (tag == tag_name && !firmware.mcu && !text_of(value).empty()) firmware.mcu = text_of(value);
    if (tag == tag_frequency && length >= 4 && little_endian32(value) != 0) firmware.hz = little_endian32(value);
    section = section.subspan(2 + length);
  }
}

void ElfFile::read_sections(Firmware& firmware) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) damaged("its section headers");
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) damaged("its section headers");
    const char* raw_name = elf_strptr(elf_.get(), names, header.sh_name);
    const std::string_view name = raw_name == nullptr ? "" : raw_name;
    if (name == ".note.gnu.avr.deviceinfo") {
      if (auto device = device_of_note(slice(header.sh_offset, header.sh_size, name))) firmware.mcu = *device;
    } else if (name == ".mmcu") {
      read_mmcu(slice(header.sh_offset, header.sh_size, name), firmware);
    } else if (name == ".data") {
      firmware.data_bytes = static_cast<std::uint32_t>(header.sh_size);
    } else if (name == ".bss" || name == ".noinit") {
      firmware.bss_bytes += static_cast<std::uint32_t>(header.sh_size);
    } else if (name == ".fuse") {
      const auto fuses = slice(header.sh_offset, header.sh_size, name);
      firmware.fuses.assign(fuses.begin(), fuses.end());
    } else if (header.sh_type == SHT_SYMTAB) {
      read_symbols(firmware, section, header);
    }
  }
  const auto by_address = [](const Symbol& a, const Symbol& b) { return a.address < b.address; };
  std::stable_sort(firmware.functions.begin(), firmware.functions.end(), by_address);
  std::stable_sort(firmware.objects.begin(), firmware.objects.end(), by_address);
}

bool ElfFile::in_code(const GElf_Sym& symbol) const {
  GElf_Shdr header;
  Elf_Scn* section = elf_getscn(elf_.get(), symbol.st_shndx);
  return section != nullptr && gelf_getshdr(section, &header) != nullptr && (header.sh_flags & SHF_EXECINSTR) != 0 &&
         symbol.st_value < data_offset && symbol.st_value - header.sh_addr < header.sh_size;
}

void ElfFile::read_symbols(Firmware& firmware, Elf_Scn* section, const GElf_Shdr& header) const {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) damaged("its symbol table");
  std::vector<Symbol> labels;
  const std::size_t count = data->d_size / gelf_fsize(elf_.get(), ELF_T_SYM, 1, EV_CURRENT);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) damaged("its symbol table");
    const char* name = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    const auto address = static_cast<std::uint32_t>(symbol.st_value);
    const auto size = static_cast<std::uint32_t>(symbol.st_size);
    const bool in_data = address >= data_offset && address < eeprom_offset;
    const int type = GELF_ST_TYPE(symbol.st_info);
    // The linker's script defines the first only where it is used, the second always, and both alike.
    const bool data_end = std::string_view{name} == "__heap_start" || std::string_view{name} == "_end";
    if (data_end && in_data) firmware.data_end = std::max(firmware.data_end, address - data_offset);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) continue;
    // Handwritten assembly often leaves its functions without a type; local labels are places inside a function, weak
    // ones are the unused vectors.
    const int bind = GELF_ST_BIND(symbol.st_info);
    const bool label = type == STT_NOTYPE && bind == STB_GLOBAL;
    if ((type == STT_FUNC || label) && in_code(symbol)) {
      (label ? labels : firmware.functions).push_back({printable(name), address, size});
    }
    if (in_data && type == STT_OBJECT) firmware.objects.push_back({printable(name), address - data_offset, size});
  }
  // At one address function_at() finds the last: a function rather than a label.
  firmware.functions.insert(firmware.functions.begin(), labels.begin(), labels.end());
}

}  // namespace

Firmware Firmware::load_elf(const std::filesystem::path& path) {
  const std::string content = read_file(path, "pass the firmware's .elf");
  Bytes bytes(content.begin(), content.end());
  Firmware firmware;
  firmware.path = path;
  firmware.sha256 = avrlan::sha256(bytes);
  const ElfFile elf(path, bytes);
  elf.load_segments(firmware);
  elf.read_sections(firmware);
  return firmware;
}

const Symbol* Firmware::function_at(std::uint32_t pc) const {
  auto after = std::upper_bound(functions.begin(), functions.end(), pc,
                                [](std::uint32_t address, const Symbol& symbol) { return address < symbol.address; });
  const Symbol* nearest_label = nullptr;
  while (after != functions.begin()) {
    const Symbol& symbol = *--after;
    if (symbol.size != 0) return pc - symbol.address < symbol.size ? &symbol : nearest_label;
    // Among the labels without a size the nearest one extends to the next symbol.
    if (nearest_label == nullptr) nearest_label = &symbol;
  }
  return nearest_label;
}

}  // namespace avrlan
