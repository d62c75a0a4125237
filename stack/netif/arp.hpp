#ifndef TCPIP_NETIF_ARP_HPP
#define TCPIP_NETIF_ARP_HPP
// RFC 826, with the cache rules of RFC 1122 2.3.2. Not here: proxy ARP.
#include "stack/base/applications.hpp"
#include "stack/netif/interfaces.hpp"

namespace tcpip {

template <class Config>
class Arp : public Interfaces<Config, (Config::interfaces > 1)> {
 protected:
  using Base = Interfaces<Config, (Config::interfaces > 1)>;
  using Base::answering_;
  using Base::counters_;
  using Base::device_;
  using Base::frame_length_;
  using Base::mac_;
  using Base::network_;
  using Base::packet_;

  // Handles the ARP frame in packet_. True: an address that was asked for is known now.
  bool arp_input() {
    ArpPacket& arp = packet_.arp;
    if (!arp_is_valid() || this->is_ours(arp.sender_ip)) {
      counters_.count(Drop::arp);
      return false;
    }
    const bool asks_us = arp.operation == arp_request && network_.is_ours(arp.target_ip);
    bool resolved = false;
    Entry* entry = find(arp.sender_ip);
    if (entry) {
      resolved = entry->state != State::known;
      learn(*entry, arp.sender_mac, lifetime_s);
    } else if (asks_us && network_.is_on_link(arp.sender_ip)) {
      learn(replace(arp.sender_ip), arp.sender_mac, lifetime_s);
    }
    if (asks_us && this->open(ethernet_size + arp_size)) {
      arp.target_mac = arp.sender_mac;
      packet_.ethernet.destination = arp.sender_mac;
      // RFC 3927 2.5
      if (Config::link_local && network_.address.is_link_local())
        memset(&packet_.ethernet.destination, 0xff, sizeof(MacAddress));
      arp_send(arp_reply, arp.sender_ip);
    }
    return resolved;
  }

  // Puts the MAC address of the next hop towards `to` into packet_. False: not known yet; it was asked for, at most once
  // a second, and packet_ is overwritten. `to` may be in packet_.
  bool resolve(const Ipv4Address& to) {
    memset(&packet_.ethernet.destination, 0xff, sizeof(MacAddress));
    if (network_.is_broadcast(to)) return true;
    if (Groups<typename Config::UdpApplications>::any && to.is_multicast()) {  // RFC 1112 6.4
      packet_.ethernet.destination =
          MacAddress{{0x01, 0x00, 0x5e, static_cast<uint8_t>(to.octet[1] & 0x7f), to.octet[2], to.octet[3]}};
      return true;
    }
    const Ipv4Address& hop = network_.is_on_link(to) ? to : network_.gateway;
    if (hop.is_zero()) return false;
    Entry* entry = find(hop);
    if (!entry) {
      entry = &replace(hop);
      // A host that has just sent us a frame gets its answer at the address the frame came from.
      if (answering_ && packet_.ip.source == hop) learn(*entry, packet_.ethernet.source, glean_s);
    }
    if (entry->state == State::known) {
      packet_.ethernet.destination = entry->mac;
      return true;
    }
    counters_.count(Drop::unresolved);
    if (entry->state == State::wanted && this->open(ethernet_size + arp_size)) {
      entry->state = State::asked;
      entry->seconds = request_s;
      memset(&packet_.arp.target_mac, 0, sizeof(MacAddress));
      arp_send(arp_request, entry->ip);
    }
    return false;
  }

  bool arp_is_valid() const {
    static const uint8_t ethernet_ipv4[6] = {0, 1, 8, 0, 6, 4};
    return memcmp(&packet_.arp.hardware_type, ethernet_ipv4, sizeof ethernet_ipv4) == 0 &&
           !packet_.arp.sender_mac.is_group();
  }

  // The rest of the packet, to `target`.
  void arp_send(uint16_t operation, const Ipv4Address& target) {
    static_assert(Config::arp_entries >= 2, "one entry is kept for the gateway");
    ArpPacket& arp = packet_.arp;
    copy(arp.target_ip, target);
    arp.hardware_type = 1;
    arp.protocol_type = ethertype_ipv4;
    arp.hardware_length = sizeof(MacAddress);
    arp.protocol_length = sizeof(Ipv4Address);
    arp.operation = operation;
    arp.sender_mac = mac_;
    copy(arp.sender_ip, network_.address);
    answering_ = false;
    this->ethernet_send(ethertype_arp, ethernet_size + arp_size, ethernet_size + arp_size);
  }

  void arp_second() {
    for (Entry& entry : entries_) {
      if (entry.seconds == 0) continue;
      if (--entry.seconds == 0) entry.ip = Ipv4Address();
      if (entry.state == State::asked) entry.state = State::wanted;
    }
  }

 private:
  enum class State : uint8_t { wanted, asked, known };

  struct Entry {
    Ipv4Address ip;
    MacAddress mac;
    uint8_t seconds;  // until it is forgotten; 0: free
    State state;
  };

  static constexpr uint8_t lifetime_s = 240;
  static constexpr uint8_t glean_s = 10;
  static constexpr uint8_t request_s = 5;

  __attribute__((noinline)) static void learn(Entry& entry, const MacAddress& mac, uint8_t for_s) {
    entry.mac = mac;
    entry.seconds = for_s;
    entry.state = State::known;
  }

  Entry* find(const Ipv4Address& ip) {
    for (Entry& entry : entries_)
      if (entry.seconds && entry.ip == ip) return &entry;
    return nullptr;
  }

  // The entry to give to `ip`: the one nearest to its end, but never the gateway's.
  Entry& replace(const Ipv4Address& ip) {
    Entry* oldest = nullptr;
    for (Entry& entry : entries_)
      if ((!oldest || entry.seconds < oldest->seconds) && (entry.seconds == 0 || entry.ip != network_.gateway))
        oldest = &entry;
    copy(oldest->ip, ip);
    oldest->seconds = request_s;
    oldest->state = State::wanted;
    return *oldest;
  }

  Entry entries_[Config::arp_entries] = {};
};

}  // namespace tcpip

#endif
