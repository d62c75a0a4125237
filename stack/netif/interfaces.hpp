#ifndef TCPIP_NETIF_INTERFACES_HPP
#define TCPIP_NETIF_INTERFACES_HPP
// Config::interfaces: which of them a datagram leaves by, and with whose address (RFC 1122 3.3.1 and 3.3.4, the weak model:
// a datagram for any of our addresses is taken on every interface). mac_ and network_ are those of the interface in use:
// where the frame at hand came from, then where the answer goes.
#include "stack/netif/devices.hpp"
#include "stack/netif/ethernet.hpp"

namespace tcpip {

template <class Config, bool several>
class Interfaces : public Ethernet<Config> {
 protected:
  using Base = Ethernet<Config>;
  using Base::network_;

  void start_interfaces(const MacAddress& mac) {
    static_assert(Config::interfaces == Config::Device::count, "as many interfaces as drivers");
    at_ = 0;
    for (uint8_t i = 0; i != Config::interfaces; ++i) table_[i].mac = interface_mac(mac, i);
    load();
  }
  // Uses interface i.
  void choose(uint8_t i) {
    table_[at_].network = network_;
    at_ = i;
    load();
  }
  // Uses that which the frame at hand came from.
  void choose_receiving() { choose(receiving()); }
  // Where the frame at hand came from.
  uint8_t receiving() const { return this->device_.receiving(); }
  void choose_store(uint8_t i) { this->device_.choose_store(i); }

  bool is_ours(const Ipv4Address& ip) const { return owner(ip) != none; }
  // A datagram to `ip` has come: its answers go out with that address. False: it is not ours.
  bool accept(const Ipv4Address& ip) {
    local_ = owner(ip);
    return local_ != none;
  }
  // The next datagram goes out with the address of this interface.
  void send_from(uint8_t i) { local_ = i; }
  // The interface whose address the next datagram goes out with.
  uint8_t local() const { return local_ == none ? at_ : local_; }
  // Address of it. Those after it have the address of the interface they leave by, until told otherwise.
  Ipv4Address take_source() {
    const uint8_t i = local();
    local_ = none;
    return network(i).address;
  }
  void forget_local() { local_ = none; }

  // Uses the interface that leads to `to`: one that it is on the link of, or else one with a gateway; the one in use when it
  // will do.
  void route(const Ipv4Address& to) {
    if (network_.is_broadcast(to) || reaches(at_, to)) return;
    for (uint8_t i = 0; i != Config::interfaces; ++i)
      if (reaches(i, to)) return choose(i);
    if (!network_.gateway.is_zero()) return;
    for (uint8_t i = 0; i != Config::interfaces; ++i)
      if (!network(i).gateway.is_zero()) return choose(i);
  }

 private:
  static constexpr uint8_t none = 0xff;

  struct Interface {
    MacAddress mac;
    Ipv4Network network;
  };

  void load() {
    this->device_.choose(at_);
    this->mac_ = table_[at_].mac;
    network_ = table_[at_].network;
  }

  const Ipv4Network& network(uint8_t i) const { return i == at_ ? network_ : table_[i].network; }

  bool reaches(uint8_t i, const Ipv4Address& to) const {
    return !network(i).address.is_zero() && network(i).is_on_link(to);
  }

  uint8_t owner(const Ipv4Address& ip) const {
    for (uint8_t i = 0; i != Config::interfaces; ++i)
      if (network(i).is_ours(ip)) return i;
    return none;
  }

  Interface table_[Config::interfaces] = {};  // that of the one in use is in mac_ and network_
  uint8_t at_ = 0;
  uint8_t local_ = 0;
};

// A single one.
template <class Config>
class Interfaces<Config, false> : public Ethernet<Config> {
 protected:
  void start_interfaces(const MacAddress& mac) { this->mac_ = mac; }
  void choose(uint8_t) {}
  void choose_receiving() {}
  static uint8_t receiving() { return 0; }
  void choose_store(uint8_t) {}
  bool is_ours(const Ipv4Address& ip) const { return this->network_.is_ours(ip); }
  bool accept(const Ipv4Address& ip) const { return is_ours(ip); }
  void send_from(uint8_t) {}
  static uint8_t local() { return 0; }
  const Ipv4Address& take_source() const { return this->network_.address; }
  void forget_local() {}
  void route(const Ipv4Address&) {}
};

}  // namespace tcpip

#endif
