#ifndef TCPIP_UDP_NTP_HPP
#define TCPIP_UDP_NTP_HPP
// NTP client (SNTP: RFC 4330, RFC 5905 section 14): the time of day from one server, kept by the firmware's milliseconds in
// between. Not here: several servers, the drift of our clock, authentication, leap second warnings, broadcast and
// server mode.
#include "stack/udp/udp.hpp"
#include "stack/wire/ntp.hpp"

namespace tcpip {

enum class NtpStatus : uint8_t {
  idle,
  asking,   // no answer yet, or none to the last three requests
  set,      // time() is right
  refused,  // the server does not want to be asked (RFC 4330 8); it is not any more
};

// Asks every poll_s seconds.
template <uint16_t poll_s = 1024>
class NtpClientEvery : public UdpApplication {
  static_assert(poll_s >= 15, "a server is not asked more often (RFC 4330 10)");

 public:
  uint16_t port = 0;  // of the request that waits for its answer

  // Asks from now on; again after 15, 30, 60, ... seconds, at most poll_s, while there is no answer. The time that is known
  // stays.
  template <class Stack>
  void start(Stack& stack, const Ipv4Address& server) {
    server_ = server;
    status_ = NtpStatus::asking;
    unanswered_ = 0;
    interval_s_ = shortest_s;
    ask(stack);
  }

  NtpStatus status() const { return status_; }
  bool is_known() const { return seconds_ != 0; }

  // Seconds since 1970-01-01 UTC, without leap seconds; good until 2106. 0: not known yet.
  uint32_t time() const { return seconds_; }
