#include "tests/unit/emulator/net/guest.hpp"

#include <algorithm>

namespace avrlan::net {
namespace {

Tins::RawPDU raw(const std::string& text) {
  return Tins::RawPDU(text);
}

EthernetFrame from_guest(const Tins::IP& ip, const std::string& hardware = gateway_mac) {
  Tins::EthernetII ethernet = Tins::EthernetII(hardware, guest_mac) / ip;
  return to_frame(ethernet);
}

}  // namespace

EthernetFrame to_frame(Tins::PDU& pdu) {
  return EthernetFrame::padded(pdu.serialize());
}

EthernetFrame arp_request(const std::string& target, const std::string& sender) {
  auto pdu = Tins::ARP::make_arp_request(target, sender, guest_mac);
  return to_frame(pdu);
}

EthernetFrame arp_reply() {
  auto pdu = Tins::ARP::make_arp_reply(gateway_ip, guest_ip, gateway_mac, guest_mac);
  return to_frame(pdu);
}

EthernetFrame ping(const std::string& destination, std::uint16_t id, std::uint16_t sequence, const std::string& data) {
  Tins::ICMP icmp;
  icmp.id(id);
  icmp.sequence(sequence);
  return from_guest(Tins::IP(destination, guest_ip) / icmp / raw(data));
}

EthernetFrame udp(const std::string& destination, std::uint16_t destination_port, std::uint16_t source_port,
                  const std::string& data) {
  return from_guest(Tins::IP(destination, guest_ip) / Tins::UDP(destination_port, source_port) / raw(data));
}

EthernetFrame dhcp(Tins::DHCP::Flags type, const std::string& requested, const std::string& mac) {
  Tins::DHCP message;
  message.opcode(1);
  message.htype(1);
  message.hlen(6);
  message.xid(0x12345678);
  message.chaddr(Tins::HWAddress<6>(mac));
  message.type(type);
  if (!requested.empty()) message.requested_ip(requested);
  message.end();
  return from_guest(Tins::IP("255.255.255.255", "0.0.0.0") / Tins::UDP(67, 68) / message, "ff:ff:ff:ff:ff:ff");
}

EthernetFrame tcp(const TcpFields& fields) {
  Tins::TCP segment(fields.destination_port, fields.source_port);
  segment.seq(fields.sequence);
  segment.ack_seq(fields.acknowledgment);
  segment.flags(fields.flags);
  segment.window(fields.window);
  segment.urg_ptr(fields.urgent_pointer);
  if (fields.mss != 0) segment.mss(fields.mss);
  const Tins::IP ip(fields.destination, guest_ip);
  if (fields.data.empty()) return from_guest(ip / segment);
  return from_guest(ip / segment / raw(fields.data));
}

EthernetFrame patched_ip(const EthernetFrame& frame, std::size_t offset, std::vector<std::uint8_t> octets) {
  constexpr std::size_t ip = 14;
  std::vector<std::uint8_t> bytes = frame.octets;
  std::copy(octets.begin(), octets.end(), bytes.begin() + static_cast<std::ptrdiff_t>(ip + offset));
  bytes[ip + 10] = bytes[ip + 11] = 0;
  std::uint32_t sum = 0;
  const std::size_t header = std::min<std::size_t>((bytes[ip] & 15U) * 4U, bytes.size() - ip);
  for (std::size_t i = 0; i + 1 < header; i += 2)
    sum += static_cast<std::uint32_t>(bytes[ip + i] << 8 | bytes[ip + i + 1]);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  bytes[ip + 10] = static_cast<std::uint8_t>(~sum >> 8);
  bytes[ip + 11] = static_cast<std::uint8_t>(~sum);
  return EthernetFrame::with_fcs(bytes);
}

std::string text_of(Tins::PDU& pdu) {
  const auto* data = pdu.find_pdu<Tins::RawPDU>();
  return data ? std::string(data->payload().begin(), data->payload().end()) : std::string();
}

std::vector<std::uint8_t> resent(const std::vector<std::uint8_t>& octets) {
  Tins::EthernetII frame(octets.data(), static_cast<std::uint32_t>(octets.size()));
  auto result = frame.serialize();
  result.resize(std::min(result.size(), octets.size()));
  return result;
}

bool has_flags(Tins::PDU& pdu, std::uint16_t flags) {
  return (pdu.rfind_pdu<Tins::TCP>().flags() & flags) == flags;
}

}  // namespace avrlan::net
