// Malformed messages of DHCP, DNS and HTTP, and attacks on them, as in bad_inputs.cpp.

#include <algorithm>
#include <set>

#include "tests/conformance/name_services.hpp"
#include "tests/conformance/rules.hpp"
#include "tests/conformance/tcp_peer.hpp"

namespace avrlan::test {
namespace {

void dhcp_options(Link& link) {
  const Octets base{53, 1, dhcp_offer, 54, 4, 10, 0, 0, 0xfe};
  const Octets malformed[] = {
      base + Octets{1, 1, 255, 255},    // a mask of one octet
      base + Octets{1, 200, 255, 255},  // beyond the end
      base + Octets{51},                // no length
      base,                             // no END
      base + Octets{52, 1, 3, 255},     // overload into empty fields
      base + Octets{52, 200, 255},
      base + Octets{3, 0, 6, 0, 255},
      base + Octets{51, 3, 0, 0, 1, 255},
      Octets{53, 0, 255},
      Octets{53, 2, 2, 2, 255},
      Octets(300, 0),
      Octets(300, 1),
  };
  for (const Octets& options : malformed) {
    const auto discover = next_dhcp(link, s(70));
    require(discover.has_value(), "the client is silent");
    DhcpReply offer{.xid = discover->xid, .options = options};
    offer.server_name = Octets(64, 52);
    offer.file = Octets(128, 255);
    link.send(offer.frame());
    offer.options.reset();
    offer.more = options;
    offer.type = 99;
    link.send(offer.frame());
    link.run_for(ms(100));
  }
  // What is left of it, after a request that nobody answers.
  link.run_for(s(130));
  link.forget();
  get_lease(link);
  require(has_address(link), "no address");
}
void dhcp_addresses(Link& link) {
  for (const std::uint32_t address : {0u, 0x7f000001u, 0xe0000001u, broadcast_ip, 0xf0000001u}) {
    const auto discover = next_dhcp(link, s(70));
    require(discover && discover->type == dhcp_discover, "no DISCOVER");
    link.send(DhcpReply{.xid = discover->xid, .address = address}.frame());
    link.run_for(ms(100));
  }
  auto discover = next_dhcp(link, s(70));
  require(discover && discover->type == dhcp_discover, "an absurd address is asked for");
  for (const std::uint32_t mask : {0u, 0x01020304u})
    link.send(DhcpReply{.xid = discover->xid, .address = 0, .mask = mask, .router = 0x08080808}.frame());
  link.run_for(s(130));
  link.forget();
  get_lease(link, 0xffffffff);
  require(has_address(link), "no address");
  link.run_for(s(200));
  require(has_address(link), "an infinite lease ends");
}
void rogue_dhcp(Link& link) {
  const auto discover = next_dhcp(link, s(12));
  require(discover.has_value(), "no DISCOVER");
  DhcpReply offer{.xid = discover->xid + 1};
  link.send(offer.frame());
  offer = {.xid = discover->xid, .op = 1};
  link.send(offer.frame());
  offer = {.xid = discover->xid, .cookie = 0};
  link.send(offer.frame());
  offer = {.xid = discover->xid, .hardware = peer_mac};
  link.send(offer.frame());
  offer = {.type = dhcp_ack, .xid = discover->xid};
  link.send(offer.frame());
  const auto next = next_dhcp(link, s(12));
  require(next && next->type == dhcp_discover, "a forged message is taken");
  link.send(DhcpReply{.xid = next->xid}.frame());
  const auto request = next_dhcp(link, s(12));
  require(request && request->type == dhcp_request, "no REQUEST");
  // From another server.
  link.send(DhcpReply{.type = dhcp_ack, .xid = request->xid, .address = 0x0a000002, .server = peer_ip}.frame());
  link.send(DhcpReply{.type = dhcp_nak, .xid = request->xid, .server = peer_ip}.frame());
  link.run_for(ms(50));
  link.send(DhcpReply{.type = dhcp_ack, .xid = request->xid}.frame());
  link.run_for(ms(100));
  require(has_address(link), "no address");
}

// --- DNS

void dns_survives(Link& link, const std::vector<Octets>& records, std::uint16_t answers = 1) {
  for (const Octets& some : records) {
    link.command('n');
    const auto query = next_dns(link, s(5));
    require(query.has_value(), "no question");
    link.send(DnsReply{.query = *query, .answers = answers, .records = some}.frame());
    link.run_for(ms(50));
    link.command('a');
    link.run_for(ms(50));
    require(link.reports().back() != 'F' && link.reports().find("F0") == std::string::npos,
            "a malformed answer is taken");
  }
}
const Octets name_pointer{0xc0, 12};
void dns_compression(Link& link) {
  dns_survives(link, {dns_record({0xc0, 30}, 1, Octets{1, 2, 3, 4}),            // itself
                      dns_record({0xc0, 32, 0xc0, 30}, 1, Octets{1, 2, 3, 4}),  // each other
                      dns_record({0xc1, 0}, 1, Octets{1, 2, 3, 4}),             // forward, outside
                      Octets{0xc0}, dns_record({0xff, 0xff}, 1, Octets{1, 2, 3, 4}),
                      dns_record({3, 'a', 'b', 'c', 0xc0, 30}, 1, Octets{1, 2, 3, 4}),
                      dns_record(name_pointer, 5, Octets{0xc0, 42}),  // a CNAME that is itself
                      dns_record(name_pointer, 5, Octets{0xc0, 12})});
}
void dns_names(Link& link) {
  Octets long_name;
  for (int n = 0; n < 6; ++n) long_name = long_name + Octets{63} + Octets(63, 'a');
  dns_survives(link,
               {dns_record(Octets{64} + Octets(64, 'a') + Octets{0}, 1, Octets{1, 2, 3, 4}),
                dns_record(Octets{0xbf} + Octets(64, 'a') + Octets{0}, 1, Octets{1, 2, 3, 4}),
                dns_record(long_name + Octets{0}, 1, Octets{1, 2, 3, 4}), Octets{4, 'h', 'o'}, Octets{63}, long_name});
}
void dns_counts(Link& link) {
  dns_survives(link, {dns_record(name_pointer, 1, Octets{1, 2, 3}), dns_record(name_pointer, 1, Octets(16)),
                      dns_record(name_pointer, 1, Octets{1, 2, 3, 4}, std::uint16_t{0xffff}),
                      dns_record(name_pointer, 16, Octets{}, std::uint16_t{0xffff}), Octets{}});
  dns_survives(link, {dns_record(name_pointer, 16, Octets{1, 2, 3}), Octets{}}, 65'535);
}
void dns_spoofing(Link& link) {
  std::set<std::uint16_t> ids, ports;
  const Octets record = dns_record(name_pointer, 1, Octets{6, 6, 6, 6});
  for (int n = 0; n < 10; ++n) {
    link.command('n');
    const auto query = next_dns(link, s(5));
    require(query.has_value(), "no question");
    ids.insert(query->id);
    ports.insert(query->port);
    Octets other_question = query->question;
    other_question[1] ^= 1;
    const DnsReply forged[] = {
        {.query = *query, .id = static_cast<std::uint16_t>(query->id + 1), .records = record},
        {.query = *query, .records = record, .from = dead_ip},
        {.query = *query, .records = record, .from_port = 54},
        {.query = *query, .records = record, .to_port = static_cast<std::uint16_t>(query->port ^ 1)},
        {.query = *query, .question = other_question, .records = record},
        {.query = *query, .flags = 0x0100, .records = record},
    };
    for (const DnsReply& reply : forged) link.send(reply.frame());
    link.run_for(ms(50));
    link.command('a');
    link.run_for(ms(20));
    require(link.reports().back() == 'q', "a forged answer is taken");
    link.send(DnsReply{.query = *query, .records = dns_record(name_pointer, 1, Octets{1, 2, 3, 4})}.frame());
    link.run_for(ms(50));
    link.command('a');
    link.run_for(ms(20));
    require(link.reports().ends_with("F01020304"), "the right answer is not taken");
    // Unsolicited.
    link.send(DnsReply{.query = *query, .records = record}.frame());
  }
  require(ids.size() >= 9 && ports.size() >= 9, "ids or ports repeat");
}
void http(Link& link) {
  {
    TcpPeer peer(link, 80);
    peer.open();
    std::uint32_t seq = 1;
    const Octets line = octets("GET /") + Octets(4096, 'a');
    for (std::size_t at = 0; at < line.size(); at += 256) {
      peer.send(ACK | PSH, seq, 1,
                Octets(line.begin() + static_cast<std::ptrdiff_t>(at),
                       line.begin() + static_cast<std::ptrdiff_t>(std::min(at + 256, line.size()))));
      seq += 256;
      link.run_for(ms(5));
    }
    link.run_for(ms(200));
    peer.send(RST, seq, 0);
  }
  TcpPeer slow(link, 80);
  slow.open();
  const Octets request = octets("GET / HTTP/1.0\r\n\r\n");
  for (const std::uint8_t octet : request) {
    slow.send(ACK | PSH, slow.sent++, 1, {octet});
    link.run_for(ms(3));
  }
  const Octets page = slow.transfer({}, 20);
  require(std::string(page.begin(), page.end()).starts_with("HTTP/1.0 200"), "a request of single octets fails");
  slow.send(FIN | ACK, slow.sent, slow.taken);
  for (const Octets& data : {Octets(300, 0), octets("GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n"),
                             octets("\r\n\r\n\r\n"), octets("GET  \r\n"), octets("FOO / HTTP/9.9\r\n\r\n")}) {
    TcpPeer peer(link, 80);
    peer.open();
    peer.send(ACK | PSH, 1, 1, data);
    link.run_for(ms(50));
    peer.send(RST, 1 + static_cast<std::uint32_t>(data.size()), 0);
    link.run_for(ms(10));
  }
}

}  // namespace

std::vector<Rule> bad_service_inputs() {
  return {
      attack("D-1", "CVE-2019-12257", "malformed DHCP options", dhcp_options, Setup::dhcp),
      attack("D-2", "CVE-2019-12264", "absurd addresses and leases", dhcp_addresses, Setup::dhcp),
      attack("D-3", "RFC 2131", "rogue DHCP messages", rogue_dhcp, Setup::dhcp),
      attack("D-4", "CVE-2020-24335", "DNS compression loops", dns_compression),
      attack("D-5", "CVE-2020-25107", "DNS labels and names", dns_names),
      attack("D-6", "CVE-2020-24334", "DNS counts and lengths", dns_counts),
      attack("D-7", "CVE-2020-17470", "DNS spoofing", dns_spoofing),
      attack("D-8", "CVE-2021-31226", "malformed HTTP requests", http),
  };
}

}  // namespace avrlan::test
