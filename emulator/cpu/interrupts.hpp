#pragma once
// The interrupt requests of one MCU: one line a vector, the lowest active vector is served first.

#include <array>
#include <bit>
#include <cstdint>
#include <functional>

namespace avrlan::cpu {

// A source computes its own line (flag and enable bit, or a level) and sets it whenever that changes. An engine serves
// the lines; it knows no source.
class Interrupts {
 public:
  static constexpr unsigned max_vectors = 64;
  using Acknowledge = std::function<void()>;

  // `acknowledge` runs when the core enters the vector: clears the flag when hardware does, and then the line. A source
  // that keeps its line up is served again after one instruction of the interrupted program.
  void connect(unsigned vector, Acknowledge acknowledge) { acknowledge_.at(vector) = std::move(acknowledge); }
  bool connected(unsigned vector) const { return static_cast<bool>(acknowledge_.at(vector)); }

  void request(unsigned vector, bool active) {
    const std::uint64_t line = std::uint64_t{1} << vector;
    active ? lines_ |= line : lines_ &= ~line;
  }

  // While held, none is served, whatever is requested (IVCE).
  void hold(bool held) { served_ = held ? 0 : ~std::uint64_t{0}; }
  // Where the vectors start, in words (IVSEL).
  void set_table(std::uint32_t first_word) { table_ = first_word; }
  std::uint32_t table() const { return table_; }

  bool any() const { return (lines_ & served_) != 0; }
  bool requested(unsigned vector) const { return (lines_ >> vector & 1) != 0; }
  // Only while any().
  unsigned highest() const { return static_cast<unsigned>(std::countr_zero(lines_)); }
  void acknowledge(unsigned vector) { acknowledge_[vector](); }

 private:
  std::uint64_t lines_ = 0;
  std::uint64_t served_ = ~std::uint64_t{0};
  std::uint32_t table_ = 0;
  std::array<Acknowledge, max_vectors> acknowledge_;
};

}  // namespace avrlan::cpu
