#ifndef TCPIP_APP_TEST_SERVICES_HPP
#define TCPIP_APP_TEST_SERVICES_HPP
// The services that a conformance test talks to: echo, discard, character generator (RFC 862, 863, 864), and applications
// that close early, answer a half-closed peer, read late, or open a connection. The same on a board and on a host; a test
// steers them by commands of one character and hears of their connections by reports of one character.
#include "stack/app/echo.hpp"
#include "stack/app/http_server.hpp"
#include "stack/stack.hpp"
#include "stack/udp/dns.hpp"

namespace tcpip {
namespace test_services {

// Report has: static void put(char).
//   C connected, P peer closed, E closed by both ends, A aborted, T timed out
template <class Report>
struct Reporting : TcpApplication {
  template <class State>
  void event(Connection& connection, State&, TcpEvent event) {
    tell(event);
    if (event == TcpEvent::peer_closed) connection.close();
  }

 protected:
  static void tell(TcpEvent event) {
    if (event == TcpEvent::connected) Report::put('C');
    if (event == TcpEvent::peer_closed) Report::put('P');
    if (event == TcpEvent::closed) Report::put('E');
    if (event == TcpEvent::aborted) Report::put('A');
    if (event == TcpEvent::timed_out) Report::put('T');
  }
};

// The octet at a place of the streams that are sent from here.
inline uint8_t pattern(uint32_t offset) {
  return static_cast<uint8_t>(offset ^ offset >> 8 ^ 0x55);
}
// The stream from `offset` to `end`, as far as there is room.
template <class Writer>
void write_pattern(uint32_t offset, uint32_t end, Writer& writer) {
  while (offset != end && writer.room()) {
    uint8_t chunk[16];
    uint8_t n = 0;
    while (n != sizeof chunk && offset != end) chunk[n++] = pattern(offset++);
    writer.write(chunk, n);
  }
}

constexpr uint16_t discard_port = 9;
constexpr uint16_t answer_port = 10;
constexpr uint16_t chargen_port = 19;
constexpr uint16_t file_port = 20;
constexpr uint16_t early_port = 21;
constexpr uint16_t late_port = 22;
constexpr uint16_t client_port = 5000;  // that of the peer it connects to
constexpr uint32_t file_size = 3000;
constexpr uint16_t late_buffer = 1000;

template <class Report>
struct Discard : Reporting<Report> {
  static constexpr uint16_t port = discard_port;
};

// Never ends by itself.
template <class Report>
struct Chargen : Reporting<Report> {
  static constexpr uint16_t port = chargen_port;

  template <class State, class Writer>
  void produce(Connection&, State&, uint32_t offset, Writer& writer) {
    write_pattern(offset, offset + writer.room(), writer);
  }
};

// Sends file_size octets once it has heard something or its peer has closed, and then closes.
template <class Report>
struct File : Reporting<Report> {
  static constexpr uint16_t port = file_port;
  struct State {
    bool asked;
  };

  void event(Connection& connection, State& s, TcpEvent event) {
    this->tell(event);
    if (event == TcpEvent::peer_closed) ask(connection, s);
  }
  template <class Reader>
  void received(Connection& connection, State& s, Reader& data) {
    data.skip(data.left());
    ask(connection, s);
  }
  template <class Writer>
  void produce(Connection&, State& s, uint32_t offset, Writer& writer) {
    if (s.asked) write_pattern(offset, file_size, writer);
  }

 private:
  static void ask(Connection& connection, State& s) {
    s.asked = true;
    connection.close();
  }
};

// Closes at once, and does not want what comes after that.
template <class Report>
struct Early : Reporting<Report> {
  static constexpr uint16_t port = early_port;

  template <class State>
  void event(Connection& connection, State& s, TcpEvent event) {
    Reporting<Report>::event(connection, s, event);
    if (event == TcpEvent::connected) connection.close();
  }
  template <class State, class Reader>
  void received(Connection& connection, State&, Reader&) {
    connection.abort();
  }
};

// Keeps late_buffer octets until it is told to read them.
template <class Report>
struct Late : Reporting<Report> {
  static constexpr uint16_t port = late_port;
  static constexpr uint16_t buffer = late_buffer;
  struct State {
    uint16_t n;
  };

  uint16_t space(const State& s) { return static_cast<uint16_t>(buffer - s.n); }

  void event(Connection& connection, State& s, TcpEvent event) {
    Reporting<Report>::event(connection, s, event);
    connection_ = event < TcpEvent::closed ? &connection : nullptr;
    state_ = &s;
  }
  template <class Reader>
  void received(Connection&, State& s, Reader& data) {
    const uint16_t n = data.left() < space(s) ? data.left() : space(s);
    data.skip(n);
    s.n = static_cast<uint16_t>(s.n + n);
  }

  void read(uint16_t n) {
    if (!connection_) return;
    state_->n = static_cast<uint16_t>(state_->n < n ? 0 : state_->n - n);
    connection_->wake();
  }

 private:
  Connection* connection_ = nullptr;  // the latest
  State* state_ = nullptr;
};

// Opens a connection when told to, and sends as much as it is told to.
template <class Report>
struct Client : Reporting<Report> {
  template <class State>
  void event(Connection& connection, State& s, TcpEvent event) {
    Reporting<Report>::event(connection, s, event);
    if (event >= TcpEvent::closed) connection_ = nullptr;
  }
  template <class State, class Writer>
  void produce(Connection&, State&, uint32_t offset, Writer& writer) {
    if (static_cast<int32_t>(written_ - offset) > 0) write_pattern(offset, written_, writer);
  }

  void opened(Connection* connection) {
    connection_ = connection;
    written_ = 0;
  }
  void write(uint16_t n) {
    written_ += n;
    if (connection_) connection_->wake();
  }
  void close() {
    if (connection_) connection_->close();
  }

 private:
  Connection* connection_ = nullptr;
  uint32_t written_ = 0;
};

struct Site {
  void request(const char* path, const char*, HttpResponse& response) {
    if (path[1] == 0) response.status = 200;
  }
  template <class Text>
  void body(const HttpResponse&, Text& out) {
    out << TCPIP_TEXT("alive\n");
  }
};

struct UdpDiscard : UdpApplication {
  static constexpr uint16_t port = discard_port;
};

// Answers everything, also what was sent to everybody.
struct UdpAnswer : UdpApplication {
  static constexpr uint16_t port = answer_port;

  template <class Message>
  void received(Message& message) {
    auto reply = message.reply();
    reply.write("here", 4);
    reply.send();
  }
};

template <class Profile, class Driver, class Report>
struct Config : Profile {
  using Device = Driver;
  static constexpr bool udp = true;
  using TcpApplications = List<TcpEcho<600>, Discard<Report>, Chargen<Report>, File<Report>, Early<Report>,
                               Late<Report>, HttpServer<Site>, Client<Report>>;
  using UdpApplications = List<UdpEcho, UdpDiscard, UdpAnswer, DnsClient>;
};
template <class Profile, class Driver, class Report>
struct DhcpConfig : Config<Profile, Driver, Report> {
  static constexpr bool dhcp = true;
};

constexpr Ipv4Address own_address = {{10, 0, 0, 1}};
constexpr Ipv4Address own_mask = {{255, 255, 255, 0}};
constexpr Ipv4Address own_gateway = {{10, 0, 0, 254}};
constexpr Ipv4Address peer_address = {{10, 0, 0, 9}};
constexpr Ipv4Address dead_address = {{10, 0, 0, 77}};

template <class Report>
void report_dns(const DnsClient& dns) {
  if (dns.status() == DnsStatus::asking) Report::put('q');
  if (dns.status() == DnsStatus::no_address) Report::put('N');
  if (dns.status() == DnsStatus::no_answer) Report::put('U');
  if (dns.status() != DnsStatus::found) return;
  Report::put('F');
  for (uint8_t i = 0; i != 8; ++i) {
    const uint8_t digit = dns.address().octet[i / 2] >> (i % 2 ? 0 : 4) & 0x0f;
    Report::put(static_cast<char>(digit < 10 ? '0' + digit : 'a' + digit - 10));
  }
}

// Does what a command says:
//   o  connect to the peer      d  connect to a host that is not there
//   w  write one octet more     W  write 1000 octets more          x  close
//   r  read one octet late      R  read all of it
//   n  ask the peer and the gateway for the address of host.example
//   a  report how that stands: q asked, N no address, U unanswered, F and the address in hexadecimal digits
template <class Report, class Stack>
void command(Stack& stack, char what) {
  using TheClient = Client<Report>;
  TheClient& client = stack.template tcp_application<TheClient>();
  Late<Report>& late = stack.template tcp_application<Late<Report>>();
  if (what == 'o') client.opened(stack.template connect<TheClient>(peer_address, client_port));
  if (what == 'd') client.opened(stack.template connect<TheClient>(dead_address, client_port));
  if (what == 'w') client.write(1);
  if (what == 'W') client.write(1000);
  if (what == 'x') client.close();
  if (what == 'r') late.read(1);
  if (what == 'R') late.read(late_buffer);
  static const Ipv4Address servers[] = {peer_address, own_gateway};
  DnsClient& dns = stack.template udp_application<DnsClient>();
  if (what == 'n') dns.resolve(stack, "host.example", servers, 2);
  if (what == 'a') report_dns<Report>(dns);
}

}  // namespace test_services
}  // namespace tcpip

#endif
