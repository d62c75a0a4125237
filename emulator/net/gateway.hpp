#pragma once
// libslirp as the other end of the cable: DHCP, DNS, NAT to the host's network, host forwards. No root needed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

// QEMU's syntax: (tcp|udp):[hostaddr]:hostport-[guestaddr]:guestport. Empty host address: 127.0.0.1; empty guest
// address: the first DHCP lease, 10.0.2.15; host port 0: any free one.
struct HostForward {
  bool udp = false;
  std::uint32_t host_address = 0x7f000001;  // host byte order
  std::uint16_t host_port = 0;
  std::uint32_t guest_address = 0x0a00020f;
  std::uint16_t guest_port = 0;
  // Throws HostError that shows the right form.
  static HostForward parse(std::string_view text);
};

struct GatewayOptions {
  std::vector<HostForward> forwards;
  // The firmware may reach the host's own loopback as 10.0.2.2. Off: refused with DropReason::host_access_refused.
  bool host_access = false;
};

// Frames from the board come in by deliver(); what slirp sends is queued and handed to `to_board` by the scheduler.
class Gateway : public FrameSink {
 public:
  // Throws HostError: a host port that cannot be bound.
  Gateway(Scheduler& scheduler, FrameSink& to_board, const GatewayOptions& options);
  ~Gateway() override;

  void deliver(const EthernetFrame& frame) override;

  // The forwards as bound, with the real host ports.
  const std::vector<HostForward>& forwards() const;

  // Lets slirp look at its host sockets. Waits at most `milliseconds` of wall time for something to happen (0: not at
  // all) and returns true when a socket was ready. `wake_fd` (-1: none) also ends the wait.
  bool poll_host(int milliseconds, int wake_fd = -1);

  // A connection to the host's network is open, or a reply from it is outstanding.
  bool host_active() const;

  const DropCounters& drops() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace avrlan::net
