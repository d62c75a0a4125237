#ifndef TCPIP_NETIF_ICMP_HPP
#define TCPIP_NETIF_ICMP_HPP
// RFC 792 with RFC 1122 3.2.2: echo; with Config::icmp_errors, unreachables and time exceeded are sent, and unreachables
// that end a connection being opened are heard. All else is ignored: redirects, source quench (RFC 6633), path MTU.
#include "stack/netif/ipv4.hpp"

namespace tcpip {

// What came of a message.
enum class IcmpOutcome : uint8_t {
  done,
  refused,    // a TCP segment of ours (RFC 1122 4.2.3.9); its IP header, ports and sequence number are in packet_ now
  unresolved  // not answered: the MAC address of the next hop is being asked for
};

template <class Config>
class Icmp : public Ipv4<Config> {
 protected:
  using Base = Ipv4<Config>;
  using Base::broadcast_;
  using Base::counters_;
  using Base::device_;
  using Base::packet_;
  using Base::payload_length_;
  using Base::payload_offset_;

  // Takes the message in packet_.
  IcmpOutcome icmp_input() {
    const uint16_t data = static_cast<uint16_t>(payload_length_ - icmp_size);
    const uint16_t data_at = static_cast<uint16_t>(payload_offset_ + icmp_size);
    IcmpHeader& icmp = packet_.ip.icmp;
    if (payload_length_ >= icmp_size && !broadcast_) {
      const bool echo = icmp.type == icmp_echo_request && icmp.code == 0 && payload_length_ <= Base::mtu - ipv4_size;
      if (echo || (Config::icmp_errors && icmp.type == icmp_unreachable)) {
        const uint16_t sum = device_.rx_sum(data_at, data);
        if (sum_add(&icmp, icmp_size, sum) == 0xffff) {
          if (!echo) return refused(data_at, data) ? IcmpOutcome::refused : IcmpOutcome::done;
          return send(icmp_echo_reply, packet_.ip.source, data_at, data, sum) ? IcmpOutcome::done
                                                                              : IcmpOutcome::unresolved;
        }
      }
    }
    counters_.count(Drop::icmp);
    return IcmpOutcome::done;
  }

  // Tells the sender of the datagram at hand that it is not received (RFC 1122 3.2.2.1), unless that must not be told
  // (3.2.2), or too often. A reassembled one is not complained of.
  void unreachable(uint8_t code) {
    if (Config::icmp_errors && !broadcast_ && payload_offset_ != 0)
      error(icmp_unreachable, code, packet_.ip.source, ethernet_size,
            static_cast<uint16_t>(payload_offset_ - ethernet_size +
                                  (payload_length_ < quoted ? payload_length_ : quoted)));
  }

  // Sends an error that quotes n octets from `at` of the open frame. False: the MAC address of the next hop is being asked
  // for.
  bool error(uint8_t type, uint8_t code, const Ipv4Address& to, uint16_t at, uint16_t n) {
    if (errors_ == errors_a_second) return true;
    ++errors_;
    packet_.ip.icmp.code = code;
    memset(&packet_.ip.icmp.identifier, 0, 4);
    return send(type, to, at, n, device_.rx_sum(at, n));
  }

  void icmp_second() { errors_ = 0; }

  static constexpr uint8_t quoted = 8;  // octets behind the IP header

 private:
  static constexpr uint8_t errors_a_second = 4;

  // Sends packet_'s message, of `type` and with n octets from `at` of the open frame behind it, whose sum is `sum`.
  bool send(uint8_t type, const Ipv4Address& to, uint16_t at, uint16_t n, uint16_t sum) {
    if (!this->ipv4_open(to, protocol_icmp, icmp_size) || !device_.tx_copy_rx(at, n)) return false;
    IcmpHeader& icmp = packet_.ip.icmp;
    icmp.type = type;
    icmp.checksum = 0;
    icmp.checksum = static_cast<uint16_t>(~sum_add(&icmp, icmp_size, sum));
    this->ipv4_send(icmp_size, static_cast<uint16_t>(icmp_size + n));
    return true;
  }

  bool refused(uint16_t quote_at, uint16_t n) {
    const uint8_t code = packet_.ip.icmp.code;
    if (code < 2 || code > 4 || n < ipv4_size + quoted) return false;
    device_.rx_read(quote_at, &packet_.ip, ipv4_size + quoted);
    return packet_.ip.version_ihl == 0x45 && packet_.ip.protocol == protocol_tcp && this->is_ours(packet_.ip.source);
  }

  uint8_t errors_ = 0;  // sent in this second
};

}  // namespace tcpip

#endif
