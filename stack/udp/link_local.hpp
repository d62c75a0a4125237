#ifndef TCPIP_UDP_LINK_LOCAL_HPP
#define TCPIP_UDP_LINK_LOCAL_HPP
// An address of our own choice in 169.254/16 (RFC 3927) while there is no other: with DHCP when nobody has answered twice;
// it goes on asking, and the address it gets takes the place. Not here: hosts outside of 169.254/16 on the same link
// (2.6.2), a link-local address beside another one.
#include "stack/udp/dhcp.hpp"

namespace tcpip {

template <class Config, bool enabled>
class LinkLocal : public Dhcp<Config, Config::dhcp> {
 protected:
  // True: our address is another one now, or none.
  bool address_poll() { return this->dhcp_poll(this->conflict_poll()); }
};

template <class Config>
class LinkLocal<Config, true> : public Dhcp<Config, Config::dhcp> {
 protected:
  using Base = Dhcp<Config, Config::dhcp>;
  using Base::network_;

  bool address_poll() {
    AddressFinding finding = this->conflict_poll();
    bool changed = false;
    if (finding == AddressFinding::lost ? network_.address.is_link_local() : this->candidate().is_link_local()) {
      changed = settle(finding);
      finding = AddressFinding::none;
    }
    if (this->dhcp_poll(finding)) changed = true;
    if (network_.address.is_zero() && !this->is_probing() && this->dhcp_is_unanswered()) try_another();
    return changed;
  }

 private:
  static constexpr uint8_t max_conflicts = 10;
  static constexpr uint8_t rate_limit_s = 60;

  bool settle(AddressFinding finding) {
    if (finding == AddressFinding::free) {
      conflicts_ = 0;
      network_ = Ipv4Network{this->candidate(), Ipv4Address{{255, 255, 0, 0}}, Ipv4Address()};
      this->announce();
      return true;
    }
    if (finding == AddressFinding::none) return false;
    if (conflicts_ <= max_conflicts) ++conflicts_;
    if (finding == AddressFinding::lost) network_ = Ipv4Network();
    try_another();
    return finding == AddressFinding::lost;
  }

  // Probes for an address: first for one that is always the same for our MAC address (2.1), then for random ones. The
  // first and the last 256 are reserved.
  void try_another() {
    const uint32_t random = this->random();
    uint8_t third = static_cast<uint8_t>(random >> 8), fourth = static_cast<uint8_t>(random);
    if (conflicts_ == 0) {
      third = this->mac_.octet[4];
      fourth = this->mac_.octet[5];
    }
    third = static_cast<uint8_t>(third % 254 + 1);
    this->probe(Ipv4Address{{169, 254, third, fourth}}, conflicts_ > max_conflicts ? rate_limit_s : 0);
  }

  uint8_t conflicts_ = 0;
};

}  // namespace tcpip

#endif
