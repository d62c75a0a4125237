#ifndef TCPIP_APP_NETIO_HPP
#define TCPIP_APP_NETIO_HPP
// The server's side of NETIO, K. U. Rommel's measure of throughput, over TCP. Not here: UDP, the command that asks for the
// server's own figures (the connection is closed).
//
// The client sends a command and a size, 32 bits each, as often as it likes:
//   1: it goes on with blocks of that size, the last of which begins with an octet that is not 0;
//   2: it wants blocks of that size, for six seconds, the last of which begins with an octet that is not 0;
//   0: no more.
#include "stack/tcp/application.hpp"

namespace tcpip {

class NetioServer : public TcpApplication {
 public:
  static constexpr uint16_t port = 18767;

  struct State {
    uint8_t phase;
    uint8_t n;        // octets of the command
    uint8_t seconds;  // sending
    bool last;        // receiving: the block at hand
    struct {
      Be32 code;
      Be32 size;
    } command;
    uint32_t at;    // receiving: in the block; sending: where in the stream the first block begins
    uint32_t high;  // sending: so far the stream has been asked for
    uint32_t end;   // sending: where the last block ends; 0: not known yet
  };

  void event(Connection& connection, State& s, TcpEvent event) {
    if (event == TcpEvent::peer_closed) {
      if (s.phase == sending)
        connection.abort();
      else
        connection.close();
    }
    if (event != TcpEvent::poll || s.phase != sending || s.end || ++s.seconds < send_s) return;
    const uint32_t size = s.command.size;
    s.end = s.at + ((s.high - s.at + size - 1) / size + 1) * size;
    connection.wake();
  }

  template <class Reader>
  void received(Connection& connection, State& s, Reader& data) {
    if (s.phase == sending) {
      if (!s.end || connection.acknowledged() != s.end) return connection.abort();
      s.phase = commanding;
    }
    while (data.left()) {
      if (s.phase == receiving) {
        block(s, data);
        continue;
      }
      s.n = static_cast<uint8_t>(
          s.n + data.read(reinterpret_cast<uint8_t*>(&s.command) + s.n, static_cast<uint16_t>(sizeof s.command - s.n)));
      if (s.n < sizeof s.command) return;
      s.n = 0;
      const uint32_t code = s.command.code;
      if (s.command.size == 0 || (code != client_to_server && code != server_to_client)) {
        data.skip(data.left());
        return connection.close();
      }
      s.phase = code == client_to_server ? receiving : sending;
      s.at = code == client_to_server ? 0 : connection.acknowledged();
      s.high = s.at;
      s.end = 0;
      s.seconds = 0;
      if (s.phase == sending) return data.skip(data.left());
    }
  }

  template <class Writer>
  void produce(Connection&, State& s, uint32_t offset, Writer& writer) {
    static const uint8_t one = 1;
    if (s.phase != sending) return;
    const uint32_t size = s.command.size;
    while (writer.room() && !(s.end && offset == s.end)) {
      uint16_t n = sizeof zeros_;
      const uint8_t* from = zeros_;
      if (s.end) {  // until when it does not matter where blocks begin
        const uint32_t last = s.end - size;
        const uint32_t left = offset < last ? last - offset : s.end - offset;
        if (left < n) n = static_cast<uint16_t>(left);
        if (offset == last) {
          from = &one;
          n = 1;
        }
      }
      const uint16_t room = writer.room();
      writer.write(from, n);
      offset += n < room ? n : room;
    }
    if (offset > s.high) s.high = offset;
  }

 private:
  enum Phase : uint8_t { commanding, receiving, sending };
  static constexpr uint32_t client_to_server = 1, server_to_client = 2;
  static constexpr uint8_t send_s = 6;

  // Takes what belongs to the block at hand.
  template <class Reader>
  static void block(State& s, Reader& data) {
    if (s.at == 0) {
      uint8_t first;
      data.read(&first, 1);
      s.last = first != 0;
      ++s.at;
    }
    const uint32_t left = s.command.size - s.at;
    const uint16_t n = left < data.left() ? static_cast<uint16_t>(left) : data.left();
    data.skip(n);
    s.at += n;
    if (s.at != s.command.size) return;
    s.at = 0;
    if (s.last) s.phase = commanding;
  }

  uint8_t zeros_[256] = {};
};

}  // namespace tcpip

#endif
