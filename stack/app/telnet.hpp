#ifndef TCPIP_APP_TELNET_HPP
#define TCPIP_APP_TELNET_HPP
// Telnet server (RFC 854) for a console of lines. Every option is refused, so the client edits lines and echoes them. Not
// here: urgent data (DM), AYT, output that is not asked for.
#include <string.h>

#include "stack/app/text.hpp"
#include "stack/tcp/application.hpp"

namespace tcpip {

// What the console answers; resource and argument are its own, to know later what to print.
struct TelnetReply {
  uint8_t resource;
  uint32_t argument;
  bool close;  // afterwards
};

// A Console has
//   void command(const char* line, TelnetReply& reply);
//     Does what the line says and decides. Also called with "" for an empty line, and at the start with nullptr.
//   template <class Text> void print(const TelnetReply& reply, Text& out);
//     Prints the answer (text.hpp) and a prompt. It is called again for what was lost, and must print the same each time.
// line_size is the longest line plus one; what is longer is cut.
template <class Console, uint8_t line_size = 24>
class TelnetServer : public TcpApplication {
 public:
  static constexpr uint16_t port = 23;
  static constexpr uint16_t buffer = 32;

  Console console;

  struct State {
    uint8_t n;  // octets of input that wait, because a reply has to be acknowledged first
    uint8_t input[buffer];
    uint8_t phase;
    uint8_t verb;
    uint8_t line_n;
    char line[line_size];
    bool peer_closed;
    bool replying;
    bool negotiating;  // the reply is the refusal of option reply.resource, by `verb`
    TelnetReply reply;
    uint32_t begin;   // the reply's place in the stream
    uint32_t length;  // and its octets
  };

  uint16_t space(const State& s) { return static_cast<uint16_t>(buffer - s.n); }

  void event(Connection& connection, State& s, TcpEvent event) {
    if (event == TcpEvent::connected) run(connection, s, nullptr);
    if (event == TcpEvent::peer_closed) s.peer_closed = true;
    if (event == TcpEvent::acked && s.replying && connection.acknowledged() - s.begin >= s.length) s.replying = false;
    if (event == TcpEvent::acked || event == TcpEvent::peer_closed) go_on(connection, s);
  }

  template <class Reader>
  void received(Connection& connection, State& s, Reader& data) {
    s.n = static_cast<uint8_t>(s.n + data.read(s.input + s.n, space(s)));
    go_on(connection, s);
  }

  template <class Writer>
  void produce(Connection&, State& s, uint32_t offset, Writer& writer) {
    if (!s.replying) return;
    Text<Writer> out(&writer, offset - s.begin);
    print(s, out);
  }

 private:
  enum Phase : uint8_t { text, after_cr, command, option, subnegotiation, end_of_subnegotiation };
  enum Octet : uint8_t { se = 240, sb = 250, will = 251, wont = 252, do_it = 253, dont = 254, iac = 255 };

  // Takes input up to the next that has a reply.
  void go_on(Connection& connection, State& s) {
    uint8_t taken = 0;
    while (!s.replying && taken != s.n) take(connection, s, s.input[taken++]);
    s.n = static_cast<uint8_t>(s.n - taken);
    memmove(s.input, s.input + taken, s.n);
    if (s.peer_closed && !s.replying) connection.close();
  }

  void take(Connection& connection, State& s, uint8_t c) {
    switch (s.phase) {
      case command:
        s.verb = c;
        s.phase = c == sb ? subnegotiation : c >= will && c <= dont ? option : text;
        return;
      case option:
        s.phase = text;
        if (s.verb == will || s.verb == do_it) {
          s.verb = s.verb == will ? dont : wont;
          s.reply.resource = c;
          s.negotiating = true;
          reply(connection, s);
        }
        return;
      case subnegotiation:
        if (c == iac) s.phase = end_of_subnegotiation;
        return;
      case end_of_subnegotiation:
        s.phase = c == se ? text : subnegotiation;
        return;
      default:
        break;
    }
    const bool second = s.phase == after_cr && (c == '\n' || c == 0);
    s.phase = c == iac ? command : c == '\r' ? after_cr : text;
    if (second) return;
    if (c == '\r' || c == '\n') {
      s.line[s.line_n] = 0;
      s.line_n = 0;
      run(connection, s, s.line);
    } else if (c == '\b' || c == 127) {
      if (s.line_n) --s.line_n;
    } else if (c >= ' ' && c < 127 && s.line_n < line_size - 1) {
      s.line[s.line_n++] = static_cast<char>(c);
    }
  }

  void run(Connection& connection, State& s, const char* line) {
    s.reply = TelnetReply();
    s.negotiating = false;
    console.command(line, s.reply);
    reply(connection, s);
    if (s.reply.close) connection.close();
  }

  void reply(Connection& connection, State& s) {
    struct Nowhere {
      uint16_t room() const { return 0; }
      void write(const void*, uint16_t) {}
    };
    Text<Nowhere> all(nullptr, 0);
    print(s, all);
    s.begin = connection.acknowledged();
    s.length = all.length();
    s.replying = s.length != 0;
    connection.wake();
  }

  template <class Out>
  void print(const State& s, Out& out) {
    if (!s.negotiating) return console.print(s.reply, out);
    out.put(static_cast<char>(iac));
    out.put(static_cast<char>(s.verb));
    out.put(static_cast<char>(s.reply.resource));
  }
};

}  // namespace tcpip

#endif
