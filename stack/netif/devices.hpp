#ifndef TCPIP_NETIF_DEVICES_HPP
#define TCPIP_NETIF_DEVICES_HPP
// Several drivers as one (netif/device.hpp), for a stack with as many interfaces:
//
//   struct Router : tcpip::Full {
//     using Device = tcpip::Devices<Enc28j60<First>, Enc28j60<Second>>;
//     static constexpr uint8_t interfaces = 2;
//   };
//
// Frames are taken from the drivers in turn; where the stack sends is chosen by choose(). An interface's MAC address is
// that of the first, with the interface's number added to its last octet.
#include <stdint.h>

#include "stack/base/address.hpp"

namespace tcpip {

inline MacAddress interface_mac(MacAddress mac, uint8_t i) {
  mac.octet[5] = static_cast<uint8_t>(mac.octet[5] + i);
  return mac;
}

template <class Driver, class... Rest>
class Devices;

template <class Driver>
class Devices<Driver> {
 public:
  static constexpr uint8_t count = 1;
  static constexpr uint16_t store_size = Driver::store_size;

  Driver& first() { return first_; }

  template <class F>
  auto with(uint8_t, F f) -> decltype(f(*static_cast<Driver*>(nullptr))) {
    return f(first_);
  }

 private:
  Driver first_;
};

template <class Driver, class Second, class... Rest>
class Devices<Driver, Second, Rest...> {
 public:
  static constexpr uint8_t count = 2 + sizeof...(Rest);
  // Each interface's fragments are kept in its own chip.
  static constexpr uint16_t store_size = Driver::store_size < Devices<Second, Rest...>::store_size
                                             ? Driver::store_size
                                             : Devices<Second, Rest...>::store_size;

  // The drivers themselves: first(), rest().first(), rest().rest().first().
  Driver& first() { return first_; }
  Devices<Second, Rest...>& rest() { return rest_; }

  // f(driver) of interface i; every driver has to give the same type.
  template <class F>
  auto with(uint8_t i, F f) -> decltype(f(*static_cast<Driver*>(nullptr))) {
    return i == 0 ? f(first_) : rest_.with(static_cast<uint8_t>(i - 1), f);
  }

  // The interface that the frame at hand came from, or whose store is meant.
  uint8_t receiving() const { return rx_; }
  void choose_store(uint8_t i) { rx_ = i; }
  // The interface that is sent by.
  void choose(uint8_t i) { tx_ = i; }

  bool begin(const MacAddress& mac) {
    bool all = true;
    for (uint8_t i = 0; i != count; ++i)
      if (!with(i, [&](auto& driver) { return driver.begin(interface_mac(mac, i)); })) all = false;
    return all;
  }
  // Whether any is.
  bool link_up() {
    bool any = false;
    for (uint8_t i = 0; i != count; ++i)
      if (with(i, [](auto& driver) { return driver.link_up(); })) any = true;
    return any;
  }

  uint16_t rx_open() {
    for (uint8_t tries = count; tries; --tries) {
      const uint16_t length = with(rx_, [](auto& driver) { return driver.rx_open(); });
      if (length) return length;
      rx_ = static_cast<uint8_t>(rx_ + 1 == count ? 0 : rx_ + 1);
    }
    return 0;
  }
  void rx_read(uint16_t offset, void* to, uint16_t n) {
    with(rx_, [=](auto& driver) { driver.rx_read(offset, to, n); });
  }
  uint16_t rx_sum(uint16_t offset, uint16_t n) {
    return with(rx_, [=](auto& driver) { return driver.rx_sum(offset, n); });
  }
  // The next frame is looked for at the next driver.
  void rx_close() {
    with(rx_, [](auto& driver) { driver.rx_close(); });
    rx_ = static_cast<uint8_t>(rx_ + 1 == count ? 0 : rx_ + 1);
  }

  bool store_rx(uint16_t at, uint16_t offset, uint16_t n) {
    return with(rx_, [=](auto& driver) { return driver.store_rx(at, offset, n); });
  }
  void rx_from_store(uint16_t at, uint16_t length) {
    with(rx_, [=](auto& driver) { driver.rx_from_store(at, length); });
  }

  bool tx_open(uint16_t reserve) {
    return with(tx_, [=](auto& driver) { return driver.tx_open(reserve); });
  }
  void tx_write(const void* from, uint16_t n) {
    with(tx_, [=](auto& driver) { driver.tx_write(from, n); });
  }
  uint16_t tx_write_sum(const void* from, uint16_t n, uint16_t sum) {
    return with(tx_, [=](auto& driver) { return driver.tx_write_sum(from, n, sum); });
  }
  bool tx_copy_rx(uint16_t offset, uint16_t n) {
    if (rx_ == tx_) return with(tx_, [=](auto& driver) { return driver.tx_copy_rx(offset, n); });
    while (n) {
      uint8_t some[32];
      const uint16_t now = n < sizeof some ? n : sizeof some;
      rx_read(offset, some, now);
      tx_write(some, now);
      offset = static_cast<uint16_t>(offset + now);
      n = static_cast<uint16_t>(n - now);
    }
    return true;
  }
  void tx_patch(uint16_t offset, const void* from, uint16_t n) {
    with(tx_, [=](auto& driver) { driver.tx_patch(offset, from, n); });
  }
  void tx_send(uint16_t length) {
    with(tx_, [=](auto& driver) { driver.tx_send(length); });
  }
  bool tx_hold() {
    held_ = tx_;
    return with(tx_, [](auto& driver) { return driver.tx_hold(); });
  }
  void tx_resume() {
    with(held_, [](auto& driver) { driver.tx_resume(); });
  }

 private:
  Driver first_;
  Devices<Second, Rest...> rest_;
  uint8_t rx_ = 0;
  uint8_t tx_ = 0;
  uint8_t held_ = 0;  // the interface whose driver holds a frame
};

}  // namespace tcpip

#endif
