#pragma once
// A host on the emulated network, in virtual time and without sockets. Its TCP/IP is the full profile of stack/, compiled
// for this machine: it answers ARP and ping by itself, and takes its address by DHCP when it has none. Equal inputs give
// equal frames.
//
// Phase: a frame that is delivered is dealt with by an event at the same instant; the stack's timers are looked at every
// 16 ms of virtual time (its tick) while a connection is open, else every second. The host takes no time to answer; put a
// net::Link with a delay in front of it for that.
// Not modelled: window scale, SACK, timestamps, path MTU discovery, IPv6, fragments on output, several addresses.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/peers/tcp_session.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::peers {

// Addresses are in host byte order.
struct HostOptions {
  std::string name;
  MacAddress mac{};
  std::uint32_t address = 0;  // 0: by DHCP
  std::uint32_t mask = 0xffffff00;
  std::uint32_t gateway = 0;  // 0: none
  // Acknowledgements wait for data to go with, at most 200 ms and for at most one segment (RFC 1122 4.2.3.2).
  bool delayed_acks = true;
  // Octets in a segment at most, both ways: it is announced, and the other end's is not believed beyond it. 64 to 1460.
  std::uint16_t mss = 1460;
  std::uint16_t window = 29'200;  // octets that we offer a sender, 1 to 32767
  std::uint64_t seed = 1;         // of sequence numbers, ports and transaction ids
};

struct Datagram {
  std::uint32_t source;  // 0: a host that has no address yet
  std::uint16_t source_port;
  bool broadcast;
  std::span<const std::uint8_t> data;
};

class Host : public FrameSink {
 public:
  // `out` and `scheduler` must outlive it; it sends from inside events of `scheduler` only.
  Host(Scheduler& scheduler, FrameSink& out, const HostOptions& options);
  ~Host() override;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Queues the frame; the stack sees it in an event at the same instant.
  void deliver(const EthernetFrame& frame) override;

  const HostOptions& options() const { return options_; }
  Scheduler& scheduler() const { return scheduler_; }
  // 0: none yet.
  std::uint32_t address() const;
  const DropCounters& drops() const { return drops_; }

  // From now on connections to `port` are accepted, each with a session of its own.
  using Accept = std::function<std::unique_ptr<TcpSession>()>;
  void listen(std::uint16_t port, Accept accept);
  // Opens a connection, in an event at the same instant.
  void connect(std::uint32_t address, std::uint16_t port, std::unique_ptr<TcpSession> session);

  // From now on datagrams to `port` go to `received`.
  void receive_datagrams(std::uint16_t port, std::function<void(const Datagram&)> received);
  // At most 1472 octets. Waits up to a second for the other end's MAC address, and is forgotten after that.
  void send_datagram(std::uint32_t address, std::uint16_t port, std::uint16_t own_port, std::vector<std::uint8_t> data);

  // Asks for the MAC address of a host on our link by ARP, every 100 ms until it is told, and tells it; nullopt when
  // nobody has answered by `until`.
  using Found = std::function<void(std::optional<MacAddress>)>;
  void find(std::uint32_t address, Instant until, Found found);

  // Shows every frame with a right FCS before the stack has it.
  void on_frame(std::function<void(const EthernetFrame&)> seen);
  // Sends a frame as it is, padded to 60 octets.
  void send_frame(std::span<const std::uint8_t> octets);

 private:
  class Sockets;
  struct Search {
    std::uint32_t address;
    Instant until;
    Found found;
  };

  void ask();
  void look_for_answers(const EthernetFrame& frame);
  std::vector<Search> take_searches(const std::function<bool(const Search&)>& which);

  Scheduler& scheduler_;
  FrameSink& out_;
  HostOptions options_;
  DropCounters drops_;
  std::vector<std::function<void(const EthernetFrame&)>> watchers_;
  std::vector<Search> searches_;
  Scheduler::EventId asking_;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace avrlan::peers
