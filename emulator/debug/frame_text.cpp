#include "emulator/debug/frame_text.hpp"

#include <fmt/format.h>

#include <array>

#include "emulator/net/address_text.hpp"
#include "emulator/net/packet.hpp"

namespace avrlan::debug {

namespace {

using net::address_text;
using net::mac_text;

std::string flags_text(std::uint8_t flags) {
  constexpr std::array<std::string_view, 6> names = {"FIN", "SYN", "RST", "PSH", "ACK", "URG"};
  std::string text;
  for (std::size_t bit = 0; bit < names.size(); ++bit) {
    if ((flags >> bit & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ",", names[bit]);
  }
  return text.empty() ? "no flags" : text;
}

std::string arp_text(std::span<const std::uint8_t> arp) {
  constexpr std::size_t size = 28, operation = 6, sender_mac = 8, sender = 14, target = 24;
  if (arp.size() < size) return "arp, too short";
  if (net::read16(arp, operation) == 1)
    return fmt::format("arp who has {}, tell {}", address_text(net::read32(arp, target)),
                       address_text(net::read32(arp, sender)));
  return fmt::format("arp {} is at {}", address_text(net::read32(arp, sender)), mac_text(arp.subspan(sender_mac)));
}

std::string ipv4_text(std::span<const std::uint8_t> octets) {
  const auto packet = net::Packet::parse(octets);
  if (!packet) return "ip, damaged";
  const std::string source = address_text(packet->source);
  const std::string destination = address_text(packet->destination);
  if (packet->fragment) return fmt::format("{} > {} fragment", source, destination);
  switch (packet->protocol) {
    case net::protocol_tcp:
      return fmt::format("{}:{} > {}:{} tcp {} seq {} ack {} win {} data {}", source, packet->source_port, destination,
                         packet->destination_port, flags_text(packet->tcp_flags), packet->tcp_sequence,
                         packet->tcp_acknowledgment, packet->tcp_window, packet->data.size());
    case net::protocol_udp:
      return fmt::format("{}:{} > {}:{} udp data {}", source, packet->source_port, destination,
                         packet->destination_port, packet->data.size());
    case net::protocol_icmp:
      return fmt::format("{} > {} icmp type {}", source, destination,
                         packet->payload.empty() ? 0 : packet->payload.front());
    default:
      return fmt::format("{} > {} protocol {}", source, destination, packet->protocol);
  }
}

}  // namespace

std::string frame_text(const EthernetFrame& frame) {
  const std::span<const std::uint8_t> octets = frame.octets;
  std::string text = "too short";
  if (octets.size() >= net::ethernet_header) {
    const auto payload = octets.subspan(net::ethernet_header);
    const std::uint16_t type = net::read16(octets, 12);
    text = type == net::ethertype_ipv4 ? ipv4_text(payload)
           : type == net::ethertype_arp
               ? arp_text(payload)
               : fmt::format("{} > {} type {:04x}", mac_text(octets.subspan(6)), mac_text(octets), type);
  }
  return fmt::format("{}, {} octets{}", text, octets.size(), frame.fcs_ok() ? "" : ", wrong FCS");
}

}  // namespace avrlan::debug
