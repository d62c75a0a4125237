#pragma once
// Frames, made field by field so that any of them can be wrong, and read with every length and checksum checked.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/net/packet.hpp"
#include "tests/conformance/link.hpp"

namespace avrlan::test {

Octets octets(std::string_view text);
// n octets that differ from their neighbours.
Octets filler(std::size_t n, unsigned first = 0);
Octets operator+(Octets a, const Octets& b);
// Zeros appended up to 60.
Octets padded(Octets frame);

struct Arp {
  MacAddress to = everybody;
  MacAddress from = peer_mac;
  std::uint16_t hardware_type = 1;
  std::uint16_t protocol_type = net::ethertype_ipv4;
  std::uint8_t hardware_length = 6;
  std::uint8_t protocol_length = 4;
  std::uint16_t operation = 1;
  MacAddress sender_mac = peer_mac;
  std::uint32_t sender_ip = peer_ip;
  MacAddress target_mac{};
  std::uint32_t target_ip = our_ip;

  Octets frame() const;
  static std::optional<Arp> parse(const Octets& frame);
};

// An IPv4 datagram in its frame. What is not given is right.
struct Ip {
  MacAddress to = our_mac;
  MacAddress from = peer_mac;
  std::uint8_t version_ihl = 0;  // 0: 4 and the length of the options
  std::optional<std::uint16_t> total_length{};
  std::uint16_t id = 0x1234;
  std::uint16_t fragment = 0;  // flags and offset as they stand in the header
  std::uint8_t ttl = 64;
  std::uint8_t protocol = net::protocol_icmp;
  std::uint16_t spoil = 0;  // is added to the checksum
  std::uint32_t source = peer_ip;
  std::uint32_t destination = our_ip;
  Octets options{};  // a multiple of 4
  Octets payload{};

  Octets frame() const;
  // One datagram as several, of at most `size` octets of payload each, a multiple of 8.
  std::vector<Octets> fragments(std::size_t size) const;
};
constexpr std::uint16_t more_fragments = 0x2000;
constexpr std::uint16_t dont_fragment = 0x4000;

Octets icmp(std::uint8_t type, std::uint8_t code, std::uint32_t rest, const Octets& data, std::uint16_t spoil = 0);
Octets echo_request(const Octets& data, std::uint16_t sequence = 1);
constexpr std::uint16_t echo_id = 0x4242;

struct Udp {
  std::uint16_t from = 4000;
  std::uint16_t to = 7;
  std::optional<std::uint16_t> length{};
  bool checksum = true;     // or 0
  std::uint16_t spoil = 0;  // is added to the checksum
  Octets data{};

  Octets payload(std::uint32_t source = peer_ip, std::uint32_t destination = our_ip) const;
};

struct Tcp {
  std::uint16_t from = 40'000;
  std::uint16_t to = 7;
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint8_t flags = 0;
  std::uint16_t window = 8000;
  std::uint16_t urgent = 0;
  std::optional<std::uint8_t> offset{};  // in words
  std::uint16_t spoil = 0;               // is added to the checksum
  Octets options{};                      // a multiple of 4
  Octets data{};

  Octets payload(std::uint32_t source = peer_ip, std::uint32_t destination = our_ip) const;
};
constexpr std::uint8_t FIN = 0x01, SYN = 0x02, RST = 0x04, PSH = 0x08, ACK = 0x10, URG = 0x20, ECE = 0x40, CWR = 0x80;
Octets mss_option(std::uint16_t mss);

// An IPv4 frame of the stack; throws Broken when a length or a checksum in it is wrong, or padding is not zero. nullopt: it
// is something else. Refers to `frame`.
std::optional<net::Packet> read_ip(const Octets& frame);
// "ARP who-has 10.0.0.9", "TCP 7>40000 SYN ACK", ...
std::string describe(const Octets& frame);
std::string address_text(std::uint32_t address);
std::string flags_text(std::uint8_t flags);
MacAddress destination_of(const Octets& frame);

// Sends the request and takes the reply: throws when there is none, or a wrong one, within a second.
void ping(Link& link, const Octets& data, const Ip& ip = {});
bool is_icmp(const Link::Frame& frame, std::uint8_t type, std::uint8_t code);

}  // namespace avrlan::test
