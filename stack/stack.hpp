#ifndef TCPIP_STACK_HPP
#define TCPIP_STACK_HPP
// The stack of a configuration (config.hpp): all that a firmware calls. It has no clock, no heap and no globals, and never
// waits for anything but the chip's transmitter. README.md has an example.
#include "stack/tcp/tcp.hpp"

namespace tcpip {

template <class Config>
class Stack : public TcpLayer<Config, Config::tcp> {
 public:
  // Starts the chip. `secret`: 16 octets that are different on every device and, best, at every start; sequence numbers,
  // ports and transaction ids come from them. With Config::dhcp the address is asked for; without, call configure().
  // False: the driver found no chip.
  bool begin(const MacAddress& mac, const uint8_t* secret, uint32_t now_ms) {
    this->start_interfaces(mac);
    this->hash_.set_secret(secret);
    tell_time(now_ms);
    second_ = static_cast<uint16_t>(now_ms);
    this->dhcp_start();
    return this->device_.begin(mac);
  }

  // Our address by hand, on one of several interfaces (0: the first, which DHCP serves). Connections from another address
  // are over. A gateway of 0.0.0.0: none.
  void configure(Ipv4Address address, Ipv4Address mask, Ipv4Address gateway, uint8_t interface = 0) {
    this->choose(interface);
    if (address != this->network_.address) this->tcp_abandon();
    this->network_ = Ipv4Network{address, mask, gateway};
  }

  // DHCP: gives the address back, for good; connections are over. False: has to be called again after some milliseconds,
  // when the server's MAC address is known.
  bool release() {
    if (!this->dhcp_give_back()) return false;
    this->tcp_abandon();
    return true;
  }
  // DHCP: after begin(), asks for the address that we had before (Config::dhcp_reboot). A server that does not agree says
  // so, and then any other is asked for.
  void ask_again(const Ipv4Address& address) { this->dhcp_ask_again(address); }

  bool is_configured() const { return !this->network_.address.is_zero(); }

  // Takes the frames that are waiting and does what is due. now_ms never runs backwards (it may wrap). Call it when a
  // frame has come, and otherwise every few tens of milliseconds.
  void poll(uint32_t now_ms) {
    tell_time(now_ms);
    for (uint8_t frames = 8; frames; --frames) {
      const uint16_t length = this->device_.rx_open();
      if (length == 0) break;
      this->choose_receiving();
      receive(length);
      this->answering_ = false;
      this->device_.rx_close();
    }
    this->choose(0);
    this->forget_local();
    while (static_cast<uint16_t>(static_cast<uint16_t>(now_ms) - second_) >= 1000) {
      second_ = static_cast<uint16_t>(second_ + 1000);
      every_second();
    }
    if (this->address_poll()) this->tcp_abandon();
    if (Config::udp) this->udp_poll(*this);
    this->tcp_poll();
  }

  // The application of type A in the configuration.
  template <class A>
  A& tcp_application() {
    return Find<A, typename Config::TcpApplications>::in(this->Tcp<Config>::applications_);
  }
  template <class A>
  A& udp_application() {
    return Find<A, typename Config::UdpApplications>::in(this->Udp<Config>::applications_);
  }

 private:
  __attribute__((noinline)) void tell_time(uint32_t now_ms) {
    this->now_ms_ = now_ms;
    this->now_ = to_tick(now_ms);
  }

  __attribute__((noinline)) void receive(uint16_t length) {
    if (!this->ethernet_input(length)) return;
    const uint16_t type = this->packet_.ethernet.type;
    if (type == ethertype_arp) {
      if (this->arp_input()) resolved();
    } else if (type != ethertype_ipv4) {
      this->counters_.count(Drop::ethernet);
    } else if (this->ipv4_input() && this->reassemble()) {
      deliver();
    }
  }

  // The MAC address of a next hop is known now.
  void resolved() {
    this->tcp_resolved();
    if (Config::hold_unresolved && this->take_held()) deliver();
  }

  void deliver() {
    const uint8_t protocol = this->packet_.ip.protocol;
    if (protocol == protocol_icmp) {
      const IcmpOutcome outcome = this->icmp_input();
      if (Config::icmp_errors && outcome == IcmpOutcome::refused) this->tcp_refused();
      if (Config::hold_unresolved && outcome == IcmpOutcome::unresolved) this->hold_message();
    } else if (Config::tcp && protocol == protocol_tcp) {
      this->tcp_input();
    } else if (Config::udp && protocol == protocol_udp) {
      deliver_udp();
    } else {
      this->unreachable(protocol_unreachable);
      this->counters_.count(Drop::protocol);
    }
  }

  __attribute__((noinline)) void deliver_udp() {
    if (!this->udp_input()) return;
    bool address_changed = false;
    if (this->dhcp_received(address_changed)) {
      if (address_changed) this->tcp_abandon();
    } else if (!this->udp_deliver()) {
      this->unreachable(port_unreachable);
      this->counters_.count(Drop::udp_port);
    }
  }

  void every_second() {
    this->arp_second();
    this->icmp_second();
    this->reassembly_second();
    this->conflict_second();
    if (this->dhcp_second()) this->tcp_abandon();
    if (Config::udp) this->udp_second(*this);
    this->tcp_second();
  }

  static_assert(Config::udp || !Config::dhcp, "DHCP needs UDP");
  static_assert(Config::conflict_detection || !Config::link_local, "an address of our own choice has to be probed for");

  uint16_t second_ = 0;  // when the last one began, in ms
};

}  // namespace tcpip

#endif
