// A client of the services that a network has: gets its address by DHCP, resolves the name AVRLAN_TIME_SERVER, asks that
// host for the time, prints all of it, and ends with status 0; with 1 after printing what failed.

#include "firmware/images/common/network.hpp"
#include "stack/udp/dns.hpp"
#include "stack/udp/ntp.hpp"

#ifndef AVRLAN_TIME_SERVER
#define AVRLAN_TIME_SERVER "pool.ntp.org"
#endif

namespace {

using board::Uart;

using Ntp = tcpip::NtpClient<>;

struct Config : image::Profile {
  static constexpr bool tcp = false;
  static constexpr uint8_t dns_servers = 2;
  using UdpApplications = tcpip::List<tcpip::DnsClient, Ntp>;
};

tcpip::Stack<Config> stack;

void line(const char* name, tcpip::Ipv4Address address) {
  Uart::print(name);
  image::print(address);
  Uart::put('\n');
}

int fail(const char* why) {
  Uart::print(why);
  return board::finish(1);
}

void two_digits(uint8_t number) {
  Uart::put(static_cast<char>('0' + number / 10));
  Uart::put(static_cast<char>('0' + number % 10));
}

// Of seconds since 1970-01-01 00:00 UTC: "2026-11-30 17:20:05 UTC". Every fourth year until 2099 is a leap year.
void print_time(uint32_t seconds) {
  uint16_t days = static_cast<uint16_t>(seconds / 86400);
  uint16_t year = 1970;
  for (uint16_t length; days >= (length = year % 4 == 0 ? 366 : 365); ++year)
    days = static_cast<uint16_t>(days - length);
  uint8_t month = 1;
  for (uint8_t length;; ++month) {
    length = static_cast<uint8_t>(month == 2 ? (year % 4 == 0 ? 29 : 28) : 30 + ((month + month / 8) & 1));
    if (days < length) break;
    days = static_cast<uint16_t>(days - length);
  }
  Uart::print(uint32_t{year});
  Uart::put('-');
  two_digits(month);
  Uart::put('-');
  two_digits(static_cast<uint8_t>(days + 1));
  Uart::put(' ');
  const uint32_t of_day = seconds % 86400;
  two_digits(static_cast<uint8_t>(of_day / 3600));
  Uart::put(':');
  two_digits(static_cast<uint8_t>(of_day / 60 % 60));
  Uart::put(':');
  two_digits(static_cast<uint8_t>(of_day % 60));
  Uart::print(PSTR(" UTC\n"));
}

}  // namespace

int main() {
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("dhcp-dns-ntp"))) return board::finish(1);
  while (!stack.is_configured()) {
    network.round();
    if (board::Clock::seconds() >= 60) return fail(PSTR("no address\n"));
  }
  line(PSTR("mask "), stack.mask());
  line(PSTR("gateway "), stack.gateway());
  line(PSTR("name server "), stack.dns_servers()[0]);

  tcpip::DnsClient& dns = stack.udp_application<tcpip::DnsClient>();
  const uint8_t servers = static_cast<uint8_t>(!stack.dns_servers()[0].is_zero() + !stack.dns_servers()[1].is_zero());
  dns.resolve(stack, AVRLAN_TIME_SERVER, stack.dns_servers(), servers);
  while (dns.status() == tcpip::DnsStatus::asking) network.round();
  if (dns.status() == tcpip::DnsStatus::no_answer) return fail(PSTR("no answer from a name server\n"));
  if (dns.status() == tcpip::DnsStatus::no_address) return fail(PSTR("no address for " AVRLAN_TIME_SERVER "\n"));
  Uart::print(PSTR(AVRLAN_TIME_SERVER " has "));
  image::print(dns.address());
  Uart::print(PSTR(" for "));
  Uart::print(dns.ttl());
  Uart::print(PSTR(" s\n"));

  Ntp& ntp = stack.udp_application<Ntp>();
  ntp.start(stack, dns.address());
  const uint32_t started = board::Clock::seconds();
  while (ntp.status() != tcpip::NtpStatus::set) {
    network.round();
    if (ntp.status() == tcpip::NtpStatus::refused) return fail(PSTR("the time server refuses\n"));
    if (board::Clock::seconds() - started >= 60) return fail(PSTR("no answer from the time server\n"));
  }
  print_time(ntp.time());
  return board::finish(0);
}
