#ifndef TCPIP_APP_ECHO_HPP
#define TCPIP_APP_ECHO_HPP
// The echo service (RFC 862) over TCP and UDP.
#include <string.h>

#include "stack/tcp/application.hpp"
#include "stack/udp/udp.hpp"

namespace tcpip {

// What has come is kept until it is acknowledged: `size` octets a connection, and so much is the window.
template <uint16_t size = 64>
class TcpEcho : public TcpApplication {
 public:
  static constexpr uint16_t port = 7;
  static constexpr uint16_t buffer = size;

  struct State {
    uint16_t acknowledged;  // of the stream; the buffer begins there
    uint16_t n;
    uint8_t data[size];
  };

  uint16_t space(const State& s) { return static_cast<uint16_t>(size - s.n); }

  void event(Connection& connection, State& s, TcpEvent event) {
    if (event == TcpEvent::acked) {
      const uint16_t n = static_cast<uint16_t>(static_cast<uint16_t>(connection.acknowledged()) - s.acknowledged);
      s.acknowledged = static_cast<uint16_t>(s.acknowledged + n);
      s.n = static_cast<uint16_t>(s.n - n);
      memmove(s.data, s.data + n, s.n);
    }
    if (event == TcpEvent::peer_closed) connection.close();
  }

  template <class Reader>
  void received(Connection&, State& s, Reader& data) {
    s.n = static_cast<uint16_t>(s.n + data.read(s.data + s.n, space(s)));
  }

  template <class Writer>
  void produce(Connection&, State& s, uint32_t offset, Writer& writer) {
    const uint16_t from = static_cast<uint16_t>(static_cast<uint16_t>(offset) - s.acknowledged);
    if (from < s.n) writer.write(s.data + from, static_cast<uint16_t>(s.n - from));
  }
};

// Sends each datagram back, but not what was sent to everybody, and nothing to the services that would answer an answer
// (echo, chargen).
class UdpEcho : public UdpApplication {
 public:
  static constexpr uint16_t port = 7;

  template <class Message>
  void received(Message& message) {
    if (message.broadcast() || message.source_port == 7 || message.source_port == 19) return;
    auto reply = message.reply();
    reply.copy(message, message.left());
    reply.send();
  }
};

}  // namespace tcpip

#endif
