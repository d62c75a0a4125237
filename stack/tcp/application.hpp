#ifndef TCPIP_TCP_APPLICATION_HPP
#define TCPIP_TCP_APPLICATION_HPP
#include "stack/tcp/connection.hpp"

namespace tcpip {

// What a TCP application has; derive and redefine. The stack calls it and is never called back from inside: what an
// application asks of its connection happens when it returns.
struct TcpApplication {
  // Connections to this port are accepted. 0: none; see Stack::connect. One whose port or buffer is not known before it runs
  // has a member of that name.
  static constexpr uint16_t port = 0;

  // Kept for each connection, all zero at its start. The RAM a connection takes is that of the largest of all
  // applications.
  struct State {};

  // Octets of received data that there is room for when none are kept; at most 65535. 0: Config::receive_window.
  static constexpr uint16_t buffer = 0;
  // The room there is now. Only asked when `buffer` is not 0.
  template <class AnyState>
  uint16_t space(const AnyState&) {
    return 0;
  }

  template <class AnyState>
  void event(Connection& connection, AnyState&, TcpEvent event) {
    if (event == TcpEvent::peer_closed) connection.close();
  }

  // Data came, in order. What is not read is not acknowledged, and comes again.
  template <class AnyState, class Reader>
  void received(Connection&, AnyState&, Reader& data) {
    data.skip(data.left());
  }

  // Writes what the stream has from `offset` on, as far as there is room; nothing when there is nothing to send. Asked
  // after `connected`, `acked`, received data and Connection::wake. The
  // first octet sent has offset 0. An offset that was asked for before is asked for again when a segment is lost, and
  // must give the same octets again: everything from Connection::acknowledged() on has to be kept or made anew.
  template <class AnyState, class Writer>
  void produce(Connection&, AnyState&, uint32_t /*offset*/, Writer&) {}
};

}  // namespace tcpip

#endif
