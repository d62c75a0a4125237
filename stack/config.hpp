#ifndef TCPIP_CONFIG_HPP
#define TCPIP_CONFIG_HPP
// What a stack is made of, chosen when it is compiled: derive from a profile and redefine what differs. What is off
// compiles to nothing.
//
//   struct Web : tcpip::Minimal {
//     using Device = Enc28j60<...>;
//     static constexpr bool udp = true, dhcp = true, counters = true;
//     using TcpApplications = tcpip::List<tcpip::HttpServer<Site>>;
//   };
//   static tcpip::Stack<Web> stack;
#include <stdint.h>

namespace tcpip {

template <class... T>
struct List {};

// Profiles: Minimal, and Full below.

// One unacknowledged segment a connection, whose data the application generates again when it has to be sent again.
// No memory for frames: they stay in the chip.
struct Minimal {
  // using Device = ...;  the driver, see netif/device.hpp
  // More than one: Device is a Devices of as many drivers (netif/devices.hpp).
  static constexpr uint8_t interfaces = 1;
  static constexpr uint8_t arp_entries = 4;

  // Fragments are put together in the driver's store: so many datagrams at once, each of so many octets behind its header.
  static constexpr bool reassembly = true;
  static constexpr uint8_t reassemblies = 1;
  static constexpr uint16_t reassembly_size = 2040;

  // The latest echo request to come from behind an unknown gateway waits there too (RFC 1122 2.3.2.2).
  static constexpr bool hold_unresolved = false;

  // ICMP errors are sent, and heard where they mean something (netif/icmp.hpp).
  static constexpr bool icmp_errors = false;

  static constexpr bool tcp = true;
  using TcpApplications = List<>;
  static constexpr uint8_t connections = 4;
  // Octets we offer a sender on a connection, unless its application has its own buffer (TcpApplication::buffer).
  static constexpr uint16_t receive_window = 1460;
  static constexpr uint16_t mss = 1460;
  // What is in flight goes as two segments, so that a receiver which acknowledges every second one does not delay
  // (RFC 1122 4.2.3.2).
  static constexpr bool split_segments = true;
  // The same data is sent at most 1 + this many times: 183 s with the smallest timeout, R2 of RFC 9293 3.8.3.
  static constexpr uint8_t retransmissions = 7;
  static constexpr uint16_t time_wait_s = 60;  // 2 MSL, at most 500

  static constexpr bool udp = false;
  using UdpApplications = List<>;
  static constexpr bool dhcp = false;
  static constexpr uint8_t dns_servers = 0;  // of those that DHCP tells, so many are kept: Stack::dns_servers()

  static constexpr bool counters = false;  // Stack::counters()
};

// Everything.
struct Full : Minimal {
  static constexpr uint8_t reassemblies = 2;
  static constexpr uint16_t reassembly_size = 560;
  static constexpr bool hold_unresolved = true;
  static constexpr bool icmp_errors = true;
  static constexpr bool udp = true;
};

}  // namespace tcpip

#endif
