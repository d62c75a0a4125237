#pragma once
// Sockets of the host, non-blocking, and what to do when there is none to be had.

#include <sys/socket.h>

#include <string>

#include "emulator/net/file_descriptor.hpp"
#include "emulator/net/socket_address.hpp"

namespace avrlan::net {

// As the kernel has it.
struct ResolvedAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// Looks the host's name up. Throws HostError.
ResolvedAddress resolve(const SocketAddress& address);

// `type` is SOCK_STREAM or SOCK_DGRAM. Throws HostError.
FileDescriptor open_socket(const ResolvedAddress& address, int type);

// One that others can reach at `address`, until this object goes.
class BoundSocket {
 public:
  BoundSocket() = default;
  // Takes over the file of an AF_UNIX socket whose owner is gone. Throws HostError.
  BoundSocket(const SocketAddress& address, int type);
  ~BoundSocket();
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;

  int fd() const { return socket_.get(); }
  // With the port that the kernel has picked for port 0.
  const SocketAddress& address() const { return address_; }

 private:
  SocketAddress address_;
  FileDescriptor socket_;
};

}  // namespace avrlan::net
