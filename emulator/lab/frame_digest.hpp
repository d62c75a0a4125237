#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "nic-model/core/frame.hpp"

namespace avrlan::lab {

// Tells two runs apart: FNV-1a, 64 bits (draft-eastlake-fnv), over what it is given, in that order.
class FrameDigest {
 public:
  // When its last bit has passed, and what it was.
  void add(Instant when, const EthernetFrame& frame);
  void add(std::string_view text);
  std::uint64_t value() const { return value_; }
  // 16 hex digits.
  std::string text() const;

 private:
  void add_octet(std::uint8_t octet) { value_ = (value_ ^ octet) * 0x100000001b3; }
  void add_number(std::uint64_t number);

  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace avrlan::lab
