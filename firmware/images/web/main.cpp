// A web server on port 80:
//   /            what the board has to say of itself
//   /bytes?n=N   N octets, at most 2^31 - 1. Octet i is the exclusive or of the four octets of i as a 32-bit number, so
//                that a piece that is missing, double or out of place shows.

#include "firmware/images/common/network.hpp"
#include "stack/app/http_server.hpp"

namespace {

class Site {
 public:
  void request(const char* path, const char* query, tcpip::HttpResponse& response);
  template <class Text>
  void body(const tcpip::HttpResponse& response, Text& out);

 private:
  enum Resource : uint8_t { status, bytes };
  static constexpr uint32_t max_bytes = 0x7FFFFFFF;

  static bool parse_count(const char* query, uint32_t& n);
  void take_snapshot();
  template <class Text>
  void print_status(uint32_t uptime, Text& out);
  template <class Text>
  static void print_bytes(uint32_t n, Text& out);

  // Of the moment of the last request for the page: a page is printed in pieces, and some of them again when a segment is
  // lost. Another request meanwhile changes them, so they are printed with a fixed width.
  struct Snapshot {
    uint16_t received, sent, dropped, overflows, lost, free_ram;
  } snapshot_ = {};
};

struct Config : image::Profile {
  static constexpr uint8_t connections = 10;  // a browser opens six at once
  static constexpr bool counters = true;
  using TcpApplications = tcpip::List<tcpip::HttpServer<Site>>;
};

tcpip::Stack<Config> stack;

void Site::request(const char* path, const char* query, tcpip::HttpResponse& response) {
  if (strcmp_P(path, PSTR("/")) == 0) {
    response.resource = status;
    response.argument = board::Clock::seconds();
    response.type = TCPIP_TEXT("text/html");
    take_snapshot();
  } else if (strcmp_P(path, PSTR("/bytes")) == 0 && parse_count(query, response.argument)) {
    response.resource = bytes;
    response.length = response.argument;
    response.type = TCPIP_TEXT("application/octet-stream");
  } else {
    return;
  }
  response.status = 200;
}

template <class Text>
void Site::body(const tcpip::HttpResponse& response, Text& out) {
  if (response.resource == status)
    print_status(response.argument, out);
  else
    print_bytes(response.argument, out);
}

// "n=" and a decimal number.
bool Site::parse_count(const char* query, uint32_t& n) {
  if (query[0] != 'n' || query[1] != '=' || query[2] == 0) return false;
  n = 0;
  for (query += 2; *query; ++query) {
    if (*query < '0' || *query > '9') return false;
    const uint8_t digit = static_cast<uint8_t>(*query - '0');
    if (n > (max_bytes - digit) / 10) return false;
    n = n * 10 + digit;
  }
  return true;
}

void Site::take_snapshot() {
  const auto& counters = stack.counters();
  const auto& chip = stack.device().counters();
  snapshot_.received = counters.received;
  snapshot_.sent = counters.sent;
  snapshot_.dropped = 0;
  for (uint8_t i = 0; i < static_cast<uint8_t>(tcpip::Drop::count); ++i)
    snapshot_.dropped = static_cast<uint16_t>(snapshot_.dropped + counters.dropped(static_cast<tcpip::Drop>(i)));
  snapshot_.overflows = chip.rx_overflows;
  snapshot_.lost = chip.tx_lost;
  snapshot_.free_ram = board::Memory::untouched();
}

template <class Text>
void Site::print_status(uint32_t uptime, Text& out) {
  const tcpip::FlashText name = {board::name()};
  const tcpip::Ipv4Address address = stack.address();
  out << TCPIP_TEXT("<!DOCTYPE html>\n<html><head><title>avrlan on ") << name
      << TCPIP_TEXT("</title></head>\n<body><pre>\navrlan on ") << name << TCPIP_TEXT("\n\nuptime     ");
  out.number_of_width(uptime, 10) << TCPIP_TEXT(" s\naddress    ");
  for (uint8_t i = 0; i < 4; ++i) out << (i == 0 ? TCPIP_TEXT("") : TCPIP_TEXT(".")) << uint32_t{address.octet[i]};
  out << TCPIP_TEXT("\nreceived   ");
  out.number_of_width(snapshot_.received, 10) << TCPIP_TEXT(" frames\nsent       ");
  out.number_of_width(snapshot_.sent, 10) << TCPIP_TEXT(" frames\ndropped    ");
  out.number_of_width(snapshot_.dropped, 10) << TCPIP_TEXT(" by the stack\noverflows  ");
  out.number_of_width(snapshot_.overflows, 10) << TCPIP_TEXT(" of the chip's receive buffer\nlost       ");
  out.number_of_width(snapshot_.lost, 10) << TCPIP_TEXT(" by the chip's transmitter\nfree RAM   ");
  out.number_of_width(snapshot_.free_ram, 10) << TCPIP_TEXT(" bytes never used\n</pre></body></html>\n");
}

template <class Text>
void Site::print_bytes(uint32_t n, Text& out) {
  uint32_t i = out.offset() < n ? out.offset() : n;
  out.skip(i);
  while (i != n && !out.full()) {
    constexpr uint8_t most = 64;
    uint8_t chunk[most];
    const uint8_t high = static_cast<uint8_t>(i >> 8 ^ i >> 16 ^ i >> 24);
    uint8_t low = static_cast<uint8_t>(i);
    // Up to where `high` changes.
    uint8_t filled = n - i < most ? static_cast<uint8_t>(n - i) : most;
    if (low > 256 - filled) filled = static_cast<uint8_t>(-low);
    for (uint8_t at = 0; at != filled; ++at) chunk[at] = static_cast<uint8_t>(low++ ^ high);
    out.write(chunk, filled);
    i += filled;
  }
}

}  // namespace

int main() {
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("web"))) return board::finish(1);
  for (;;) network.round();
}
