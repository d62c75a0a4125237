#pragma once
// A TCP connection of a peer, as its service or client sees it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace avrlan::peers {

enum class TcpEnd : std::uint8_t {
  closed,     // by both ends, everything has arrived
  reset,      // by the other end: refused, when it has never been open
  timed_out,  // the other end no longer answers
  no_room     // not opened: too many connections, or we have no address
};

// "closed", "reset", "timed-out", "no-room".
std::string_view to_string(TcpEnd end);

// Our end of one connection, from `opening` or `connected` on until `ended` or abort().
class TcpLine {
 public:
  virtual std::uint32_t remote_address() const = 0;
  virtual std::uint16_t remote_port() const = 0;

  // Queues octets behind those that were sent before. Nagle's algorithm is off: what a call queues goes at once as far as
  // the windows let it.
  virtual void send(std::span<const std::uint8_t> octets) = 0;
  void send(std::string_view text);
  // Octets queued that the other end has not acknowledged.
  virtual std::size_t unacknowledged() const = 0;
  // What is queued goes out, then FIN. Data is still received.
  virtual void close() = 0;
  // RST, at once; nothing more is heard of the connection, and it is gone.
  virtual void abort() = 0;

  // Octets that were received count against our window until they are read. Only for a session that reads_late().
  virtual void read(std::size_t octets) = 0;

 protected:
  ~TcpLine() = default;
};

// What happens to a connection, in this order. Everything is called from inside an event of the scheduler.
class TcpSession {
 public:
  virtual ~TcpSession() = default;

  // What is received has to be read by TcpLine::read before the window opens again.
  virtual bool reads_late() const { return false; }

  // Our SYN is sent; of a connection that we open.
  virtual void opening(TcpLine&) {}
  virtual void connected(TcpLine&) {}
  // Data came, in order.
  virtual void received(TcpLine&, std::span<const std::uint8_t>) {}
  // Once after `connected`, and whenever some of what was queued has been acknowledged.
  virtual void writable(TcpLine&) {}
  // The other end sends nothing more.
  virtual void peer_closed(TcpLine& line) { line.close(); }
  // The last one, also of a connection that was never open.
  virtual void ended(TcpEnd) {}
};

}  // namespace avrlan::peers
