// Ethernet and ARP: RFC 894, 826, 1122 2.3.

#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

const MacAddress other_mac{0x02, 0, 0, 0, 0, 0x55};

void expect_arp_reply(Link& link, const MacAddress& to) {
  const auto frame = link.next(s(1));
  require(frame.has_value(), "no ARP reply");
  const auto arp = Arp::parse(frame->octets);
  require(arp && arp->operation == 2, "expected an ARP reply, got " + describe(frame->octets));
  require(arp->to == to && arp->target_mac == to, "an ARP reply to another host");
  require(arp->sender_mac == our_mac && arp->sender_ip == our_ip, "an ARP reply with another address");
  require(frame->octets.size() >= min_frame_octets, "an ARP reply that is not padded");
}

MacAddress where_a_ping_is_answered(Link& link) {
  link.send(Ip{.payload = echo_request(octets("where"))}.frame());
  const auto frame = link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); });
  require(frame.has_value(), "no echo reply");
  return destination_of(frame->octets);
}

void answers(Link& link) {
  link.send(Arp{}.frame());
  expect_arp_reply(link, peer_mac);
  link.silence(s(1));
}

void checks_fields(Link& link) {
  Arp wrong[4];
  wrong[0].hardware_type = 6;
  wrong[1].hardware_length = 255;
  wrong[2].protocol_type = 0x86dd;
  wrong[3].protocol_length = 16;
  for (const Arp& arp : wrong) {
    link.send(arp.frame());
    link.silence(s(1));
  }
  answers(link);
}

void merges(Link& link) {
  link.send(Arp{}.frame());
  expect_arp_reply(link, peer_mac);
  // An announcement (RFC 5227 2.3) from another MAC address.
  link.send(Arp{.from = other_mac, .sender_mac = other_mac, .target_ip = peer_ip}.frame());
  link.run_for(ms(20));
  require(where_a_ping_is_answered(link) == other_mac, "frames still go to the old MAC address");
  // A host that asked for another one's address is no reason for a new entry.
  link.send(Arp{.from = other_mac, .sender_mac = other_mac, .sender_ip = dead_ip, .target_ip = gateway_ip}.frame());
  link.run_for(ms(20));
  link.command('d');
  link.run_for(s(1));
  require(!link.asked.empty() && link.asked.back().address == dead_ip, "an entry was made from another's request");
}

void ages(Link& link) {
  link.send(Arp{}.frame());
  expect_arp_reply(link, peer_mac);
  link.hosts[peer_ip] = other_mac;
  link.run_for(s(1300));
  link.command('o');
  const auto frame = link.next(s(2));
  require(frame.has_value(), "the stack does not connect");
  require(destination_of(frame->octets) == other_mac, "an entry of 20 minutes is still used");
}

void limits_requests(Link& link) {
  link.command('d');
  link.run_for(s(10));
  require(!link.asked.empty(), "no ARP request");
  require(link.asked.size() <= 12, std::to_string(link.asked.size()) + " ARP requests in 10 s");
  for (std::size_t n = 1; n < link.asked.size(); ++n)
    require(link.asked[n].at - link.asked[n - 1].at >= ms(900), "two ARP requests within a second");
}

void keeps_the_latest(Link& link) {
  ping(link, octets("first"));
  if (link.profile == Profile::minimal) return;
  // By way of a gateway that has to be asked for.
  ping(link, octets("far"), Ip{.from = gateway_mac, .source = far_ip});
}

void refuses_group_addresses(Link& link) {
  for (const MacAddress& mac : {everybody, MacAddress{0x01, 0, 0x5e, 0, 0, 1}}) {
    link.send(Arp{.sender_mac = mac}.frame());
    link.run_for(ms(20));
    require(where_a_ping_is_answered(link) == peer_mac, "a group address is in the cache");
    link.forget();
  }
  link.send(Arp{.sender_ip = our_ip, .target_ip = our_ip}.frame());
  link.run_for(ms(20));
  link.forget();
  ping(link, octets("still here"));
}

void trims_padding(Link& link) {
  TcpPeer peer(link, 9);
  peer.open();  // its ACK is 40 octets in a frame of 60
  peer.send(ACK | PSH, 1, 1, octets("abc"));
  peer.expect_ack(4);
}

void ignores_other_types(Link& link) {
  for (const unsigned type : {0x86ddu, 0x0026u, 0x8100u, 0x0600u}) {
    Octets frame = Ip{.payload = echo_request(octets("x"))}.frame();
    net::write16(frame, 12, static_cast<std::uint16_t>(type));
    link.send(frame);
    link.silence(s(1));
  }
  ping(link, octets("alive"));
}

void frame_sizes(Link& link) {
  ping(link, filler(1472));
  for (const std::size_t n : {1473u, 1476u, 1500u, 1600u}) {
    link.send(Ip{.payload = echo_request(filler(n))}.frame());
    link.silence(ms(100));
  }
  ping(link, filler(1472));
}

}  // namespace

std::vector<Rule> arp_rules() {
  using enum Level;
  return {
      {"AR-1", must, "826", true, true, "answers a request for our address, to the asker", answers},
      {"AR-2", must, "826", true, true, "checks hardware and protocol type and lengths", checks_fields},
      {"AR-3", must, "826", true, true, "updates from any ARP, makes entries only when asked itself", merges},
      {"AR-4", must, "1122 2.3.2.1", true, true, "forgets entries", ages},
      {"AR-5", must, "1122 2.3.2.1", true, true, "asks at most once a second", limits_requests},
      {"AR-6", should, "1122 2.3.2.2", true, true, "answers the first packet of an unknown host", keeps_the_latest},
      {"AR-7", must, "1122 2.3.2", true, true, "never keeps a group address, nor its own", refuses_group_addresses},
      {"AR-10", must, "894", true, true, "trims padding by the total length", trims_padding},
      {"AR-11", may, "1122 2.3.3", true, true, "ignores other ethertypes and 802.3 frames", ignores_other_types},
      {"AR-12", may, "894", true, true, "takes 1514 octets, survives more", frame_sizes},
  };
}

}  // namespace avrlan::test
