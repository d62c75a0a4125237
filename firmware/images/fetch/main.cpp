// A client of the web: AVRLAN_FETCH_TIMES times it resolves the name AVRLAN_FETCH_HOST, gets AVRLAN_FETCH_PATH from that host's
// port AVRLAN_FETCH_PORT, and prints the status and the length of what came. It ends with status 0 when each reply was whole and
// its status 200; with 1 after printing what failed.
//
// The name server is the one that DHCP has named, or AVRLAN_FETCH_NAME_SERVER, an initializer of four octets.

#include "firmware/images/common/network.hpp"
#include "stack/app/http_reply.hpp"
#include "stack/app/line_client.hpp"
#include "stack/udp/dns.hpp"

#ifndef AVRLAN_FETCH_TIMES
#define AVRLAN_FETCH_TIMES 4
#endif
#ifndef AVRLAN_FETCH_HOST
#define AVRLAN_FETCH_HOST "www.example.com"
#endif
#ifndef AVRLAN_FETCH_PORT
#define AVRLAN_FETCH_PORT 80
#endif
#ifndef AVRLAN_FETCH_PATH
#define AVRLAN_FETCH_PATH "/"
#endif

namespace {

using board::Uart;

class Report {
 public:
  void received(const char* octets, uint8_t n) {
    for (uint8_t i = 0; i < n; ++i) reply.take(octets[i]);
  }
  void event(tcpip::TcpEvent event) {
    if (event == tcpip::TcpEvent::closed) outcome = PSTR("closed");
    if (event == tcpip::TcpEvent::aborted) outcome = PSTR("refused or reset");
    if (event == tcpip::TcpEvent::timed_out) outcome = PSTR("timed out");
  }

  tcpip::HttpReply reply;
  const char* outcome = nullptr;  // in flash; nullptr: not yet
};

using Client = tcpip::LineClient<Report>;

struct Config : image::Profile {
  static constexpr uint8_t connections = 1;
  static constexpr uint8_t dns_servers = 2;
  using TcpApplications = tcpip::List<Client>;
  using UdpApplications = tcpip::List<tcpip::DnsClient>;
};

tcpip::Stack<Config> stack;

int fail(const char* why) {
  Uart::print(why);
  Uart::put('\n');
  return board::finish(1);
}

}  // namespace

int main() {
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("fetch"))) return board::finish(1);
  while (!stack.is_configured()) {
    network.round();
    if (board::Clock::seconds() >= 60) return fail(PSTR("no address"));
  }
#ifdef AVRLAN_FETCH_NAME_SERVER
  static const tcpip::Ipv4Address servers[] = {{AVRLAN_FETCH_NAME_SERVER}};
  const uint8_t servers_n = 1;
#else
  const tcpip::Ipv4Address* const servers = stack.dns_servers();
  const uint8_t servers_n = static_cast<uint8_t>(!servers[0].is_zero() + !servers[1].is_zero());
#endif
  tcpip::DnsClient& dns = stack.udp_application<tcpip::DnsClient>();
  Client& client = stack.tcp_application<Client>();
  client.line = "GET " AVRLAN_FETCH_PATH " HTTP/1.0\r\nHost: " AVRLAN_FETCH_HOST "\r\n\r\n";

  for (uint8_t time = 0; time < AVRLAN_FETCH_TIMES; ++time) {
    dns.resolve(stack, AVRLAN_FETCH_HOST, servers, servers_n);
    while (dns.status() == tcpip::DnsStatus::asking) network.round();
    if (dns.status() == tcpip::DnsStatus::no_answer) return fail(PSTR("no answer from a name server"));
    if (dns.status() == tcpip::DnsStatus::no_address) return fail(PSTR("no address for " AVRLAN_FETCH_HOST));

    client.report = Report();
    stack.connect<Client>(dns.address(), AVRLAN_FETCH_PORT);
    while (client.report.outcome == nullptr) network.round();
    image::print(dns.address());
    Uart::print(PSTR(" port "));
    Uart::print(uint32_t{AVRLAN_FETCH_PORT});
    Uart::print(PSTR(": status "));
    Uart::print(uint32_t{client.report.reply.status()});
    Uart::print(PSTR(", "));
    Uart::print(client.report.reply.body_octets());
    Uart::print(PSTR(" octets, "));
    Uart::print(client.report.outcome);
    Uart::put('\n');
    if (client.report.reply.status() != 200) return board::finish(1);
  }
  return board::finish(0);
}
