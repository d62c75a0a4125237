#ifndef TCPIP_WIRE_PACKET_HPP
#define TCPIP_WIRE_PACKET_HPP
// The headers of a frame, field by field as on the wire. Nothing here checks lengths: a receiver reads a field only after
// it has compared the lengths of the frame and of the datagram.
#include <stddef.h>
#include <stdint.h>

#include "stack/base/address.hpp"
#include "stack/base/byte_order.hpp"

namespace tcpip {

struct EthernetHeader {
  MacAddress destination;
  MacAddress source;
  Be16 type;
};

constexpr uint16_t ethertype_ipv4 = 0x0800;
constexpr uint16_t ethertype_arp = 0x0806;

// RFC 826, Ethernet and IPv4.
struct ArpPacket {
  Be16 hardware_type;
  Be16 protocol_type;
  uint8_t hardware_length;
  uint8_t protocol_length;
  Be16 operation;
  MacAddress sender_mac;
  Ipv4Address sender_ip;
  MacAddress target_mac;
  Ipv4Address target_ip;
};

constexpr uint16_t arp_request = 1;
constexpr uint16_t arp_reply = 2;

// RFC 792. Errors have 0 for identifier and sequence.
struct IcmpHeader {
  uint8_t type;
  uint8_t code;
  Be16 checksum;
  Be16 identifier;
  Be16 sequence;
};

constexpr uint8_t icmp_echo_reply = 0;
constexpr uint8_t icmp_unreachable = 3;
constexpr uint8_t icmp_echo_request = 8;
constexpr uint8_t icmp_time_exceeded = 11;

// Codes of icmp_unreachable and icmp_time_exceeded.
constexpr uint8_t protocol_unreachable = 2;
constexpr uint8_t port_unreachable = 3;
constexpr uint8_t reassembly_time_exceeded = 1;

// RFC 768.
struct UdpHeader {
  Be16 source_port;
  Be16 destination_port;
  Be16 length;
  Be16 checksum;
};

// RFC 9293 3.1, and the one option we send.
struct TcpHeader {
  Be16 source_port;
  Be16 destination_port;
  Be32 seq;
  Be32 ack;
  uint8_t offset;  // in its upper four bits, in words of 32 bits
  uint8_t flags;
  Be16 window;
  Be16 checksum;
  Be16 urgent;
  Be16 mss_kind;  // kind 2 and length 4
  Be16 mss;
};

constexpr uint8_t tcp_fin = 0x01;
constexpr uint8_t tcp_syn = 0x02;
constexpr uint8_t tcp_rst = 0x04;
constexpr uint8_t tcp_psh = 0x08;
constexpr uint8_t tcp_ack = 0x10;
constexpr uint8_t tcp_urg = 0x20;

// RFC 791. The transport header follows the addresses, so that one sum covers both; when the datagram has options they
// are left out here.
struct Ipv4Packet {
  uint8_t version_ihl;
  uint8_t tos;
  Be16 length;
  Be16 id;
  Be16 fragment;
  uint8_t ttl;
  uint8_t protocol;
  Be16 checksum;
  Ipv4Address source;
  Ipv4Address destination;
  union {
    IcmpHeader icmp;
    UdpHeader udp;
    TcpHeader tcp;
  };
};

constexpr uint8_t protocol_icmp = 1;
constexpr uint8_t protocol_tcp = 6;
constexpr uint8_t protocol_udp = 17;

struct Packet {
  EthernetHeader ethernet;
  union {
    ArpPacket arp;
    Ipv4Packet ip;
  };
};

constexpr uint16_t ethernet_size = sizeof(EthernetHeader);
constexpr uint16_t arp_size = sizeof(ArpPacket);
constexpr uint8_t ipv4_size = 20;
constexpr uint8_t icmp_size = sizeof(IcmpHeader);
constexpr uint16_t udp_size = sizeof(UdpHeader);
constexpr uint16_t tcp_size = 20;

static_assert(ethernet_size == 14 && arp_size == 28 && icmp_size == 8 && udp_size == 8, "no padding");
static_assert(offsetof(Ipv4Packet, tcp) == ipv4_size && sizeof(TcpHeader) == tcp_size + 4, "no padding");
static_assert(offsetof(Packet, ip) == ethernet_size, "no padding");

}  // namespace tcpip

#endif
