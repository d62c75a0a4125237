#ifndef TCPIP_NETIF_IPV4_HPP
#define TCPIP_NETIF_IPV4_HPP
// RFC 791 and the host rules of RFC 1122 3.2.1. Not here: forwarding, options and fragments on output.
#include "stack/base/checksum.hpp"
#include "stack/netif/conflict.hpp"

namespace tcpip {

template <class Config>
class Ipv4 : public ConflictDetection<Config, Config::conflict_detection> {
 protected:
  using Base = ConflictDetection<Config, Config::conflict_detection>;
  using Base::answering_;
  using Base::counters_;
  using Base::device_;
  using Base::frame_length_;
  using Base::link_group_;
  using Base::network_;
  using Base::packet_;
  using Base::payload_length_;
  using Base::payload_offset_;

  static constexpr uint16_t mtu = 1500;

  // Checks the datagram in packet_, which may be a fragment; then its payload is payload_length_ octets at payload_offset_ of the frame, and its
  // first 20 are in packet_, as far as there are so many.
  bool ipv4_input() {
    const Ipv4Packet& ip = packet_.ip;
    const uint8_t header = static_cast<uint8_t>(ip.version_ihl << 2);
    const uint16_t total = ip.length;
    if (ip.version_ihl < 0x45 || ip.version_ihl > 0x4f || total < header || total > frame_length_ - ethernet_size ||
        sum_add(&ip, ipv4_size, device_.rx_sum(ethernet_size + ipv4_size, static_cast<uint16_t>(header - ipv4_size))) !=
            0xffff) {
      counters_.count(Drop::ip_header);
      return false;
    }
    if (!acceptable_source(ip.source) || !acceptable_destination(ip.destination)) {
      counters_.count(Drop::ip_address);
      return false;
    }
    payload_offset_ = static_cast<uint16_t>(ethernet_size + header);
    payload_length_ = static_cast<uint16_t>(total - header);
    if (header != ipv4_size) read_transport_header();
    return true;
  }

  __attribute__((noinline)) void read_transport_header() {
    device_.rx_read(payload_offset_, &packet_.ip.icmp, payload_length_ < tcp_size ? payload_length_ : tcp_size);
  }

  // The sum of a datagram with its pseudo-header: addresses and the first `header` octets from packet_, `rest` for what
  // follows them.
  uint16_t transport_sum(uint8_t header, uint16_t length, uint16_t rest) const {
    return sum_add(&packet_.ip.source, static_cast<uint8_t>(2 * sizeof(Ipv4Address) + header),
                   sum_add(sum_add(rest, length), packet_.ip.protocol));
  }
  bool received_sum_is_right(uint8_t header) {
    return transport_sum(header, payload_length_,
                         device_.rx_sum(static_cast<uint16_t>(payload_offset_ + header),
                                        static_cast<uint16_t>(payload_length_ - header))) == 0xffff;
  }

  // Starts a datagram to `to`, which may be in packet_: after it the payload is written behind `header` octets of transport header. False: cannot be sent
  // now.
  bool ipv4_open(const Ipv4Address& to, uint8_t protocol, uint8_t header) {
    this->route(to);
    if (!this->resolve(to) || !this->open(static_cast<uint16_t>(ethernet_size + ipv4_size + header))) return false;
    answering_ = false;
    packet_.ip.protocol = protocol;
    copy(packet_.ip.destination, to);
    copy(packet_.ip.source, this->take_source());
    return true;
  }

  // Sends the datagram with `length` octets behind the IP header, of which `header` are in packet_.
  void ipv4_send(uint8_t header, uint16_t length) {
    Ipv4Packet& ip = packet_.ip;
    const uint16_t total = static_cast<uint16_t>(ipv4_size + length);
    ip.version_ihl = 0x45;
    ip.tos = 0;
    ip.length = total;
    ip.id = ++id_;
    ip.fragment = 0;
    // RFC 6762 11
    ip.ttl = Groups<typename Config::UdpApplications>::any && ip.destination.is_multicast() ? 255 : 64;
    ip.checksum = 0;
    ip.checksum = static_cast<uint16_t>(~sum_add(&ip, ipv4_size, 0));
    this->ethernet_send(ethertype_ipv4, static_cast<uint16_t>(ethernet_size + ipv4_size + header),
                        static_cast<uint16_t>(ethernet_size + total));
  }

  bool broadcast_ = false;  // by its link or by its IP destination

 private:
  // RFC 1122 3.2.1.3: an address that a single other host can have.
  bool acceptable_source(const Ipv4Address& source) const {
    if (Config::dhcp_server && source.raw() == 0) return true;
    return source.octet[0] != 0 && source.octet[0] != 127 && !source.is_multicast_or_above() &&
           !this->is_ours(source) && !network_.is_broadcast(source);
  }

  bool acceptable_destination(const Ipv4Address& destination) {
    broadcast_ = network_.is_broadcast(destination);
    if (broadcast_) return true;
    broadcast_ = link_group_;
    if (Groups<typename Config::UdpApplications>::has(destination)) return true;
    return this->accept(destination);
  }

  uint16_t id_ = 0;
};

}  // namespace tcpip

#endif
