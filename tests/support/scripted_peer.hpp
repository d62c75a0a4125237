#pragma once
// The other end of a board's cable, in virtual time and without sockets: gives the board its address by DHCP, answers
// ARP and ping, tells it own_address for every name (DNS) and that it is 2026-11-30 17:20:05 UTC (NTP), and works off a
// script of requests to the firmware. The same board and script give the same frames.
// Not modelled: out-of-order reassembly (such segments are dropped and acknowledged again), delayed ACKs, congestion.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "emulator/net/backend.hpp"
#include "emulator/net/packet.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::test {

class ScriptedPeer : public net::Backend {
 public:
  static constexpr std::uint32_t own_address = 0x0a000202;    // 10.0.2.2
  static constexpr std::uint32_t board_address = 0x0a00020f;  // 10.0.2.15
  static constexpr std::uint16_t mss = 1460;
  static constexpr std::uint16_t window = 8760;

  // One request and what came back. Times are those of the first frame sent and the last one received.
  struct Exchange {
    std::string name;  // "get /bytes?n=5", "tcp 7", "udp 7", "ping"
    std::string reply;
    bool complete = false;  // TCP: closed by both ends; udp, ping: answered
    Instant started;
    Instant ended;
  };
  struct Seen {
    Instant at;
    bool from_board;
    EthernetFrame frame;
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  ScriptedPeer(Scheduler& scheduler, FrameSink& to_board) : scheduler_(scheduler), to_board_(to_board) {}
  ~ScriptedPeer() override;

  // The script: done in this order, one after the other, as soon as the board has its address.
  void get(const std::string& path, std::uint16_t port = 80);  // HTTP/1.0
  // Sends `request`; closes when `reply_octets` have come back (0: when the board closes).
  void tcp(std::uint16_t port, const std::string& request, std::size_t reply_octets);
  // The same, but the request goes out as fast as the board's window lets it, not one segment a round trip.
  void stream(std::uint16_t port, const std::string& request, std::size_t reply_octets);
  void udp(std::uint16_t port, const std::string& request);
  void ping(const std::string& payload);

  // The whole script is done (nothing of it is complete if the board never took an address).
  bool done() const { return !current_ && script_.empty(); }
  const std::vector<Exchange>& exchanges() const { return exchanges_; }
  // Every frame both ways since the start.
  const std::vector<Seen>& frames() const { return frames_; }
  bool board_has_address() const { return board_ready_; }
  // Octets of the TCP request at hand that the board has acknowledged.
  std::size_t acknowledged() const {
    return connection_.established ? connection_.send_unacknowledged - connection_.send_start : 0;
  }

  void deliver(const EthernetFrame& frame) override;

 private:
  struct Step {
    std::string name;
    std::uint8_t protocol;
    std::uint16_t port;
    std::string request;
    std::size_t reply_octets;
    bool windowed = false;
  };
  // RFC 9293, one connection as a client.
  struct Connection {
    std::uint16_t port = 0;
    std::uint16_t own_port = 0;
    std::uint32_t send_unacknowledged = 0;
    std::uint32_t send_start = 0;  // sequence number of the request's first octet
    std::uint32_t send_next = 0;   // of a windowed request
    std::uint32_t receive_next = 0;
    std::size_t board_mss = 536;
    std::size_t board_window = 0;
    bool established = false;
    bool close_wanted = false;
    bool board_closed = false;
  };

  void arp(std::span<const std::uint8_t> octets);
  void dhcp(const net::Packet& packet, const MacAddress& from);
  void tcp_segment(const net::Packet& packet);
  void dns(const net::Packet& packet, const MacAddress& from);
  void ntp(const net::Packet& packet);
  void accept_data(const net::Packet& packet);
  void answered(const net::Packet& packet, std::string reply);

  void board_is_ready(const MacAddress& mac);
  void next_step();
  void transmit();  // what the current step has to say now; repeated by the timer
  void fill_window();
  void finish(bool complete);
  void send_tcp(std::uint8_t flags, std::uint32_t sequence, std::string_view data);
  void reset(const net::Packet& stray);
  void send_segment(std::span<std::uint8_t> segment);
  void send_ip(std::uint32_t destination, const MacAddress& mac, std::uint8_t protocol,
               std::span<const std::uint8_t> payload);
  void send(std::span<const std::uint8_t> octets);
  bool request_acknowledged() const;
  std::uint32_t fin_sequence() const;

  Scheduler& scheduler_;
  FrameSink& to_board_;
  MacAddress board_mac_{};
  bool board_ready_ = false;
  std::deque<Step> script_;
  std::optional<Step> current_;
  Connection connection_;
  std::uint16_t last_port_ = 49151;
  int attempts_ = 0;
  Scheduler::EventId timer_;
  std::vector<Exchange> exchanges_;
  std::vector<Seen> frames_;
};

}  // namespace avrlan::test
