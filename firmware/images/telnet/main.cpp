// A console on TCP port 23: help, status, uptime, counters, led on, led off, quit.

#include <string.h>

#include "firmware/images/common/network.hpp"
#include "stack/app/telnet.hpp"

namespace {

class Console {
 public:
  void command(const char* line, tcpip::TelnetReply& reply);
  template <class Text>
  void print(const tcpip::TelnetReply& reply, Text& out);

 private:
  enum Reply : uint8_t { prompt, greeting, unknown, help, status, uptime, counters, led, bye };

  // Of the moment of the last command that prints them.
  struct Snapshot {
    tcpip::Ipv4Address address;
    uint16_t received, sent, overflows, lost, free_ram;
  } snapshot_ = {};
};

struct Config : image::Profile {
  static constexpr uint8_t connections = 2;
  static constexpr bool counters = true;
  using TcpApplications = tcpip::List<tcpip::TelnetServer<Console>>;
};

tcpip::Stack<Config> stack;

void Console::command(const char* line, tcpip::TelnetReply& reply) {
  reply.resource = prompt;
  if (!line)
    reply.resource = greeting;
  else if (strcmp_P(line, PSTR("help")) == 0)
    reply.resource = help;
  else if (strcmp_P(line, PSTR("status")) == 0)
    reply.resource = status;
  else if (strcmp_P(line, PSTR("uptime")) == 0)
    reply.resource = uptime;
  else if (strcmp_P(line, PSTR("counters")) == 0)
    reply.resource = counters;
  else if (strcmp_P(line, PSTR("led on")) == 0 || strcmp_P(line, PSTR("led off")) == 0)
    reply.resource = led;
  else if (strcmp_P(line, PSTR("quit")) == 0)
    reply.resource = bye;
  else if (*line)
    reply.resource = unknown;

  reply.close = reply.resource == bye;
  reply.argument = board::Clock::seconds();
  if (reply.resource == led) {
    reply.argument = line[5] == 'n';
    board::led::set(reply.argument);
  }
  const tcpip::Enc28j60Counters& chip = stack.device().counters();
  if (reply.resource == status || reply.resource == counters)
    snapshot_ = {stack.address(), stack.counters().received, stack.counters().sent, chip.rx_overflows,
                 chip.tx_lost,    board::Memory::untouched()};
}

template <class Text>
void Console::print(const tcpip::TelnetReply& reply, Text& out) {
  switch (reply.resource) {
    case greeting:
      out << TCPIP_TEXT("avrlan on ") << tcpip::FlashText{board::name()} << TCPIP_TEXT(": try help\r\n");
      break;
    case unknown:
      out << TCPIP_TEXT("unknown command: try help\r\n");
      break;
    case help:
      out << TCPIP_TEXT("status, uptime, counters, led on, led off, quit\r\n");
      break;
    case status:
      out << TCPIP_TEXT("address ");
      for (uint8_t i = 0; i < 4; ++i)
        out << (i == 0 ? TCPIP_TEXT("") : TCPIP_TEXT(".")) << uint32_t{snapshot_.address.octet[i]};
      out << TCPIP_TEXT("\r\nfree RAM ");
      out.number_of_width(snapshot_.free_ram, 5) << TCPIP_TEXT(" bytes never used\r\n");
      break;
    case uptime:
      out << reply.argument << TCPIP_TEXT(" s\r\n");
      break;
    case counters:
      out << TCPIP_TEXT("received ");
      out.number_of_width(snapshot_.received, 5) << TCPIP_TEXT(", sent ");
      out.number_of_width(snapshot_.sent, 5) << TCPIP_TEXT(" frames; overflows ");
      out.number_of_width(snapshot_.overflows, 5) << TCPIP_TEXT(", lost ");
      out.number_of_width(snapshot_.lost, 5) << TCPIP_TEXT("\r\n");
      break;
    case led:
      out << (reply.argument ? TCPIP_TEXT("the LED is on\r\n") : TCPIP_TEXT("the LED is off\r\n"));
      break;
    case bye:
      out << TCPIP_TEXT("bye\r\n");
      return;
  }
  out << TCPIP_TEXT("> ");
}

}  // namespace

int main() {
  board::led::set_up();
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("telnet"))) return board::finish(1);
  for (;;) network.round();
}
