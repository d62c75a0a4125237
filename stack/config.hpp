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
  // To a peer that acknowledges each of the two at once, whole segments go instead, and the next one is written into the
  // chip while one is in flight (tcp/preload.hpp).
  static constexpr bool preload = false;
  // The same data is sent at most 1 + this many times: 183 s with the smallest timeout, R2 of RFC 9293 3.8.3.
  static constexpr uint8_t retransmissions = 7;
  static constexpr uint16_t time_wait_s = 60;  // 2 MSL, at most 500
  static constexpr bool sliding_window = false;
  // Octets of the driver's store for data that comes out of order, and in how many runs. 0: it is dropped.
  static constexpr uint16_t reorder_size = 0;
  static constexpr uint8_t reorder_runs = 0;

  static constexpr bool udp = false;
  using UdpApplications = List<>;
  static constexpr bool dhcp = false;
  // Hosts that have no address yet are heard (RFC 1122 3.2.1.3 (a)): for a UDP application that gives them one.
  static constexpr bool dhcp_server = false;
  // Whether an address is looked for on the link before it is taken, and defended afterwards (netif/conflict.hpp).
  static constexpr bool conflict_detection = false;
  static constexpr bool dhcp_reboot = false;  // Stack::ask_again()
  static constexpr bool link_local = false;   // udp/link_local.hpp; needs conflict_detection
  static constexpr uint8_t dns_servers = 0;   // of those that DHCP tells, so many are kept: Stack::dns_servers()

  static constexpr bool counters = false;  // Stack::counters()
};

// Everything: several segments in flight a connection, with congestion control.
struct Full : Minimal {
  static constexpr uint8_t reassemblies = 2;
  static constexpr uint16_t reassembly_size = 560;
  static constexpr bool hold_unresolved = true;
  static constexpr bool icmp_errors = true;
  static constexpr bool udp = true;

  static constexpr bool sliding_window = true;
  static constexpr uint16_t reorder_size = 900;
  static constexpr uint8_t reorder_runs = 4;
  static constexpr uint16_t receive_window = 2920;
  // Octets in flight at most, whatever the windows say.
  static constexpr uint16_t congestion_window = 0x7000;
  // Of RFC 3390's formula; 14600: of RFC 6928's.
  static constexpr uint16_t initial_window = 4380;
  // An acknowledgement waits so long for data to go with, but never for more than one segment. 0: it does not wait.
  static constexpr uint16_t delayed_ack_ms = 200;
  // Of connections that ask for it (WindowedConnection::keep_alive): silence before the first probe, between probes, and
  // how many.
  static constexpr uint16_t keep_alive_s = 7200, keep_alive_interval_s = 75;
  static constexpr uint8_t keep_alive_probes = 9;
};

}  // namespace tcpip

#endif
