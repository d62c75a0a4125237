#ifndef AVRLAN_TESTS_UNIT_STACK_RAM_DEVICE_HPP
#define AVRLAN_TESTS_UNIT_STACK_RAM_DEVICE_HPP
// A driver as stack/netif/device.hpp describes it, over vectors. It fails the test when the stack reads or writes outside
// of what it may, or sends an octet that it has not written.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "stack/base/address.hpp"

namespace avrlan::test {

using Octets = std::vector<uint8_t>;

inline uint16_t reference_sum(const uint8_t* from, size_t n, uint32_t sum = 0) {
  for (size_t i = 0; i < n; ++i) sum += (i & 1) ? from[i] : static_cast<uint32_t>(from[i] << 8);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

class RamDevice {
 public:
  std::deque<Octets> waiting;  // to be received
  std::deque<Octets> sent;
  uint32_t holds = 0;  // calls of tx_hold
  bool stuck = false;  // tx_open fails

  bool begin(const tcpip::MacAddress&) { return true; }
  bool link_up() { return true; }

  uint16_t rx_open() {
    rx_is_open_ = !waiting.empty();
    from_store_.reset();
    return rx_is_open_ ? static_cast<uint16_t>(waiting.front().size()) : 0;
  }
  void rx_read(uint16_t offset, void* to, uint16_t n) {
    const std::span<const uint8_t> frame = open_frame();
    ASSERT_LE(offset + n, frame.size()) << "read behind the frame";
    std::copy_n(frame.begin() + offset, n, static_cast<uint8_t*>(to));
  }
  uint16_t rx_sum(uint16_t offset, uint16_t n) {
    const std::span<const uint8_t> frame = open_frame();
    EXPECT_LE(offset + n, frame.size()) << "sum behind the frame";
    return offset + n <= frame.size() ? reference_sum(frame.data() + offset, n) : 0;
  }
  void rx_close() {
    ASSERT_TRUE(rx_is_open_ || from_store_);
    if (rx_is_open_) waiting.pop_front();
    rx_is_open_ = false;
    from_store_.reset();
  }

  static constexpr uint16_t store_size = 2064;
  bool store_rx(uint16_t at, uint16_t offset, uint16_t n) {
    EXPECT_LE(at + n, store_size) << "stores behind the store";
    Octets copy(n);
    rx_read(offset, copy.data(), n);
    std::ranges::copy(copy, store_.begin() + at);
    return true;
  }
  void rx_from_store(uint16_t at, uint16_t length) {
    ASSERT_LE(at + length, store_size) << "reads behind the store";
    from_store_ = std::span(store_).subspan(at, length);
  }

  bool tx_open(uint16_t reserve) {
    tx_.assign(reserve, 0);
    written_.assign(reserve, false);
    return !stuck;
  }
  void tx_write(const void* from, uint16_t n) {
    const auto* octets = static_cast<const uint8_t*>(from);
    tx_.insert(tx_.end(), octets, octets + n);
    written_.insert(written_.end(), n, true);
    ASSERT_LE(tx_.size(), 1514u);
  }
  uint16_t tx_write_sum(const void* from, uint16_t n, uint16_t sum) {
    tx_write(from, n);
    return reference_sum(static_cast<const uint8_t*>(from), n, sum);
  }
  bool tx_copy_rx(uint16_t offset, uint16_t n) {
    Octets copy(n);
    rx_read(offset, copy.data(), n);
    tx_write(copy.data(), n);
    return true;
  }
  void tx_patch(uint16_t offset, const void* from, uint16_t n) {
    ASSERT_LE(offset + n, tx_.size()) << "patch behind what was written";
    std::copy_n(static_cast<const uint8_t*>(from), n, tx_.begin() + offset);
    std::fill_n(written_.begin() + offset, n, true);
  }
  void tx_send(uint16_t length) {
    ASSERT_LE(length, tx_.size()) << "sends more than was written";
    ASSERT_EQ(std::count(written_.begin(), written_.begin() + length, false), 0) << "sends what was not written";
    Octets frame(tx_.begin(), tx_.begin() + length);
    if (frame.size() < 60) frame.resize(60);
    sent.push_back(frame);
    tx_.clear();
    written_.clear();
  }
  bool tx_hold() {
    EXPECT_FALSE(held_) << "holds two frames";
    held_ = {tx_, written_};
    ++holds;
    return true;
  }
  void tx_resume() {
    ASSERT_TRUE(held_);
    std::tie(tx_, written_) = *std::exchange(held_, std::nullopt);
  }

 private:
  std::span<const uint8_t> open_frame() const {
    if (from_store_) return *from_store_;
    EXPECT_TRUE(rx_is_open_);
    return rx_is_open_ ? std::span<const uint8_t>(waiting.front()) : std::span<const uint8_t>();
  }

  bool rx_is_open_ = false;
  std::array<uint8_t, store_size> store_ = {};
  std::optional<std::span<const uint8_t>> from_store_;
  Octets tx_;
  std::vector<bool> written_;
  std::optional<std::pair<Octets, std::vector<bool>>> held_;
};

}  // namespace avrlan::test

#endif
