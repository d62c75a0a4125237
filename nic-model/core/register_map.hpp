#pragma once
// A chip's registers as the datasheet prints them: one row each, checked and indexed at compile time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace avrlan {

// Row::bank of a register that appears in every bank (or page) of its chip.
inline constexpr std::uint8_t all_banks = 0xFF;

// `Kind` is the chip's own enum of register kinds: what differs between them is for the chip to say.
template <typename Kind>
struct RegisterRow {
  std::string_view name;
  std::uint8_t bank;
  std::uint8_t address;
  std::uint8_t reset;
  std::uint8_t writable;   // bits that take whatever is written
  std::uint8_t clearable;  // bits that software can only clear, by writing 0
  std::uint8_t reserved;   // bits that the datasheet tells software to leave alone
  Kind kind;
  std::string_view section;  // of the datasheet

  // What the cell holds after `value` is written over `old`.
  constexpr std::uint8_t merge(std::uint8_t old, std::uint8_t value) const {
    return static_cast<std::uint8_t>((old & ~(writable | clearable)) | (value & writable) | (old & value & clearable));
  }
};

template <typename Kind, std::size_t Banks, std::size_t Addresses>
class RegisterMap {
 public:
  using Row = RegisterRow<Kind>;

  // `rows` has static storage. A row out of range, or two rows at one place, do not compile.
  template <std::size_t N>
  explicit consteval RegisterMap(const Row (&rows)[N]) {
    for (const Row& row : rows) {
      if (row.address >= Addresses || (row.bank != all_banks && row.bank >= Banks)) throw "register out of range";
      if ((row.writable & row.clearable) != 0) throw "bit both writable and clearable";
      for (std::size_t bank = 0; bank < Banks; ++bank) {
        if (row.bank != all_banks && row.bank != bank) continue;
        const Row*& entry = rows_[bank * Addresses + row.address];
        if (entry != nullptr) throw "two registers at one place";
        entry = &row;
      }
    }
  }

  // nullptr where the chip has no register.
  constexpr const Row* find(std::size_t bank, std::size_t address) const { return rows_[bank * Addresses + address]; }

 private:
  std::array<const Row*, Banks * Addresses> rows_{};
};

}  // namespace avrlan
