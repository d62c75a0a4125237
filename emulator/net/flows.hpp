#pragma once
// Who talks to whom through the gateway, and who waits for whom: what pace `max` must know, and what the guard needs to
// tell a reply to a host's datagram from a datagram that the firmware thought of itself.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "emulator/net/backend.hpp"
#include "emulator/net/packet.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::net {

// One conversation. The host is what the firmware sees: 10.0.2.2 for the host's own loopback.
struct FlowKey {
  std::uint8_t protocol;
  std::uint32_t board;
  std::uint16_t board_port;  // ICMP: the echo's identifier
  std::uint32_t host;
  std::uint16_t host_port;  // ICMP: 0
  friend auto operator<=>(const FlowKey&, const FlowKey&) = default;
};

class Flows {
 public:
  // Conversations that are remembered; one more is refused by has_room_for().
  static constexpr std::size_t limit = 512;

  // A packet that slirp is given, and one that it sends. Broken or foreign ones change nothing.
  void from_board(const Packet& packet, Instant now);
  void to_board(const Packet& packet, Instant now);

  // False: `packet` would begin a conversation, and there are too many.
  bool has_room_for(const Packet& packet, Instant now);
  // False: slirp must not see this segment, see flows.cpp.
  bool is_safe_for_slirp(const Packet& packet) const;
  // A SYN of a connection whose SYN from the board came before: slirp must not see its options, see flows.cpp.
  bool repeats_syn(const Packet& packet) const;
  // The host spoke first, by a forwarded datagram, and `packet` goes back to that very port.
  bool answers_host(const Packet& packet) const;

  HostState state(Instant now);
  // The wall-clock bound of a hold was hit: what is outstanding now is no longer waited for. A flow is waited for again
  // when the host has said something in it.
  void give_up_waiting();

  std::size_t size() const { return flows_.size(); }

 private:
  struct Flow {
    explicit Flow(bool host_began) : from_host(host_began) {}
    bool from_host;  // the host began it
    bool established = false;
    bool awaited = false;   // the firmware has spoken last
    bool given_up = false;  // awaited, but the bound was hit
    bool board_closed = false;
    bool host_closed = false;
    std::uint32_t board_next = 0;  // TCP: what the firmware sends next; older is a retransmission
    bool edge_known = false;
    std::uint32_t host_edge = 0;  // TCP: the end of slirp's receive window, as far as it ever was
    Instant last;
  };

  void tcp_from_board(const FlowKey& key, const Packet& packet, Instant now);
  void tcp_to_board(const FlowKey& key, const Packet& packet, Instant now);
  void error_to_board(const Packet& packet);
  void expire(Instant now);

  std::map<FlowKey, Flow> flows_;
};

}  // namespace avrlan::net
