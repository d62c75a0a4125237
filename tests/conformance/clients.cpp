// DHCP and DNS clients: RFC 2131, 2132, 1035, 2181, 5452, 9267. Optional in both profiles.

#include <set>

#include "tests/conformance/name_services.hpp"
#include "tests/conformance/rules.hpp"

namespace avrlan::test {
namespace {

void dhcp_checks(Link& link) {
  const auto discover = next_dhcp(link, s(12));
  require(discover && discover->type == dhcp_discover && discover->to == broadcast_ip, "no DISCOVER");
  link.send(DhcpReply{.xid = discover->xid ^ 1}.frame());
  link.send(DhcpReply{.xid = discover->xid, .op = 1}.frame());
  link.send(DhcpReply{.xid = discover->xid, .hardware = peer_mac}.frame());
  link.send(DhcpReply{.xid = discover->xid, .cookie = 0x63825364}.frame());
  const auto again = next_dhcp(link, s(12));
  require(again && again->type == dhcp_discover, "an OFFER to somebody else is taken");
  get_lease(link);
  require(has_address(link), "no address");
}

void dhcp_parses(Link& link) {
  // The type and the server are in the file field, as option 52 says.
  auto discover = next_dhcp(link, s(12));
  require(discover.has_value(), "no DISCOVER");
  DhcpReply offer{.xid = discover->xid, .options = Octets{52, 1, 1, 53, 1, dhcp_offer, 255}};
  offer.file = Octets{54, 4, 10, 0, 0, 0xfe, 51, 4, 0, 1, 0, 0, 1, 4, 255, 255, 255, 0, 255};
  link.send(offer.frame());
  const auto request = next_dhcp(link, s(12));
  require(request && request->type == dhcp_request && request->server == gateway_ip,
          "option overload is not understood");
  // A mask of one octet, and an option without length at the end, are ignored.
  DhcpReply answer{.type = dhcp_ack, .xid = request->xid};
  answer.options = Octets{53, 1, dhcp_ack, 54, 4, 10, 0, 0, 0xfe, 51, 4, 0, 1, 0, 0, 1, 1, 255, 12};
  link.send(answer.frame());
  link.run_for(ms(100));
  require(has_address(link), "no address");
}

// In seconds after `start`.
void expect_request(Link& link, Instant start, std::int64_t earliest, std::int64_t latest, std::uint32_t to) {
  auto request = next_dhcp(link, start + s(latest) - link.now());
  require(request && request->type == dhcp_request, "no REQUEST after " + std::to_string(latest) + " s");
  require(request->client == our_ip && request->to == to && request->requested == 0 && request->server == 0,
          "a REQUEST that is no renewal");
  require(request->at - start >= s(earliest),
          "a REQUEST after " + std::to_string((request->at - start).milliseconds()) + " ms");
}

void dhcp_lease(Link& link) {
  get_lease(link, 600);
  const Instant start = link.now();
  require(has_address(link), "no address");
  expect_request(link, start, 295, 310, gateway_ip);  // T1: to the server
  link.run_for(start + s(520) - link.now());
  link.forget();
  expect_request(link, start, 520, 535, broadcast_ip);  // T2: to any
  link.run_for(start + s(603) - link.now());
  link.forget();
  link.send(Ip{.payload = echo_request(octets("x"))}.frame());
  const auto late = link.find(s(1), [](const Link::Frame& f) { return is_icmp(f, 0, 0); });
  require(!late, "uses an address whose lease is over");
  // A renewal.
  get_lease(link, 600);
  const Instant again = link.now();
  const auto request = next_dhcp(link, s(320));
  require(request && request->type == dhcp_request, "no renewal");
  link.send(DhcpReply{.type = dhcp_ack, .xid = request->xid, .lease = 600}.frame());
  link.run_for(again + s(700) - link.now());
  link.forget();
  require(has_address(link), "loses a lease that was renewed");
}

void dhcp_backoff(Link& link) {
  std::vector<Instant> times;
  while (times.size() < 7) {
    const auto discover = next_dhcp(link, s(80));
    require(discover.has_value(), "only " + std::to_string(times.size()) + " DISCOVERs");
    times.push_back(discover->at);
  }
  const std::int64_t nominal[] = {4, 8, 16, 32, 64, 64};
  for (std::size_t n = 0; n < std::size(nominal); ++n) {
    const Duration gap = times[n + 1] - times[n];
    require(gap >= s(nominal[n]) - ms(1100) && gap <= s(nominal[n]) + ms(1100),
            "DISCOVER again after " + std::to_string(gap.milliseconds()) + " ms");
  }
}

void dhcp_nak_restarts(Link& link) {
  const auto discover = next_dhcp(link, s(12));
  require(discover.has_value(), "no DISCOVER");
  link.send(DhcpReply{.xid = discover->xid}.frame());
  auto request = next_dhcp(link, s(12));
  require(request && request->type == dhcp_request, "no REQUEST");
  link.send(DhcpReply{.type = dhcp_nak, .xid = request->xid, .address = 0}.frame());
  const auto again = next_dhcp(link, s(70));
  require(again && again->type == dhcp_discover, "no DISCOVER after NAK");
  link.send(DhcpReply{.xid = again->xid, .lease = 600}.frame());
  request = next_dhcp(link, s(12));
  require(request.has_value(), "no REQUEST");
  link.send(DhcpReply{.type = dhcp_ack, .xid = request->xid, .lease = 600}.frame());
  link.run_for(ms(100));
  require(has_address(link), "no address");
  request = next_dhcp(link, s(320));
  require(request && request->type == dhcp_request, "no renewal");
  link.send(DhcpReply{.type = dhcp_nak, .xid = request->xid, .address = 0}.frame());
  const auto last = next_dhcp(link, s(70));
  require(last && last->type == dhcp_discover, "no DISCOVER after NAK");
}

// --- DNS

const Octets name{0xc0, 12};  // a pointer to the question's
const Octets address{1, 2, 3, 4};

DnsQuery ask(Link& link) {
  link.command('n');
  const auto query = next_dns(link, s(5));
  require(query.has_value(), "no question");
  return *query;
}
// How the client stands, see stack/app/test_services.hpp.
std::string standing(Link& link) {
  link.run_for(ms(50));
  const std::size_t before = link.reports().size();
  link.command('a');
  link.run_for(ms(20));
  return link.reports().substr(before);
}
void expect(Link& link, const std::string& wanted) {
  const std::string got = standing(link);
  require(got == wanted, "stands at " + got + ", not " + wanted);
}
const std::string found = "F01020304";

void dns_matches(Link& link) {
  std::set<std::uint16_t> ids, ports;
  for (int n = 0; n < 12; ++n) {
    const DnsQuery query = ask(link);
    ids.insert(query.id);
    ports.insert(query.port);
    Octets other = query.question;
    other[1] = 'x';
    const Octets record = dns_record(name, 1, address);
    link.send(DnsReply{.query = query, .id = static_cast<std::uint16_t>(query.id ^ 1), .records = record}.frame());
    link.send(DnsReply{.query = query, .records = record, .from = dead_ip}.frame());
    link.send(DnsReply{.query = query, .records = record, .from_port = 5353}.frame());
    link.send(DnsReply{.query = query, .question = other, .records = record}.frame());
    expect(link, "q");
    link.send(DnsReply{.query = query, .records = record}.frame());
    expect(link, found);
  }
  require(ids.size() >= 11 && ports.size() >= 11, "ids or ports repeat");
}

void dns_pointers(Link& link) {
  DnsQuery query = ask(link);
  // The owner is written out, its last label by a pointer backwards.
  link.send(
      DnsReply{.query = query, .records = dns_record(Octets{4, 'H', 'o', 's', 't', 0xc0, 17}, 1, address)}.frame());
  expect(link, found);
  for (const Octets& owner :
       {Octets{0xc0, 30}, Octets{0xc0, 46}, Octets{0xff, 0xff}, Octets{4, 'h', 'o', 's', 't', 0xc0, 30}}) {
    query = ask(link);
    link.send(DnsReply{.query = query, .records = dns_record(owner, 1, address)}.frame());
    require(standing(link)[0] != 'F', "a pointer that is not backwards is followed");
  }
}

void dns_names(Link& link) {
  Octets endless;
  for (int n = 0; n < 5; ++n) endless = endless + Octets{63} + Octets(63, 'a');
  for (const Octets& owner :
       {Octets{64} + Octets(64, 'a') + Octets{0}, Octets{0x80, 1, 0}, endless + Octets{0}, endless}) {
    const DnsQuery query = ask(link);
    link.send(DnsReply{.query = query, .records = dns_record(owner, 1, address)}.frame());
    require(standing(link)[0] != 'F', "a name that is none is taken");
  }
}

void dns_lengths(Link& link) {
  const Octets records[] = {dns_record(name, 1, Octets{1, 2, 3}), dns_record(name, 1, Octets{1, 2, 3, 4, 5}),
                            dns_record(name, 1, address, std::uint16_t{0xffff}),
                            dns_record(name, 16, Octets{1, 2}, std::uint16_t{3})};
  for (const Octets& some : records) {
    const DnsQuery query = ask(link);
    link.send(DnsReply{.query = query, .answers = 65'535, .records = some}.frame());
    require(standing(link)[0] != 'F', "a malformed record is taken");
  }
  const DnsQuery query = ask(link);
  link.send(DnsReply{.query = query,
                     .answers = 3,
                     .records = dns_record(name, 16, Octets{3, 'a', 'b', 'c'}) + dns_record(name, 28, Octets(16)) +
                                dns_record(name, 1, address)}
                .frame());
  expect(link, found);
}

void dns_chains(Link& link) {
  DnsQuery query = ask(link);
  link.send(DnsReply{
      .query = query,
      .answers = 2,
      .records = dns_record(name, 5, dns_name("other.example")) + dns_record(dns_name("other.example"), 1, address)}
                .frame());
  expect(link, found);
  query = ask(link);
  link.send(DnsReply{
      .query = query,
      .answers = 2,
      .records = dns_record(name, 5, dns_name("other.example")) + dns_record(dns_name("other.example"), 5, name)}
                .frame());
  require(standing(link)[0] != 'F', "a loop of aliases has an address");
  // Truncated, or refused, or no answer at all: the next server.
  for (const std::uint16_t flags : std::initializer_list<std::uint16_t>{0x8380, 0x8182, 0x8185, 0}) {
    query = ask(link);
    require(query.server == peer_ip, "the first server is not asked first");
    if (flags != 0)
      link.send(DnsReply{.query = query, .flags = flags, .records = dns_record(name, 1, address)}.frame());
    const auto next = next_dns(link, s(10));
    require(next && next->server == gateway_ip, "the second server is not asked");
    require(next->id != query.id || next->port != query.port, "the same id and port again");
    link.send(DnsReply{.query = *next, .records = dns_record(name, 1, address)}.frame());
    expect(link, found);
  }
  query = ask(link);
  link.send(DnsReply{.query = query, .flags = 0x8183, .answers = 0}.frame());
  expect(link, "N");
  ask(link);
  link.run_for(s(200));
  link.forget();
  expect(link, "U");
}

}  // namespace

std::vector<Rule> client_rules() {
  using enum Level;
  return {
      {"DH-1", must, "2131 4.4.1", true, true, "checks xid, chaddr, op and cookie", dhcp_checks, Setup::dhcp},
      {"DH-2", must, "2132 2, 9.3", true, true, "parses options within the message, and overload", dhcp_parses,
       Setup::dhcp},
      {"DH-3", must, "2131 4.4.5", true, true, "renews, rebinds, gives the address up", dhcp_lease, Setup::dhcp},
      {"DH-4", must, "2131 4.1", true, true, "waits 4, 8, ... 64 s, with a second of jitter", dhcp_backoff,
       Setup::dhcp},
      {"DH-6", must, "2131 4.4.1", true, true, "begins anew after NAK", dhcp_nak_restarts, Setup::dhcp},
      {"DN-1", must, "5452 9", true, true, "unpredictable id and port; server, port, id and question checked",
       dns_matches},
      {"DN-2", must, "9267 2", true, true, "follows pointers backwards only", dns_pointers},
      {"DN-3", must, "1035 2.3.4", true, true, "labels of 63, names of 255 octets", dns_names},
      {"DN-4", must, "1035 4.1", true, true, "lengths and counts within the message", dns_lengths},
      {"DN-5", must, "1035 7.3, 1034 3.6.2", true, true, "chains of aliases, truncation, a second server", dns_chains},
  };
}

}  // namespace avrlan::test
