#pragma once
// Stands in front of libslirp 4.7.0: what the firmware sends goes in only when it is sound and allowed.
//
// Why each rule: IP fragments end in a SIGBUS in Debian's binary, so they are refused. A wrong urgent pointer makes it
// deliver megabytes of junk: URG and the pointer are cleared. A SYN that comes again empties its buffer: its options are cleared. Destinations in 127/8 and 0/8 reach the host's own
// loopback past disable_host_loopback. 10.0.2.2 and 255.255.255.255 are the host's loopback by design: allowed on
// request only, save slirp's own services and answers to what the host began. TCP data that end at sequence number 0 can
// crash it (Flows::is_safe_for_slirp), and more than Flows::limit conversations would use up the host's descriptors:
// both count as backend_full. Wrong lengths and checksums, which slirp would drop in silence, count as malformed.

#include <optional>
#include <vector>

#include "emulator/net/flows.hpp"
#include "emulator/net/packet.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::net {

struct GuardVerdict {
  std::optional<DropReason> dropped;
  // Not dropped: the octets that slirp may have. Destination address to the end of the packet, without padding.
  std::vector<std::uint8_t> pass;
  // Dropped, and the firmware is told at once: RST to a SYN, ICMP port unreachable to a datagram. Else empty.
  std::vector<std::uint8_t> answer;
};

class Guard {
 public:
  explicit Guard(bool host_access) : host_access_(host_access) {}

  // `flows` knows which datagrams answer the host's; a packet that passes is entered there.
  GuardVerdict examine(const EthernetFrame& frame, Flows& flows, Instant now) const;

 private:
  std::optional<DropReason> refusal(const Packet& packet, Flows& flows, Instant now) const;

  bool host_access_;
};

}  // namespace avrlan::net
