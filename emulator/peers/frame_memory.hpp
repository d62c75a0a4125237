#pragma once
// What stack/netif/device.hpp asks of a driver, over memory: the stack's end of a Host.

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "emulator/net/packet.hpp"

namespace avrlan::peers {

class FrameMemory {
 public:
  using Octets = std::vector<std::uint8_t>;
  std::deque<Octets> waiting;  // to be received
  std::vector<Octets> sent;

  template <class Mac>
  bool begin(const Mac&) {
    return true;
  }
  bool link_up() { return true; }

  std::uint16_t rx_open() {
    rx_is_open_ = !waiting.empty();
    open_ = rx_is_open_ ? std::span<const std::uint8_t>(waiting.front()) : std::span<const std::uint8_t>();
    return static_cast<std::uint16_t>(open_.size());
  }
  void rx_read(std::uint16_t offset, void* to, std::uint16_t n) {
    std::ranges::copy(open_.subspan(offset, n), static_cast<std::uint8_t*>(to));
  }
  std::uint16_t rx_sum(std::uint16_t offset, std::uint16_t n) const { return sum(open_.subspan(offset, n)); }
  void rx_close() {
    open_ = {};
    if (rx_is_open_) waiting.pop_front();
    rx_is_open_ = false;
  }

  static constexpr std::uint16_t store_size = 42'000;
  bool store_rx(std::uint16_t at, std::uint16_t offset, std::uint16_t n) {
    std::ranges::copy(open_.subspan(offset, n), store_.begin() + at);
    return true;
  }
  void rx_from_store(std::uint16_t at, std::uint16_t length) { open_ = std::span(store_).subspan(at, length); }

  bool tx_open(std::uint16_t reserve) {
    tx_.assign(reserve, 0);
    return true;
  }
  void tx_write(const void* from, std::uint16_t n) {
    const auto* octets = static_cast<const std::uint8_t*>(from);
    tx_.insert(tx_.end(), octets, octets + n);
  }
  std::uint16_t tx_write_sum(const void* from, std::uint16_t n, std::uint16_t start) {
    tx_write(from, n);
    return sum({static_cast<const std::uint8_t*>(from), n}, start);
  }
  bool tx_copy_rx(std::uint16_t offset, std::uint16_t n) {
    const auto octets = open_.subspan(offset, n);
    tx_.insert(tx_.end(), octets.begin(), octets.end());
    return true;
  }
  void tx_patch(std::uint16_t offset, const void* from, std::uint16_t n) {
    std::copy_n(static_cast<const std::uint8_t*>(from), n, tx_.begin() + offset);
  }
  bool tx_hold() { return false; }
  void tx_resume() {}
  void tx_send(std::uint16_t length) { sent.emplace_back(tx_.begin(), tx_.begin() + length); }

 private:
  // Ones' complement, not inverted.
  static std::uint16_t sum(std::span<const std::uint8_t> octets, std::uint16_t start = 0) {
    return static_cast<std::uint16_t>(~net::internet_checksum(octets, start));
  }

  bool rx_is_open_ = false;
  std::span<const std::uint8_t> open_;  // what rx_* mean
  std::array<std::uint8_t, store_size> store_{};
  Octets tx_;
};

}  // namespace avrlan::peers
