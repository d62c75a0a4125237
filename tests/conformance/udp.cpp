// UDP: RFC 768, 1122 4.1. Optional in the minimal profile; the tests have it there, too.

#include <algorithm>

#include "tests/conformance/rules.hpp"
#include "tests/conformance/wire.hpp"

namespace avrlan::test {
namespace {

void send(Link& link, const Udp& datagram) {
  link.send(Ip{.protocol = net::protocol_udp, .payload = datagram.payload()}.frame());
}
Octets expect_answer(Link& link, std::uint16_t port) {
  const auto frame = link.find(s(1), [port](const Link::Frame& f) {
    const auto packet = read_ip(f.octets);
    return packet && packet->protocol == net::protocol_udp && packet->source_port == port;
  });
  require(frame.has_value(), "no answer from port " + std::to_string(port));
  const auto packet = read_ip(frame->octets);
  require(packet->destination_port == 4000 && packet->destination == peer_ip, "an answer to somebody else");
  require(packet->payload.size() == 8 + packet->data.size(), "a length that is not the datagram's");
  return {packet->data.begin(), packet->data.end()};
}
// No answer but, perhaps, an ICMP error.
void dropped(Link& link, const Udp& datagram) {
  send(link, datagram);
  const auto frame = link.find(s(1), [](const Link::Frame& f) { return !is_icmp(f, 3, 3); });
  require(!frame, "an answer to a datagram that is to be dropped");
}

void checksum(Link& link) {
  for (const std::size_t n : {0u, 1u, 2u, 17u, 100u, 1472u}) {
    send(link, {.data = filler(n)});
    require(expect_answer(link, 7) == filler(n), "other octets came back");
    send(link, {.checksum = false, .data = filler(n)});
    require(expect_answer(link, 7) == filler(n), "a datagram without checksum is not answered");
    dropped(link, {.spoil = 1, .data = filler(n)});
  }
}

void makes_checksum(Link& link) {
  // For some value of the last two octets the sum of the answer comes to zero.
  Udp probe{.data = filler(20)};
  send(link, probe);
  const auto frame = link.find(s(1), [](const Link::Frame& f) { return read_ip(f.octets).has_value(); });
  require(frame.has_value(), "no answer");
  const std::uint16_t sum = net::read16(read_ip(frame->octets)->payload, 6);
  require(sum != 0, "no checksum");
  const std::uint16_t last = net::read16(probe.data, 18);
  const std::uint32_t zero = static_cast<std::uint32_t>(last) + sum;
  net::write16(probe.data, 18, static_cast<std::uint16_t>(zero + (zero >> 16)));
  send(link, probe);
  const auto again = link.find(s(1), [](const Link::Frame& f) { return read_ip(f.octets).has_value(); });
  require(again.has_value(), "no answer");
  const std::uint16_t field = net::read16(read_ip(again->octets)->payload, 6);
  require(field == 0xffff, "a sum of zero is sent as " + std::to_string(field));
}

void length(Link& link) {
  for (const unsigned n : {0u, 7u, 60u, 0xffffu})
    dropped(link, {.length = static_cast<std::uint16_t>(n), .data = filler(28)});
  dropped(link, {.length = std::uint16_t{0}, .checksum = false, .data = filler(28)});
  send(link, {.length = std::uint16_t{12}, .data = filler(8)});
  require(expect_answer(link, 7) == filler(4), "what is behind the length is not cut off");
  link.send(Ip{.protocol = net::protocol_udp, .payload = octets("abcd")}.frame());
  link.silence(ms(300));
}

void demultiplexes(Link& link) {
  send(link, {.to = 10, .data = filler(9)});
  require(expect_answer(link, 10) == octets("here"), "port 10");
  send(link, {.to = 7, .data = filler(9)});
  require(expect_answer(link, 7) == filler(9), "port 7");
  dropped(link, {.to = 9, .data = filler(9)});
  dropped(link, {.to = 0, .data = filler(9)});
  dropped(link, {.to = 1007, .data = filler(9)});
}

void sources(Link& link) {
  for (const std::uint32_t from : {broadcast_ip, our_broadcast, 0xe0000001u, 0x7f000001u, 0u, our_ip}) {
    Ip ip{.protocol = net::protocol_udp, .source = from};
    ip.payload = Udp{.data = filler(9)}.payload(from);
    link.send(ip.frame());
    link.silence(ms(300));
  }
}

}  // namespace

std::vector<Rule> udp_rules() {
  using enum Level;
  return {
      {"UD-1", must, "1122 4.1.3.4", true, true, "verifies checksums, takes none", checksum},
      {"UD-2", must, "1122 4.1.3.4", true, true, "makes checksums, zero as FFFF", makes_checksum},
      {"UD-3", must, "768", true, true, "drops impossible lengths, trims to the right one", length},
      {"UD-4", must, "768", true, true, "datagrams go to their port", demultiplexes},
      {"UD-5", must, "1122 4.1.3.6", true, true, "drops sources that no single other host has", sources},
  };
}

}  // namespace avrlan::test
