#pragma once
// A DHCP server (RFC 2131, 2132) with a pool: a client keeps the address that it once had, a new one gets the first free.
// Not modelled: the server's probe of an address before it is offered, relays (giaddr), BOOTP clients.

#include <map>
#include <set>

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"

namespace avrlan::peers {

// Addresses in host byte order.
struct DhcpServerOptions {
  std::uint32_t first = 0;       // of the pool
  std::uint32_t count = 1;       // addresses in it
  std::uint32_t router = 0;      // 0: the option is left out
  std::uint32_t dns = 0;         // 0: the option is left out
  std::uint32_t lease = 86'400;  // s
};

class DhcpServer : public Part {
 public:
  DhcpServer(Host& host, const DhcpServerOptions& options);
  nlohmann::ordered_json figures() const override;

 private:
  struct Message;

  void received(const Datagram& datagram);
  void discover(const Message& message);
  void request(const Message& message);
  void reply(const Message& message, std::uint8_t type, std::uint32_t address);
  // The client's address, or one that it may have; 0: the pool is used up.
  std::uint32_t address_for(const Message& message) const;
  bool in_pool(std::uint32_t address) const;
  bool is_taken(std::uint32_t address, const MacAddress& by_other_than) const;

  Host& host_;
  DhcpServerOptions options_;
  std::map<MacAddress, std::uint32_t> leases_;
  std::set<std::uint32_t> declined_;
  std::uint64_t offers_ = 0, acks_ = 0, naks_ = 0;
};

}  // namespace avrlan::peers
