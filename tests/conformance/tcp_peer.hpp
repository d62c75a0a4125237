#pragma once
// One end of a TCP connection with the stack, which sends exactly what a rule tells it to. Sequence numbers are relative:
// to the peer's own ISN in what it sends, to the stack's in what it gets.

#include <optional>
#include <string>

#include "tests/conformance/wire.hpp"

namespace avrlan::test {

struct Segment {
  Instant at;
  std::uint8_t flags = 0;
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint16_t window = 0;
  Octets options;
  Octets data;
  Octets frame;

  bool has(std::uint8_t all) const { return (flags & all) == all; }
  std::optional<std::uint16_t> mss() const;
  // Sequence number behind it.
  std::uint32_t end() const;
  // "SYN ACK 0+0 ack 1", seq + octets of data, without PSH.
  std::string text() const;
};

class TcpPeer {
 public:
  std::uint32_t isn = 0x10000000;
  std::uint32_t stack_isn = 0;
  std::uint16_t port;
  std::uint16_t stack_port;
  std::uint32_t ip = peer_ip;
  MacAddress mac = peer_mac;
  std::uint16_t window = 8000;

  // From a port that was not used before.
  TcpPeer(Link& link, std::uint16_t to_port);

  // The segment, complete but for what a rule wants to be wrong.
  Tcp make(std::uint8_t flags, std::uint32_t seq, std::uint32_t ack, const Octets& data = {}) const;
  void send(const Tcp& segment);
  void send(std::uint8_t flags, std::uint32_t seq, std::uint32_t ack, const Octets& data = {}) {
    send(make(flags, seq, ack, data));
  }

  // The next segment to us; frames of others are left out.
  std::optional<Segment> next(Duration within = s(1));
  // It has to be this one, Segment::text().
  Segment expect(const std::string& text, Duration within = s(1));
  // No segment to us.
  void silence(Duration d);
  // The stack has acknowledged up to `seq` within d; the data it sends meanwhile is kept in `got` and not acknowledged.
  void expect_ack(std::uint32_t seq, Duration within = s(1));

  // Opens a connection to the stack.
  void open(std::uint16_t mss = 1460);
  // Waits for the SYN of a connection that the stack opens to client_port.
  Segment accept_syn();
  // Accepts it.
  void accept(std::uint16_t mss = 1460);
  // Both ends after open() or accept() and what follows: sends data from seq on in segments of at most `size`, takes n octets
  // that come, acknowledging all, and returns them.
  Octets transfer(const Octets& data, std::size_t n, std::size_t size = 500);
  // Where both directions stand after transfer(); 1 at first.
  std::uint32_t sent = 1;
  std::uint32_t taken = 1;
  // Resets the connection, so that the stack has it free again.
  void drop() { send(RST, sent, 0); }

 private:
  Link& link_;
};

// The first sequence numbers of 200 connections to `port`, each from another port of ours and given up at once.
std::vector<std::uint32_t> numbers_of_200_connections(Link& link, std::uint16_t port);

}  // namespace avrlan::test
