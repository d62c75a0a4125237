#ifndef TCPIP_TCP_CONNECTION_HPP
#define TCPIP_TCP_CONNECTION_HPP
// A TCP connection as its application sees it.
#include "stack/base/address.hpp"
#include "stack/base/byte_order.hpp"
#include "stack/base/time.hpp"

namespace tcpip {

// RFC 9293 3.3.2, in such an order that sending FIN leads to the next one. LISTEN is an application's port.
enum class TcpState : uint8_t {
  closed,
  syn_sent,
  syn_received,
  established,
  fin_wait_1,
  fin_wait_2,
  close_wait,
  last_ack,
  closing,
  time_wait
};

enum class TcpEvent : uint8_t {
  connected,
  acked,        // see Connection::acknowledged()
  poll,         // once a second
  peer_closed,  // nothing more will be received
  // The last event of a connection is one of these:
  closed,     // both sides have closed, and everything has arrived
  aborted,    // reset by the peer or for want of room, or refused
  timed_out,  // the peer no longer answers
};

template <class Config>
class TcpOutput;
template <class Config>
class StopAndWait;
template <class Config>
class SlidingWindow;
template <class Config, bool enabled>
class Reordering;
template <class Config>
class Tcp;

// What tells a connection from others, as it stands in a segment that comes.
struct TcpEndpoints {
  Ipv4Address remote_;
  Ipv4Address local_;
  Be16 remote_port_;
  Be16 local_port_;
};

class Connection : private TcpEndpoints {
 public:
  Ipv4Address remote_address() const { return remote_; }
  uint16_t remote_port() const { return remote_port_; }
  uint16_t local_port() const { return local_port_; }
  TcpState state() const { return state_; }

  // How many octets of ours the peer has acknowledged: a place in the stream, as in TcpApplication::produce.
  uint32_t acknowledged() const { return una_ - syn_ - 1; }

  // Nothing more will be sent than what produce() still has when it is asked next. Data is still received.
  void close() { flags_ |= closing | wanted; }
  // Resets the connection. Nothing more is heard of it.
  void abort() { flags_ |= aborting | wanted; }
  // There is something to be sent, or room to receive: the stack looks at its next poll. Without it, it looks after
  // `connected`, `acked` and received data.
  void wake() { flags_ |= wanted; }

 private:
  template <class Config>
  friend class TcpOutput;
  template <class Config>
  friend class StopAndWait;
  template <class Config>
  friend class SlidingWindow;
  template <class Config, bool enabled>
  friend class Reordering;
  template <class Config>
  friend class Tcp;

  static constexpr uint8_t closing = 0x01;     // close() was called
  static constexpr uint8_t aborting = 0x02;    // abort() was called
  static constexpr uint8_t wanted = 0x04;      // wants to be looked at
  static constexpr uint8_t timer = 0x08;       // deadline_ counts
  static constexpr uint8_t fin_sent = 0x10;    // the last octet in flight is our FIN
  static constexpr uint8_t unresolved = 0x20;  // waits for the MAC address of the next hop
  static constexpr uint8_t active = 0x80;      // opened by us
  static constexpr uint8_t challenged = 0x40;  // has had its challenge ACK of this second (RFC 5961 7)

  TcpState state_;
  uint8_t flags_;
  uint8_t application_;
  uint8_t interface_;   // whose address is ours
  uint8_t retries_;     // of what is in flight
  uint8_t backoff_;     // the timeout is doubled so many times
  uint32_t una_;        // oldest sequence number that is not acknowledged
  uint32_t syn_;        // that of our SYN; the stream begins behind it
  uint16_t in_flight_;  // sent and not acknowledged, SYN and FIN included
  uint16_t mss_;
  uint16_t send_window_;
  uint16_t max_send_window_;
  uint32_t rcv_nxt_;
  uint16_t receive_window_;  // as last advertised, less what has come since
  Tick deadline_;
  Tick sent_at_;
  uint16_t srtt_;    // in eighths of a tick; 0: not measured yet
  uint16_t rttvar_;  // in quarters of a tick
};

}  // namespace tcpip

#endif
