// A client: once it has an address, it connects to port AVRLAN_CONNECT_PORT of its gateway, sends a line, prints what comes
// back until the server closes, and ends with status 0. When that fails, it prints why and ends with status 1.

#include "firmware/images/common/network.hpp"
#include "stack/app/line_client.hpp"

#ifndef AVRLAN_CONNECT_PORT
#define AVRLAN_CONNECT_PORT 7777
#endif

namespace {

class Report {
 public:
  enum class Outcome : uint8_t { none, served, refused, reset, timed_out };

  void received(const char* octets, uint8_t n) {
    for (uint8_t i = 0; i < n; ++i) board::Uart::put(octets[i]);
  }

  void event(tcpip::TcpEvent event) {
    if (event == tcpip::TcpEvent::connected) {
      connected_ = true;
      board::Uart::print(PSTR("connected\n"));
    }
    if (event == tcpip::TcpEvent::closed) outcome_ = Outcome::served;
    if (event == tcpip::TcpEvent::aborted) outcome_ = connected_ ? Outcome::reset : Outcome::refused;
    if (event == tcpip::TcpEvent::timed_out) outcome_ = Outcome::timed_out;
  }

  Outcome outcome() const { return outcome_; }

 private:
  bool connected_ = false;
  Outcome outcome_ = Outcome::none;
};

// Has nothing more to send than its line, and says so; the server may answer as long as it likes.
class Client : public tcpip::LineClient<Report> {
 public:
  template <class State>
  void event(tcpip::Connection& connection, State& state, tcpip::TcpEvent event) {
    tcpip::LineClient<Report>::event(connection, state, event);
    if (event == tcpip::TcpEvent::connected) connection.close();
  }
};

struct Config : image::Profile {
  static constexpr uint8_t connections = 1;
  using TcpApplications = tcpip::List<Client>;
};

tcpip::Stack<Config> stack;

int fail(const char* why) {
  board::Uart::print(why);
  return board::finish(1);
}

}  // namespace

int main() {
  using board::Uart;
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("connect"))) return board::finish(1);
  while (!stack.is_configured()) {
    network.round();
    if (board::Clock::seconds() >= 60) return fail(PSTR("no address\n"));
  }

  Client& client = stack.tcp_application<Client>();
  client.line = "hello from avrlan\n";
  Uart::print(PSTR("connecting to "));
  image::print(stack.gateway());
  Uart::put(':');
  Uart::print(uint32_t{AVRLAN_CONNECT_PORT});
  Uart::put('\n');
  stack.connect<Client>(stack.gateway(), AVRLAN_CONNECT_PORT);
  for (;;) {
    network.round();
    switch (client.report.outcome()) {
      case Report::Outcome::none:
        break;
      case Report::Outcome::served:
        Uart::print(PSTR("done\n"));
        return board::finish(0);
      case Report::Outcome::refused:
        return fail(PSTR("refused\n"));
      case Report::Outcome::reset:
        return fail(PSTR("reset by the server\n"));
      case Report::Outcome::timed_out:
        return fail(PSTR("timed out\n"));
    }
  }
}
