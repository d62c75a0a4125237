#include "emulator/net/host_socket.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "emulator/board/host_error.hpp"

namespace avrlan::net {
namespace {

// A socket's file outlives a process that was killed.
bool is_left_behind(const SocketAddress& address, const ResolvedAddress& resolved, int type) {
  struct stat file {};
  if (!address.is_unix() || ::lstat(address.path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  const FileDescriptor probe = open_socket(resolved, type);
  return ::connect(probe.get(), resolved.get(), resolved.length) != 0 && errno == ECONNREFUSED;
}

std::string bind_hint(const SocketAddress& address, int error) {
  if (address.is_unix()) {
    return error == EADDRINUSE ? "the file exists: end what listens there, remove it, or name another"
                               : "name a file in a directory that exists and can be written";
  }
  switch (error) {
    case EADDRINUSE:
      return fmt::format("end what uses the port, or let one be picked: {}:0", address.host);
    case EACCES:
      return fmt::format("ports below 1024 need privileges; let one be picked: {}:0", address.host);
    default:
      return "this host has no such address; 127.0.0.1 always works, 0.0.0.0 is all of them";
  }
}

std::uint16_t port_of(int fd, std::uint16_t otherwise) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&name), &length) != 0) return otherwise;
  if (name.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
  if (name.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
  return otherwise;
}

}  // namespace

ResolvedAddress resolve(const SocketAddress& address) {
  ResolvedAddress resolved;
  if (address.is_unix()) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    address.path.copy(name.sun_path, sizeof name.sun_path - 1);
    std::memcpy(&resolved.storage, &name, sizeof name);
    resolved.length = sizeof name;
    return resolved;
  }
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &found);
  if (error != 0) {
    throw HostError(fmt::format("--net socket: no address for '{}': {}", address.host, ::gai_strerror(error)),
                    "give the address itself, for example 127.0.0.1:1234");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  std::memcpy(&resolved.storage, found->ai_addr, found->ai_addrlen);
  resolved.length = found->ai_addrlen;
  return resolved;
}

FileDescriptor open_socket(const ResolvedAddress& address, int type) {
  FileDescriptor socket(::socket(address.storage.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) throw HostError(fmt::format("--net socket: no socket: {}", std::strerror(errno)), "use --net user");
  return socket;
}

BoundSocket::BoundSocket(const SocketAddress& address, int type) : address_(address) {
  const ResolvedAddress resolved = resolve(address);
  FileDescriptor socket = open_socket(resolved, type);
  const int on = 1;
  if (type == SOCK_STREAM) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  int result = ::bind(socket.get(), resolved.get(), resolved.length);
  if (result != 0 && errno == EADDRINUSE && is_left_behind(address, resolved, type)) {
    ::unlink(address.path.c_str());
    result = ::bind(socket.get(), resolved.get(), resolved.length);
  }
  if (result != 0 || (type == SOCK_STREAM && ::listen(socket.get(), 1) != 0)) {
    const int error = errno;
    throw HostError(fmt::format("--net socket: cannot be at {}: {}", address.to_string(), std::strerror(error)),
                    bind_hint(address, error));
  }
  address_.port = port_of(socket.get(), address.port);
  socket_ = std::move(socket);
}

BoundSocket::~BoundSocket() {
  if (socket_ && address_.is_unix()) ::unlink(address_.path.c_str());
}

}  // namespace avrlan::net
