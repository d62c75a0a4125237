#pragma once
// libslirp as the other end of the cable: DHCP, DNS, NAT to the host's network, host forwards. No root needed.
//
// libslirp's clock is the scheduler's; its timers run on virtual time alone, and host sockets are looked at in
// poll_host() only. libslirp keeps its time in one variable a process, in milliseconds of 32 bits: one gateway at a time
// in a process, and no more than 49 days of virtual time.
// Not supported: IPv6, IP fragments from the firmware, multicast, TFTP files, SMB. ICMP echo to the host's network needs
// a host that lets its users ping (net.ipv4.ping_group_range).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/net/backend.hpp"
#include "emulator/net/user_network.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

// QEMU's syntax: [tcp|udp]:[hostaddr]:hostport-[guestaddr]:guestport. Empty protocol: tcp; empty host address:
// 127.0.0.1; empty guest address: the first DHCP lease, 10.0.2.15; host port 0: any free one.
struct HostForward {
  bool udp = false;
  std::uint32_t host_address = 0x7f000001;  // host byte order
  std::uint16_t host_port = 0;
  std::uint32_t guest_address = user_network::first_lease;
  std::uint16_t guest_port = 0;
  // Throws HostError that shows the right form.
  static HostForward parse(std::string_view text);
  // "tcp 127.0.0.1:8080 -> 10.0.2.15:80"
  std::string to_string() const;
};

struct GatewayOptions {
  std::vector<HostForward> forwards;
  // The firmware may reach the host's own loopback as 10.0.2.2. Off: refused with DropReason::host_access_refused; a
  // SYN is answered with RST and a datagram with ICMP port unreachable, so that the firmware knows at once.
  bool host_access = false;
  // Nothing that the firmware begins leaves the gateway; DHCP and the forwards remain.
  bool restricted = false;
};

class Gateway : public HostBackend {
 public:
  // Throws HostError: a host port that cannot be bound. Ignores SIGPIPE from now on in the whole process.
  Gateway(Scheduler& scheduler, FrameSink& to_board, const GatewayOptions& options);
  ~Gateway() override;

  void deliver(const EthernetFrame& frame) override;

  // The forwards as bound, with the real host ports.
  const std::vector<HostForward>& forwards() const;

  bool poll_host(int milliseconds, int wake_fd = -1) override;
  HostState host_state() const override;
  void give_up_waiting() override;
  std::string name() const override { return "sockets of the host"; }
  std::vector<std::string> announcements() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace avrlan::net
