#ifndef TCPIP_APP_HTTP_SERVER_HPP
#define TCPIP_APP_HTTP_SERVER_HPP
// HTTP/1.0 server (RFC 1945) for GET and HEAD, one request a connection. Nothing of a request is kept but its target, and
// nothing of an answer but what is needed to print it again. Not here: HTTP/1.1 persistence, request bodies, percent
// decoding, conditional and range requests.
#include <string.h>

#include "stack/app/text.hpp"
#include "stack/tcp/application.hpp"

namespace tcpip {

// What a site answers. resource and argument are its own, to know later which body to print.
struct HttpResponse {
  uint16_t status;
  uint8_t resource;
  uint32_t argument;
  FlashText type;
  uint32_t length;  // of the body; `counted`: find out by printing it

  static constexpr uint32_t counted = 0xffffffff;
};

// A Site has
//   void request(const char* path, const char* query, HttpResponse& response);
//     Decides. query is what follows '?', or empty. The response comes as 404; a site that has the path sets status to
//     200, and what it likes of the rest. Other statuses get their body from the server.
//   template <class Text> void body(const HttpResponse& response, Text& out);
//     Prints the body (text.hpp). It is called for each segment, and must print the same length each time.
// target_size is the longest target plus one.
template <class Site, uint8_t target_size = 32>
class HttpServer : public TcpApplication {
 public:
  static constexpr uint16_t port = 80;

  Site site;

  struct State {
    uint8_t phase;
    uint8_t n;  // octets of the target; then of the response's header
    bool head;
    uint8_t seconds;
    uint16_t octets;
    union {
      char target[target_size];
      HttpResponse response;
    };
  };

  void event(Connection& connection, State& s, TcpEvent event) {
    if (event == TcpEvent::peer_closed) connection.close();
    if (event == TcpEvent::poll && s.phase != answer && ++s.seconds > patience_s) connection.abort();
  }

  template <class Reader>
  void received(Connection& connection, State& s, Reader& data) {
    while (data.left()) {
      char chunk[16];
      const uint8_t n = static_cast<uint8_t>(data.read(chunk, sizeof chunk));
      for (uint8_t i = 0; i != n && s.phase != answer; ++i) take(s, chunk[i]);
    }
    if (s.phase == answer) connection.close();
  }

  template <class Writer>
  void produce(Connection&, State& s, uint32_t offset, Writer& writer) {
    if (s.phase != answer) return;
    if (s.n == 0) {
      Text<Writer> all(nullptr, 0);
      if (s.response.length == HttpResponse::counted) {
        body(s, all);
        s.response.length = all.length();
      }
      Text<Writer> header(nullptr, 0);
      print_header(s, header);
      s.n = static_cast<uint8_t>(header.length());
    }
    Text<Writer> out(&writer, offset);
    if (offset < s.n)
      print_header(s, out);
    else
      out.skip(s.n);
    if (!s.head) body(s, out);
  }

 private:
  enum Phase : uint8_t { method, target, version, line_start, line, answer };

  static constexpr uint8_t patience_s = 60;  // for a whole request
  static constexpr uint16_t longest = 4096;  // request

  void take(State& s, char c) {
    if (++s.octets > longest) return fail(s, 400);
    switch (s.phase) {
      case method:
        if (c == ' ') return end_of_method(s);
        if (c < 'A' || c > 'Z' || s.n == 7) return fail(s, 400);
        s.target[s.n++] = c;
        return;
      case target:
        if (c == ' ') {
          s.target[s.n] = 0;
          s.n = 0;
          s.phase = version;
          return;
        }
        if (c < '!' || c > '~' || (s.n == 0 && c != '/')) return fail(s, 400);
        if (s.n == target_size - 1) return fail(s, 414);
        s.target[s.n++] = c;
        return;
      case version: {
        const FlashText expected = TCPIP_TEXT("HTTP/1.");
        if (s.n < 7) {
          if (c != expected[s.n++]) fail(s, 400);
          return;
        }
        if (c == '\n') s.phase = line_start;
        return;
      }
      case line_start:
        if (c == '\n') return decide(s);
        if (c != '\r') s.phase = line;
        return;
      default:
        if (c == '\n') s.phase = line_start;
    }
  }

  static bool is(const State& s, FlashText word) {
    uint8_t i = 0;
    while (i != s.n && s.target[i] == word[i]) ++i;
    return i == s.n && word[i] == 0;
  }

  void end_of_method(State& s) {
    s.head = is(s, TCPIP_TEXT("HEAD"));
    if (s.n == 0) return fail(s, 400);
    if (!s.head && !is(s, TCPIP_TEXT("GET"))) return fail(s, 405);
    s.n = 0;
    s.phase = target;
  }

  void decide(State& s) {
    char* query = strchr(s.target, '?');
    if (query)
      *query++ = 0;
    else
      query = strchr(s.target, 0);
    HttpResponse response = blank(404);
    site.request(s.target, query, response);
    respond(s, response);
  }

  void fail(State& s, uint16_t status) { respond(s, blank(status)); }

  static HttpResponse blank(uint16_t status) {
    return HttpResponse{status, 0, 0, TCPIP_TEXT("text/plain"), HttpResponse::counted};
  }

  static void respond(State& s, const HttpResponse& response) {
    s.phase = answer;
    s.n = 0;
    s.response = response;
  }

  template <class Out>
  static void print_status(uint16_t status, Out& out) {
    out << status << TCPIP_TEXT(" ");
    if (status == 200)
      out << TCPIP_TEXT("OK");
    else if (status == 404)
      out << TCPIP_TEXT("Not Found");
    else if (status == 405)
      out << TCPIP_TEXT("Method Not Allowed");
    else if (status == 414)
      out << TCPIP_TEXT("URI Too Long");
    else
      out << TCPIP_TEXT("Bad Request");
  }

  template <class Out>
  static void print_header(const State& s, Out& out) {
    out << TCPIP_TEXT("HTTP/1.0 ");
    print_status(s.response.status, out);
    if (s.response.status == 405) out << TCPIP_TEXT("\r\nAllow: GET, HEAD");
    out << TCPIP_TEXT("\r\nContent-Type: ") << s.response.type << TCPIP_TEXT("\r\nContent-Length: ")
        << s.response.length << TCPIP_TEXT("\r\nConnection: close\r\n\r\n");
  }

  template <class Out>
  void body(const State& s, Out& out) {
    if (s.response.status == 200) {
      site.body(s.response, out);
    } else {
      print_status(s.response.status, out);
      out << TCPIP_TEXT("\n");
    }
  }
};

}  // namespace tcpip

#endif
