#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "emulator/board/host_error.hpp"
#include "emulator/net/socket_backend.hpp"

namespace avrlan::net {

DatagramBackend::DatagramBackend(Scheduler& scheduler, FrameSink& to_board, const SocketOptions& options)
    : PacketBackend(scheduler, to_board),
      remote_(options.remote),
      peer_(resolve(options.remote)),
      socket_(options.local, SOCK_DGRAM) {
  // An AF_UNIX peer would have to be there already.
  if (!remote_.is_unix() && ::connect(socket_.fd(), peer_.get(), peer_.length) != 0) {
    throw HostError(fmt::format("--net socket: {} cannot be reached from {}: {}", remote_.to_string(),
                                local().to_string(), std::strerror(errno)),
                    "give both ends addresses of one network, for example 127.0.0.1:5001 and 127.0.0.1:5002");
  }
}

std::vector<std::string> DatagramBackend::announcements() const {
  return {fmt::format("datagrams from {} to {}", local().to_string(), remote_.to_string())};
}

std::string DatagramBackend::name() const {
  return fmt::format("the peer at the socket {}", remote_.to_string());
}

void DatagramBackend::send(std::span<const std::uint8_t> octets) {
  const auto* peer = remote_.is_unix() ? peer_.get() : nullptr;
  const socklen_t length = remote_.is_unix() ? peer_.length : 0;
  const auto sent = [&] {
    return ::sendto(socket_.fd(), octets.data(), octets.size(), MSG_NOSIGNAL, peer, length) >= 0;
  };
  if (sent()) return;
  // UDP has heard that an earlier one found nobody, and has not tried this one.
  if (errno == ECONNREFUSED && !remote_.is_unix()) {
    drops_.count(DropReason::link_down);
    if (sent()) return;
  }
  const bool nobody = errno == ECONNREFUSED || errno == ENOENT;
  drops_.count(nobody ? DropReason::link_down : DropReason::backend_full);
}

void DatagramBackend::ready(short) {
  // One octet more than a frame can have shows one that is too long.
  std::array<std::uint8_t, max_frame_octets + 1> octets;
  for (int n = 0; n != most_at_once; ++n) {
    const ssize_t size = ::recv(socket_.fd(), octets.data(), octets.size(), 0);
    if (size >= 0) {
      receive(std::span(octets).first(static_cast<std::size_t>(size)));
    } else if (errno == ECONNREFUSED) {
      drops_.count(DropReason::link_down);
    } else {
      return;
    }
  }
}

}  // namespace avrlan::net
