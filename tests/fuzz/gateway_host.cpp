#include "tests/fuzz/gateway_host.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace avrlan::fuzz {
namespace {

constexpr std::size_t open_ports = 5;
constexpr std::size_t most_connections = 24;

sockaddr_in address(std::uint32_t host, std::uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(host);
  return name;
}

bool set_loopback(const char* name, unsigned long request, std::uint32_t host) {
  const Descriptor control(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq ask{};
  std::strncpy(ask.ifr_name, name, IFNAMSIZ - 1);
  if (request == SIOCSIFFLAGS) {
    ask.ifr_flags = IFF_UP | IFF_RUNNING;
  } else {
    const sockaddr_in wanted = address(host, 0);
    std::memcpy(&ask.ifr_addr, &wanted, sizeof wanted);
  }
  return ::ioctl(control.get(), request, &ask) == 0;
}

std::unique_ptr<Descriptor> bound(int type, std::uint32_t host, std::uint16_t port) {
  auto socket = std::make_unique<Descriptor>(::socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_in name = address(host, port);
  if (::bind(socket->get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) return nullptr;
  if (type == SOCK_STREAM && ::listen(socket->get(), 64) != 0) return nullptr;
  return socket;
}

}  // namespace

bool enter_empty_network() {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWNET) != 0) return false;
  return set_loopback("lo", SIOCSIFFLAGS, 0) && set_loopback("lo:0", SIOCSIFADDR, far_host);
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Host::Host(Dice& dice) : dice_(dice) {
  for (const std::uint32_t host : {0x7f000001U, far_host}) {
    for (std::size_t i = 0; i < open_ports; ++i) {
      servers_.push_back(
          {bound(SOCK_STREAM, host, host_ports[i]), bound(SOCK_DGRAM, host, host_ports[i]), host == 0x7f000001U});
    }
  }
}

void Host::serve(Server& server) {
  if (server.tcp) {
    const int fd = ::accept4(server.tcp->get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      connections_.push_back(std::make_unique<Descriptor>(fd));
      if (server.loopback) ++loopback_contacts_;
    }
  }
  if (server.udp) {
    sockaddr_in from{};
    socklen_t length = sizeof from;
    std::uint8_t buffer[2048];
    const ssize_t size =
        ::recvfrom(server.udp->get(), buffer, sizeof buffer, 0, reinterpret_cast<sockaddr*>(&from), &length);
    if (size >= 0) {
      if (server.loopback) ++loopback_contacts_;
      ::sendto(server.udp->get(), buffer, static_cast<std::size_t>(size), 0, reinterpret_cast<sockaddr*>(&from),
               length);
    }
  }
}

void Host::connect_to(std::uint16_t port, bool udp) {
  const int type = (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC;
  auto socket = std::make_unique<Descriptor>(::socket(AF_INET, type, 0));
  const sockaddr_in name = address(0x7f000001, port);
  (void)::connect(socket->get(), reinterpret_cast<const sockaddr*>(&name), sizeof name);
  connections_.push_back(std::move(socket));
}

void Host::act(std::uint16_t tcp_forward, std::uint16_t udp_forward) {
  for (Server& server : servers_) serve(server);
  if (dice_.one_in(2)) connect_to(dice_.one_in(2) ? tcp_forward : udp_forward, dice_.one_in(2));
  for (const auto& connection : connections_) {
    std::uint8_t buffer[4096];
    if (dice_.one_in(2)) (void)::recv(connection->get(), buffer, sizeof buffer, 0);
    const auto data = dice_.octets(dice_.below(dice_.one_in(8) ? 3000 : 64));
    // Out-of-band data ends up in slirp's own urgent path.
    const int flags = MSG_NOSIGNAL | (dice_.one_in(8) ? MSG_OOB : 0);
    if (dice_.one_in(2)) (void)::send(connection->get(), data.data(), data.size(), flags);
    if (dice_.one_in(30)) (void)::shutdown(connection->get(), SHUT_WR);
  }
  while (connections_.size() > most_connections || (!connections_.empty() && dice_.one_in(3))) {
    connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(dice_.below(connections_.size())));
  }
}

}  // namespace avrlan::fuzz
