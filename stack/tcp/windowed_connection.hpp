#ifndef TCPIP_TCP_WINDOWED_CONNECTION_HPP
#define TCPIP_TCP_WINDOWED_CONNECTION_HPP
// What a connection has besides when several segments are in flight (Config::sliding_window).
#include "stack/tcp/congestion.hpp"
#include "stack/tcp/connection.hpp"

namespace tcpip {

// An application of such a configuration gets this where TcpApplication says Connection.
class WindowedConnection : public Connection {
 public:
  // On: small segments are sent at once, not only when nothing is in flight (RFC 9293 3.7.4, the Nagle algorithm).
  void no_delay(bool on) { choose(undelayed, on); }
  // On: a peer that is silent for Config::keep_alive_s is asked whether it is there (RFC 9293 3.8.4).
  void keep_alive(bool on) { choose(kept_alive, on); }
  // close(), and nothing more is received either: when the peer sends data, the connection is reset (RFC 9293 3.6.1).
  void finish() {
    close();
    choose(deaf, true);
  }

 private:
  template <class Config>
  friend class SlidingWindow;

  static constexpr uint8_t undelayed = 0x01;
  static constexpr uint8_t kept_alive = 0x02;
  static constexpr uint8_t deaf = 0x04;
  static constexpr uint8_t lost = 0x08;         // the oldest segment in flight is to be sent again
  static constexpr uint8_t ack_delayed = 0x10;  // until acknowledge_at_

  void choose(uint8_t which, bool on) { switches_ = static_cast<uint8_t>(on ? switches_ | which : switches_ & ~which); }

  // All from una_ on.
  uint16_t next_;   // what is to be sent next; less than in_flight_ while it is sent again after a timeout
  uint16_t timed_;  // the end of the segment whose round trip is measured; 0: none is
  Congestion congestion_;
  uint32_t window_from_;  // the sequence number of the segment that the peer's window is from (SND.WL1)
  Tick acknowledge_at_;
  uint16_t silent_s_;   // since we heard of the peer
  uint8_t unsent_s_;    // since we sent data, at most 255
  uint8_t unanswered_;  // keep-alive probes
  uint8_t switches_;
};

template <bool sliding_window>
struct ConnectionOf {
  using Type = Connection;
};
template <>
struct ConnectionOf<true> {
  using Type = WindowedConnection;
};

}  // namespace tcpip

#endif
