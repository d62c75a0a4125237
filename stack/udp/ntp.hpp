#ifndef TCPIP_UDP_NTP_HPP
#define TCPIP_UDP_NTP_HPP
// NTP client (SNTP: RFC 4330; RFC 5905 section 14): the time of day from one server, carried on by the firmware's
// milliseconds. It is right to half of the round trip. Not here: more than one server, the drift of our clock,
// authentication, leap second warnings, broadcasts.
#include "stack/udp/udp.hpp"
#include "stack/wire/ntp.hpp"

namespace tcpip {

enum class NtpStatus : uint8_t {
  idle,
  asking,  // no answer yet, or none to the last three requests
  set,
  refused,  // the server does not want to be asked (RFC 4330 8), and is not any more
};

// Asks every poll_s seconds.
template <uint16_t poll_s = 1024>
class NtpClient : public UdpApplication {
  static_assert(poll_s >= 16 && poll_s < 0x8000, "RFC 4330 10: not within 15 s");

 public:
  uint16_t port = 0;  // of the last request

  // Asks now, and while there is no answer again after 16, 32, 64, ... seconds, at most poll_s. A time that is known goes
  // on.
  template <class Stack>
  void start(Stack& stack, const Ipv4Address& server) {
    server_ = server;
    status_ = NtpStatus::asking;
    unanswered_ = 0;
    interval_s_ = shortest_s;
    ask(stack);
  }

  NtpStatus status() const { return status_; }

  // Seconds since 1970-01-01 00:00 UTC without leap seconds, until 2104. 0: not known yet.
  uint32_t time() const { return seconds_; }

  template <class Message>
  void received(Message& datagram) {
    if (status_ == NtpStatus::idle || status_ == NtpStatus::refused || answered_ || unsent_ ||
        datagram.source != server_ || datagram.source_port != ntp_port)
      return;
    NtpMessage message;
    if (datagram.read(&message, sizeof message) != sizeof message ||
        memcmp(&message.origin, &request_, sizeof request_) != 0 || (message.li_vn_mode & ntp_mode) != ntp_server_mode)
      return;
    if (message.stratum == 0) {
      kiss_of_death(message.reference);
    } else if (message.stratum <= ntp_last_stratum && (message.li_vn_mode & ntp_leap) != ntp_unsynchronized) {
      set(message.transmit, datagram.now_ms());
    }
  }

  template <class Stack>
  void every_second(Stack& stack) {
    if (status_ == NtpStatus::idle || status_ == NtpStatus::refused || --wait_s_ != 0) return;
    if (!answered_ && ++unanswered_ >= 3) status_ = NtpStatus::asking;
    ask(stack);
  }

  template <class Stack>
  void poll(Stack& stack) {
    if (unsent_) send(stack);
    while (seconds_ && stack.now_ms() - at_ms_ >= 1000) {
      at_ms_ += 1000;
      ++seconds_;
    }
  }

 private:
  static constexpr uint16_t shortest_s = 16;

  template <class Stack>
  void ask(Stack& stack) {
    wait_s_ = interval_s_;
    interval_s_ = interval_s_ < poll_s / 2 ? static_cast<uint16_t>(interval_s_ * 2) : poll_s;
    answered_ = false;
    // The answer returns it as its origin: what is there for a time serves to know the answer by (RFC 4330 5).
    request_.seconds = stack.random();
    request_.fraction = stack.random();
    port = static_cast<uint16_t>(stack.random() | 0xc000);
    send(stack);
  }

  // Once the server's MAC address is known.
  template <class Stack>
  void send(Stack& stack) {
    auto datagram = stack.datagram(server_, ntp_port, port);
    unsent_ = !datagram;
    if (unsent_) return;
    NtpMessage message = NtpMessage();
    message.li_vn_mode = ntp_client_request;
    message.transmit = request_;
    datagram.write(&message, sizeof message);
    datagram.send();
    sent_ms_ = stack.now_ms();
  }

  void kiss_of_death(uint32_t code) {
    answered_ = true;
    interval_s_ = wait_s_ = poll_s;
    if (code == ntp_deny || code == ntp_restrict) status_ = NtpStatus::refused;
  }

  void set(const NtpTimestamp& transmit, uint32_t now_ms) {
    const uint32_t seconds = transmit.seconds - ntp_until_1970;
    if (transmit.seconds == 0 || seconds == 0 || seconds >= 0u - (ntp_until_1970 - 0x80000000u)) return;  // before 1970
    answered_ = true;
    unanswered_ = 0;
    status_ = NtpStatus::set;
    interval_s_ = wait_s_ = poll_s;
    seconds_ = seconds;
    const uint32_t fraction_ms = (transmit.fraction >> 16) * 1000 >> 16;
    at_ms_ = now_ms - fraction_ms - (now_ms - sent_ms_) / 2;
  }

  Ipv4Address server_{};
  NtpStatus status_ = NtpStatus::idle;
  bool answered_ = false;  // the last request
  bool unsent_ = false;
  uint8_t unanswered_ = 0;  // requests in a row
  uint16_t interval_s_ = 0;
  uint16_t wait_s_ = 0;  // until the next request
  NtpTimestamp request_{};
  uint32_t sent_ms_ = 0;
  uint32_t seconds_ = 0;
  uint32_t at_ms_ = 0;  // when they were true
};

}  // namespace tcpip

#endif
