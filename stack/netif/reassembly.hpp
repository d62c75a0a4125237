#ifndef TCPIP_NETIF_REASSEMBLY_HPP
#define TCPIP_NETIF_REASSEMBLY_HPP
// Reassembly of IPv4 fragments (RFC 791 3.2, RFC 1122 3.3.2) in the driver's store. Fragments come in any order and
// more than once. One that overlaps others, or says of the same octets something else, ends its datagram, as does one
// that cannot be right (RFC 1858, RFC 3128). When there is no room the oldest datagram is given up.
// Not here: datagrams with more than Config::reassembly_size octets behind their header.
#include "stack/netif/icmp.hpp"

namespace tcpip {

template <class Config, bool enabled>
class Reassembly : public Icmp<Config> {
 protected:
  using Base = Icmp<Config>;
  using Base::device_;
  using Base::packet_;
  using Base::payload_length_;
  using Base::payload_offset_;

  // Octets at the start of the driver's store that are taken.
  static constexpr uint16_t slot_size = Config::reassembly_size + (Config::icmp_errors ? ipv4_size : 0);
  static constexpr uint16_t reassembly_store = Config::reassemblies * slot_size;

  // Whether the datagram in packet_ is whole. A fragment that completes its datagram is replaced by it.
  bool reassemble() { return (packet_.ip.fragment & (more_fragments | offset_bits)) == 0 || complete(); }

  void reassembly_second() {
    for (Datagram& d : datagrams_)
      if (d.seconds && --d.seconds == 0) tell_expired(d);
  }

  // Config::hold_unresolved: keeps the datagram at hand, whose headers were overwritten, until take_held() gives it back. Only
  // the latest is kept, and a reassembled one is not.
  void hold_message() {
    if (payload_offset_ == 0 || payload_length_ > Config::reassembly_size) return;
    device_.rx_read(ethernet_size, &packet_.ip, ipv4_size);
    Datagram* d = find_held();
    if (!d) d = &take();
    fill(*d);
    d->held = true;
    d->seconds = hold_s;
    d->end = payload_length_;
    if (!device_.store_rx(store_of(*d), payload_offset_, payload_length_)) d->seconds = 0;
  }
  // True: an ICMP message that was held is at hand again.
  bool take_held() {
    Datagram* d = find_held();
    if (!d) return false;
    d->seconds = 0;
    memcpy(&packet_.ip.id, &d->key, sizeof d->key);
    this->broadcast_ = !this->accept(packet_.ip.destination);
    take_from_store(*d);
    return true;
  }

 private:
  __attribute__((noinline)) bool complete() {
    const uint16_t field = packet_.ip.fragment;
    const uint16_t length = payload_length_;
    const bool more = field & more_fragments;
    const uint16_t start = static_cast<uint16_t>(field << 3);
    const uint16_t end = static_cast<uint16_t>(start + length);
    // What differs between fragments is no part of the key.
    packet_.ip.fragment = 0;
    packet_.ip.ttl = 0;
    packet_.ip.checksum = 0;
    Datagram& d = find_or_take();
    if (start < end && end <= Config::reassembly_size && !(more && length % 8) && add(d, start, length, more)) {
      if (d.have != d.total) return false;
      d.seconds = 0;
      take_from_store(d);
      return true;
    }
    d.seconds = 0;
    this->counters_.count(Drop::fragment);
    return false;
  }

  static constexpr uint16_t more_fragments = 0x2000;
  static constexpr uint16_t offset_bits = 0x1fff;
  static constexpr uint8_t lifetime_s = 60;  // from the first fragment to come, RFC 1122 3.3.2
  static constexpr uint8_t hold_s = 5;
  static constexpr uint8_t blocks = Config::reassembly_size / 8;

  static_assert(Config::reassemblies != 0 && Config::reassembly_size % 8 == 0 && Config::reassembly_size <= 255 * 8,
                "blocks of 8 octets are counted in 8 bits");
  static_assert(Config::reassembly_size >= 576 - ipv4_size, "RFC 1122 3.3.2");
  static_assert(reassembly_store <= Config::Device::store_size, "the driver's store is too small");

  // An IP header from its identification on.
  struct Key {
    Be16 id;
    uint8_t other[3];
    uint8_t protocol;
    Be16 checksum;
    Ipv4Address source;
    Ipv4Address destination;
  };
  static_assert(sizeof(Key) == ipv4_size - offsetof(Ipv4Packet, id), "no padding");

  struct Datagram {
    Key key;
    uint8_t interface;
    uint8_t seconds;  // until it is given up; 0: free
    uint8_t tries;    // to tell that it expired; 0: the first has not come, or has options
    bool held;        // see hold_message
    uint16_t have;    // octets that have come
    uint16_t end;     // of what has come
    uint16_t total;   // known when the last fragment has come
    uint8_t map[(blocks + 7u) / 8];
  };

  // Of the payload; with Config::icmp_errors the header of the first fragment, when it has no options, is in front of it.
  uint16_t store_of(const Datagram& d) const {
    if (Config::reassemblies == 1) return slot_size - Config::reassembly_size;
    return static_cast<uint16_t>((&d - datagrams_) * slot_size + slot_size - Config::reassembly_size);
  }

  // The datagram that packet_ belongs to.
  __attribute__((noinline)) Datagram& find_or_take() {
    for (Datagram& d : datagrams_)
      if (d.seconds && !(Config::hold_unresolved && d.held) &&
          (Config::interfaces == 1 || d.interface == this->receiving()) &&
          memcmp(&d.key, &packet_.ip.id, sizeof d.key) == 0)
        return d;
    return take();
  }

  Datagram& take() {
    Datagram* oldest = datagrams_;
    for (Datagram& d : datagrams_)
      if (d.seconds < oldest->seconds) oldest = &d;
    fill(*oldest);
    return *oldest;
  }

  void fill(Datagram& d) {
    memset(&d, 0, sizeof d);
    d.seconds = lifetime_s;
    d.total = 0xffff;
    d.interface = this->receiving();
    memcpy(&d.key, &packet_.ip.id, sizeof d.key);
  }

  void take_from_store(const Datagram& d) {
    payload_offset_ = 0;
    payload_length_ = d.end;
    this->choose_store(d.interface);
    device_.rx_from_store(store_of(d), d.end);
    this->read_transport_header();
  }

  Datagram* find_held() {
    for (Datagram& d : datagrams_)
      if (d.seconds && d.held) return &d;
    return nullptr;
  }

  // False: this is not a fragment of the same datagram as those that have come.
  bool add(Datagram& d, uint16_t start, uint16_t length, bool more) {
    const uint16_t end = static_cast<uint16_t>(start + length);
    if (end > d.total) return false;
    if (end > d.end) d.end = end;
    if (!more) {
      if (end < d.end) return false;
      d.total = end;
    }
    const uint8_t block = static_cast<uint8_t>(start / 8);
    uint8_t* octet = d.map + block / 8;
    uint8_t bit = static_cast<uint8_t>(1 << block % 8);
    uint8_t came = 0;
    uint8_t missing = 0;
    for (int16_t left = static_cast<int16_t>(length); left > 0; left = static_cast<int16_t>(left - 8)) {
      came |= *octet & bit;
      missing = static_cast<uint8_t>(missing | (~*octet & bit));
      *octet |= bit;
      bit = static_cast<uint8_t>(bit << 1);
      if (bit == 0) {
        bit = 1;
        ++octet;
      }
    }
    const uint16_t store = static_cast<uint16_t>(store_of(d) + start);
    if (!came) {
      d.have = static_cast<uint16_t>(d.have + length);
      if (Config::icmp_errors && start == 0 && payload_offset_ == ethernet_size + ipv4_size)
        d.tries = device_.store_rx(static_cast<uint16_t>(store - ipv4_size), ethernet_size, ipv4_size) ? 2 : 0;
      return device_.store_rx(store, payload_offset_, length);
    }
    if (missing) return false;
    const uint16_t sum = device_.rx_sum(payload_offset_, length);
    device_.rx_from_store(store, length);
    return device_.rx_sum(0, length) == sum;
  }

  // RFC 1122 3.3.2. Not of other ICMP messages than echo: they may be errors.
  void tell_expired(Datagram& d) {
    if (!Config::icmp_errors || d.tries == 0 || !this->is_ours(d.key.destination)) return;
    --d.tries;
    const uint16_t header = static_cast<uint16_t>(store_of(d) - ipv4_size);
    this->choose_store(d.interface);
    device_.rx_from_store(header, ipv4_size + Base::quoted);
    uint8_t type;
    device_.rx_read(ipv4_size, &type, 1);
    if ((d.key.protocol != protocol_icmp || type == icmp_echo_request) &&
        !this->error(icmp_time_exceeded, reassembly_time_exceeded, d.key.source, 0, ipv4_size + Base::quoted))
      d.seconds = 1;
    device_.rx_close();
  }

  Datagram datagrams_[Config::reassemblies] = {};
};

template <class Config>
class Reassembly<Config, false> : public Icmp<Config> {
 protected:
  static constexpr uint16_t reassembly_store = 0;

  bool reassemble() {
    if ((this->packet_.ip.fragment & 0x3fff) == 0) return true;
    this->counters_.count(Drop::fragment);
    return false;
  }
  void reassembly_second() {}
  void hold_message() {}
  bool take_held() { return false; }
};

}  // namespace tcpip

#endif
