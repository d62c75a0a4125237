#include "emulator/lab/frame_digest.hpp"

#include <fmt/format.h>

namespace avrlan::lab {

void FrameDigest::add(Instant when, const EthernetFrame& frame) {
  add_number(static_cast<std::uint64_t>(when.since_start().picoseconds()));
  add_number(frame.octets.size());
  for (const std::uint8_t octet : frame.octets) add_octet(octet);
  add_number(frame.fcs);
}

void FrameDigest::add(std::string_view text) {
  add_number(text.size());
  for (const char c : text) add_octet(static_cast<std::uint8_t>(c));
}

void FrameDigest::add_number(std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) add_octet(static_cast<std::uint8_t>(number >> shift));
}

std::string FrameDigest::text() const {
  return fmt::format("{:016x}", value_);
}

}  // namespace avrlan::lab
