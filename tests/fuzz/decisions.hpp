#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace avrlan::fuzz {

// Where decisions come from: a seed, or the octets that a fuzzing engine mutates.
class Decisions {
 public:
  explicit Decisions(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  explicit Decisions(std::span<const std::uint8_t> octets) : octets_(octets), from_octets_(true) {}

  bool exhausted() const { return from_octets_ && octets_.empty(); }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() >> 33) % n; }
  std::uint8_t octet() { return static_cast<std::uint8_t>(next() >> 40); }

 private:
  std::uint64_t next() {
    if (from_octets_) {
      // Two octets a decision: they fill the bits that below() and octet() look at.
      std::uint64_t value = 0;
      for (int n = 0; n < 2 && !octets_.empty(); ++n, octets_ = octets_.subspan(1)) {
        value = value << 8 | octets_.front();
      }
      return value << 40 | value << 33;
    }
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }

  std::uint64_t state_ = 0;
  std::span<const std::uint8_t> octets_;
  bool from_octets_ = false;
};

}  // namespace avrlan::fuzz
