#pragma once
// The host side of the gateway's fuzzer: a network of its own with nothing in it but two sets of servers.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/gateway_frames.hpp"

namespace avrlan::fuzz {

// 192.0.2.1 (TEST-NET-1, RFC 5737): an address of the fuzzer's own loopback interface, for what is not the host itself.
inline constexpr std::uint32_t far_host = 0xc0000201;
// Where servers listen, on 127.0.0.1 and on 192.0.2.1; the last three are closed.
inline constexpr std::array<std::uint16_t, 8> host_ports{7, 22, 53, 80, 514, 1, 79, 5353};

// Puts the process into a network namespace with only a loopback interface. False: the system does not allow it.
bool enter_empty_network();

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class Host {
 public:
  explicit Host(Dice& dice);
  // Accepts, answers, closes, connects to the forwards and speaks to them, as the dice fall.
  void act(std::uint16_t tcp_forward, std::uint16_t udp_forward);
  // Connections and datagrams that came to 127.0.0.1, where a firmware without host access never gets.
  std::uint64_t loopback_contacts() const { return loopback_contacts_; }
  void close_all() { connections_.clear(); }

 private:
  struct Server {
    std::unique_ptr<Descriptor> tcp;
    std::unique_ptr<Descriptor> udp;
    bool loopback;
  };
  void serve(Server& server);
  void connect_to(std::uint16_t port, bool udp);

  Dice& dice_;
  std::vector<Server> servers_;
  std::vector<std::unique_ptr<Descriptor>> connections_;
  std::uint64_t loopback_contacts_ = 0;
};

}  // namespace avrlan::fuzz
