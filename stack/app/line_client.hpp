#ifndef TCPIP_APP_LINE_CLIENT_HPP
#define TCPIP_APP_LINE_CLIENT_HPP
// A TCP client that sends one line and hands on what comes back.
//   stack.template tcp_application<LineClient<Report>>().line = "hello\n";
//   stack.template connect<LineClient<Report>>(address, port);
#include <string.h>

#include "stack/tcp/application.hpp"

namespace tcpip {

// A Report has
//   void received(const char* octets, uint8_t n);
//   void event(TcpEvent event);  what happens to the connection; see TcpEvent for the ones that are the last
template <class Report>
class LineClient : public TcpApplication {
 public:
  Report report;
  // Sent when the connection is open; must stay where it is and as it is until the connection has ended.
  const char* line = nullptr;

  template <class State>
  void event(Connection& connection, State&, TcpEvent event) {
    if (event == TcpEvent::peer_closed) connection.close();
    if (event != TcpEvent::poll) report.event(event);
  }

  template <class State, class Reader>
  void received(Connection&, State&, Reader& data) {
    while (data.left()) {
      char chunk[16];
      const uint8_t n = static_cast<uint8_t>(data.read(chunk, sizeof chunk));
      report.received(chunk, n);
    }
  }

  template <class State, class Writer>
  void produce(Connection&, State&, uint32_t offset, Writer& writer) {
    const size_t length = line ? strlen(line) : 0;
    if (offset < length) writer.write(line + offset, static_cast<uint16_t>(length - offset));
  }
};

}  // namespace tcpip

#endif
