#ifndef TCPIP_NETIF_CONFLICT_HPP
#define TCPIP_NETIF_CONFLICT_HPP
// Whether another host has our address, or the one we would like to have (RFC 5227): probes, announcements, and defence as
// in 2.4(b), once in ten seconds. Not here: probing when the link comes back,
// interfaces but the first.
#include "stack/netif/arp.hpp"

namespace tcpip {

enum class AddressFinding : uint8_t {
  none,
  free,   // nobody has the address that was probed for
  taken,  // somebody has, or wants it too
  lost,   // two conflicts in ten seconds: our address has to be given up
};

template <class Config, bool enabled>
class ConflictDetection : public Arp<Config> {
 protected:
  static void probe(const Ipv4Address&, uint8_t) {}
  static void announce() {}
  static AddressFinding conflict_poll() { return AddressFinding::none; }
  void conflict_second() {}
};

template <class Config>
class ConflictDetection<Config, true> : public Arp<Config> {
 protected:
  using Base = Arp<Config>;
  using Base::mac_;
  using Base::network_;
  using Base::now_;
  using Base::packet_;

  // Looks whether somebody has `address`: in 4 to 7 s, after a wait of so many seconds.
  void probe(const Ipv4Address& address, uint8_t wait_s) {
    candidate_ = address;
    probing_ = true;
    left_ = probes;
    at_ = static_cast<Tick>(now_ + seconds(wait_s) + up_to_a_second());
  }
  bool is_probing() const { return probing_; }
  const Ipv4Address& candidate() const { return candidate_; }  // what was probed for last

  // Tells everybody that our address is ours.
  void announce() {
    left_ = announcements;
    at_ = now_;
  }

  bool arp_input() {
    if (this->receiving() == 0 && this->arp_is_valid() && packet_.arp.sender_mac != mac_) watch(packet_.arp);
    return Base::arp_input();
  }

  // Sends what is due, and tells what has come out since.
  AddressFinding conflict_poll() {
    const AddressFinding found = finding_;
    finding_ = AddressFinding::none;
    if (found != AddressFinding::none) return found;
    if ((left_ == 0 && !probing_) || !is_due(now_, at_)) return AddressFinding::none;
    if (left_ == 0) {
      probing_ = false;
      return AddressFinding::free;
    }
    --left_;
    at_ = static_cast<Tick>(now_ + (probing_ && left_ ? seconds(1) + up_to_a_second() : seconds(2)));
    ask(probing_ ? Ipv4Address() : network_.address, probing_ ? candidate_ : network_.address);
    return AddressFinding::none;
  }

  void conflict_second() {
    if (defended_s_) --defended_s_;
  }

 private:
  // RFC 5227 1.1
  static constexpr uint8_t probes = 3;
  static constexpr uint8_t announcements = 2;
  static constexpr uint8_t defend_s = 10;

  Tick up_to_a_second() { return static_cast<Tick>(this->random() % seconds(1)); }

  void watch(const ArpPacket& arp) {
    // 2.1.1: another host's probe for the same address counts, too.
    if (probing_ && (arp.sender_ip == candidate_ || (arp.sender_ip.is_zero() && arp.target_ip == candidate_))) {
      probing_ = false;
      left_ = 0;
      finding_ = AddressFinding::taken;
    }
    if (!network_.is_ours(arp.sender_ip)) return;
    if (defended_s_) {
      finding_ = AddressFinding::lost;
      return;
    }
    defended_s_ = defend_s;
    if (probing_) return;  // for another address
    left_ = 1;
    at_ = now_;
  }

  // A broadcast ARP request that says `sender` is our address.
  void ask(const Ipv4Address& sender, const Ipv4Address& target) {
    if (!this->open(ethernet_size + arp_size)) return;
    memset(&packet_.ethernet.destination, 0xff, sizeof(MacAddress));
    memset(&packet_.arp.target_mac, 0, sizeof(MacAddress));
    const Ipv4Address ours = network_.address;
    network_.address = sender;
    this->arp_send(arp_request, target);
    network_.address = ours;
  }

  Ipv4Address candidate_{};
  bool probing_ = false;
  uint8_t left_ = 0;  // probes or announcements to be sent
  Tick at_ = 0;       // the next one; after the last probe: when the address is ours
  AddressFinding finding_ = AddressFinding::none;
  uint8_t defended_s_ = 0;  // until the address may be defended again
};

}  // namespace tcpip

#endif
