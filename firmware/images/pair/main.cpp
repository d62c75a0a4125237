// One of two boards on one cable, for tests/system, which builds it: the client opens a connection, both send OCTETS of a
// pattern at once and check what comes, and close. Prints "done" and ends with status 0, or says why not and ends with 1.
// PROFILE is the stack's, CLIENT 0 or 1.

#include "firmware/images/common/network.hpp"
#include "stack/stack.hpp"

namespace {

constexpr uint32_t octets = OCTETS;
constexpr tcpip::Ipv4Address addresses[] = {{{10, 0, 0, 1}}, {{10, 0, 0, 2}}};  // server, client
constexpr tcpip::Ipv4Address mask = {{255, 255, 255, 0}};

inline uint8_t pattern(uint32_t place) {
  return static_cast<uint8_t>(place ^ place >> 8 ^ place >> 16);
}

struct Exchange : tcpip::TcpApplication {
  static constexpr uint16_t port = 1000;
  enum Outcome : uint8_t { none, done, wrong, lost };
  Outcome outcome = none;
  uint32_t received_octets = 0;

  template <class State>
  void event(tcpip::Connection& connection, State&, tcpip::TcpEvent event) {
    if (event == tcpip::TcpEvent::acked && connection.acknowledged() == octets) connection.close();
    if (event == tcpip::TcpEvent::closed && outcome == none) outcome = received_octets == octets ? done : wrong;
    if (event > tcpip::TcpEvent::closed) outcome = lost;
  }

  template <class State, class Reader>
  void received(tcpip::Connection&, State&, Reader& data) {
    uint8_t chunk[32];
    while (const uint8_t n = static_cast<uint8_t>(data.read(chunk, sizeof chunk)))
      for (uint8_t i = 0; i != n; ++i)
        if (chunk[i] != pattern(received_octets++)) outcome = wrong;
  }

  template <class State, class Writer>
  void produce(tcpip::Connection&, State&, uint32_t offset, Writer& writer) {
    while (writer.room() && offset < octets) {
      uint8_t chunk[32];
      uint8_t n = 0;
      while (n != sizeof chunk && offset != octets) chunk[n++] = pattern(offset++);
      writer.write(chunk, n);
    }
  }
};

struct Config : tcpip::PROFILE {
  using Device = board::Nic<tcpip::PROFILE>;
  static constexpr uint16_t reassembly_size = image::ProfileOf<tcpip::PROFILE>::reassembly_size;
  using TcpApplications = tcpip::List<Exchange>;
};

tcpip::Stack<Config> stack;

}  // namespace

int main() {
  using board::Clock;
  board::set_up();
  static const uint8_t secret[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, CLIENT};
  if (!stack.begin(tcpip::MacAddress{{0x02, 0, 0, 0, 0, CLIENT}}, secret, Clock::milliseconds())) return 1;
  stack.configure(addresses[CLIENT], mask, tcpip::Ipv4Address());
  while (!stack.device().link_up()) board::idle();
  if (CLIENT) {
    while (Clock::milliseconds() < 100) board::idle();  // the server is ready
    stack.connect<Exchange>(addresses[0], Exchange::port);
  }
  const Exchange& exchange = stack.tcp_application<Exchange>();
  while (exchange.outcome == Exchange::none) {
    stack.poll(Clock::milliseconds());
    board::idle();
  }
  // The other end may want our last acknowledgement again, more than once, with its timer doubled each time.
  for (const uint32_t end = Clock::milliseconds() + 10000; Clock::milliseconds() < end; board::idle())
    stack.poll(Clock::milliseconds());
  board::Uart::print(exchange.outcome == Exchange::done    ? PSTR("done\n")
                     : exchange.outcome == Exchange::wrong ? PSTR("wrong octets\n")
                                                           : PSTR("connection lost\n"));
  return board::finish(exchange.outcome != Exchange::done);
}
