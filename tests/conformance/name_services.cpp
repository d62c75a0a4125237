#include "tests/conformance/name_services.hpp"

#include <algorithm>

namespace avrlan::test {
namespace {

using net::read16;
using net::read32;
using net::write16;
using net::write32;

Octets number32(std::uint32_t value) {
  Octets all(4);
  write32(all, 0, value);
  return all;
}
Octets number16(std::uint16_t value) {
  Octets all(2);
  write16(all, 0, value);
  return all;
}
Octets option(std::uint8_t code, std::uint32_t value) {
  return Octets{code, 4} + number32(value);
}

std::optional<Link::Frame> next_udp(Link& link, Duration within, std::uint16_t to_port) {
  return link.find(within, [to_port](const Link::Frame& f) {
    const auto packet = read_ip(f.octets);
    return packet && packet->protocol == net::protocol_udp && packet->destination_port == to_port;
  });
}

}  // namespace

std::optional<DhcpRequest> next_dhcp(Link& link, Duration within) {
  const auto frame = next_udp(link, within, 67);
  if (!frame) return std::nullopt;
  const auto packet = read_ip(frame->octets);
  const auto message = packet->data;
  require(message.size() >= 244 && message[0] == 1 && read32(message, 236) == 0x63825363, "a malformed DHCP message");
  require(std::equal(our_mac.begin(), our_mac.end(), message.begin() + 28), "a DHCP message with another chaddr");
  DhcpRequest request;
  request.at = frame->at;
  request.xid = read32(message, 4);
  request.client = read32(message, 12);
  request.to = packet->destination;
  for (std::size_t at = 240; at + 1 < message.size() && message[at] != 255;) {
    const std::uint8_t code = message[at];
    if (code == 0) {
      ++at;
      continue;
    }
    require(at + 2 + message[at + 1] <= message.size(), "a DHCP option beyond the message");
    if (code == 53) request.type = message[at + 2];
    if (code == 50) request.requested = read32(message, at + 2);
    if (code == 54) request.server = read32(message, at + 2);
    at += 2u + message[at + 1];
  }
  return request;
}

Octets DhcpReply::frame(std::uint32_t destination) const {
  Octets all(240);
  all[0] = op;
  all[1] = 1;
  all[2] = 6;
  write32(all, 4, xid);
  write32(all, 16, address);
  std::copy(hardware.begin(), hardware.end(), all.begin() + 28);
  std::copy(server_name.begin(), server_name.end(), all.begin() + 44);
  std::copy(file.begin(), file.end(), all.begin() + 108);
  write32(all, 236, cookie);
  all = all + options.value_or(Octets{53, 1, type} + option(54, server) + option(51, lease) + option(1, mask) +
                               option(3, router) + more + Octets{255});
  Ip ip{.to = everybody,
        .from = gateway_mac,
        .protocol = net::protocol_udp,
        .source = server,
        .destination = destination};
  ip.payload = Udp{.from = 67, .to = 68, .data = all}.payload(server, destination);
  return ip.frame();
}

DhcpRequest get_lease(Link& link, std::uint32_t lease, std::uint32_t address) {
  auto discover = next_dhcp(link, s(70));
  while (discover && discover->type != dhcp_discover) discover = next_dhcp(link, s(70));
  require(discover.has_value(), "no DISCOVER");
  link.send(DhcpReply{.xid = discover->xid, .address = address, .lease = lease}.frame());
  const auto request = next_dhcp(link, s(12));
  require(request && request->type == dhcp_request && request->requested == address && request->server == gateway_ip,
          "no REQUEST for what was offered");
  link.send(DhcpReply{.type = dhcp_ack, .xid = request->xid, .address = address, .lease = lease}.frame());
  link.run_for(ms(100));
  return *request;
}

bool has_address(Link& link, std::uint32_t address) {
  // A client that probes its address (RFC 5227) needs some seconds.
  for (int n = 0; n < 12; ++n) {
    link.send(Ip{.to = our_mac, .destination = address, .payload = echo_request(octets("there"))}.frame());
    const auto frame = link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); });
    if (frame) return true;
  }
  return false;
}

std::optional<DnsQuery> next_dns(Link& link, Duration within) {
  const auto frame = next_udp(link, within, 53);
  if (!frame) return std::nullopt;
  const auto packet = read_ip(frame->octets);
  require(packet->data.size() > 16, "a malformed DNS question");
  DnsQuery query;
  query.id = read16(packet->data, 0);
  query.port = packet->source_port;
  query.server = packet->destination;
  query.question.assign(packet->data.begin() + 12, packet->data.end());
  return query;
}

Octets DnsReply::frame() const {
  Octets all = number16(id.value_or(query.id)) + number16(flags) + number16(1) + number16(answers) + Octets(4) +
               question.value_or(query.question) + records;
  const std::uint32_t source = from.value_or(query.server);
  Ip ip{.protocol = net::protocol_udp, .source = source};
  ip.payload = Udp{.from = from_port, .to = to_port.value_or(query.port), .data = all}.payload(source);
  return ip.frame();
}

Octets dns_record(const Octets& name, std::uint16_t type, const Octets& data, std::optional<std::uint16_t> length) {
  return name + number16(type) + number16(1) + number32(300) +
         number16(length.value_or(static_cast<std::uint16_t>(data.size()))) + data;
}

Octets dns_name(std::string_view dotted) {
  Octets all;
  while (!dotted.empty()) {
    const std::size_t n = std::min(dotted.find('.'), dotted.size());
    all.push_back(static_cast<std::uint8_t>(n));
    all = all + octets(dotted.substr(0, n));
    dotted.remove_prefix(std::min(n + 1, dotted.size()));
  }
  all.push_back(0);
  return all;
}

}  // namespace avrlan::test
