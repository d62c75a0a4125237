#pragma once
// Numbers that a firmware makes up, and its peers repeat: TCP's initial sequence numbers, the ports that connections, DNS and
// NTP start from, DNS and DHCP ids, NTP's transmit timestamps. With other timing they are others, although the firmware
// does the same. Learns them from each pair of a recorded frame and the one that was sent now in its place, and puts them into
// recorded frames.
// Not renumbered: TCP timestamps, packets that ICMP errors quote, fragments.

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "nic-model/core/frame.hpp"

namespace avrlan::net {

class Renumbering {
 public:
  // The recorded frame from the board with the numbers that it has to have now. Learns from `actual` what is new in it: a
  // sequence number with a SYN, the rest at any time; the identification of IPv4 is always that of `actual`.
  EthernetFrame expected(const EthernetFrame& recorded, const EthernetFrame& actual);
  // Puts the numbers into a recorded frame to the board. Checksums that were right stay right.
  void to_board(EthernetFrame& frame) const;

 private:
  struct Connection {
    std::uint32_t offset = 0;  // now - recorded
    std::uint16_t port = 0;    // the board's, now
  };
  using Key = std::tuple<std::uint32_t, std::uint16_t, std::uint16_t>;  // peer, its port, the board's: as recorded

  std::map<Key, Connection> tcp_;
  std::map<std::uint16_t, std::uint16_t> udp_ports_;
  std::map<std::uint16_t, std::uint16_t> dns_ids_;
  std::map<std::uint32_t, std::uint32_t> dhcp_ids_;
  std::map<std::uint64_t, std::uint64_t> ntp_stamps_;
};

}  // namespace avrlan::net
