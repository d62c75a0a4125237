#include "emulator/board/sha256.hpp"

#include <glib.h>

#include <memory>

namespace avrlan {

std::string sha256(std::span<const std::uint8_t> octets) {
  const std::unique_ptr<char, decltype(&g_free)> text{
      g_compute_checksum_for_data(G_CHECKSUM_SHA256, octets.data(), octets.size()), g_free};
  return text.get();
}

}  // namespace avrlan
