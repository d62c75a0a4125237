#include "emulator/debug/server.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "emulator/board/host_error.hpp"

namespace avrlan::debug {

namespace {

constexpr int patience_milliseconds = 5000;
constexpr std::size_t most_refused = 16;

bool write_all(int socket, std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t written = ::send(socket, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (written > 0) {
      octets.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd writable{socket, POLLOUT, 0};
      if (::poll(&writable, 1, patience_milliseconds) <= 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

ServerOptions ServerOptions::parse(std::string_view text) {
  ServerOptions options;
  if (text.empty()) return options;
  const std::size_t colon = text.rfind(':');
  const std::string_view port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (colon != std::string_view::npos && colon != 0) options.address = text.substr(0, colon);
  if (options.address == "localhost") options.address = "127.0.0.1";
  const auto [end, failure] = std::from_chars(port.data(), port.data() + port.size(), options.port);
  in_addr address{};
  if (port.empty() || failure != std::errc{} || end != port.data() + port.size() ||
      ::inet_pton(AF_INET, options.address.c_str(), &address) != 1) {
    throw UsageError(
        fmt::format("--gdb: '{}' is no port", text),
        "write --gdb=1234, --gdb=0 for a free one, or --gdb=ADDRESS:PORT with an IPv4 address of this host");
  }
  return options;
}

Server::Server(const ServerOptions& options, int wake_fd) : wake_fd_(wake_fd) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  ::inet_pton(AF_INET, options.address.c_str(), &address.sin_addr);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || epoll_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 8) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    const std::string why = std::strerror(errno);
    ::close(listener_);
    ::close(epoll_);
    throw HostError(fmt::format("cannot listen for gdb at {}:{}: {}", options.address, options.port, why),
                    "pick another port, --gdb=0 for a free one, or an address of this host");
  }
  endpoint_ = fmt::format("{}:{}", options.address, ntohs(address.sin_port));
  watch(listener_);
  if (wake_fd_ >= 0) watch(wake_fd_);
}

Server::~Server() {
  disconnect();
  for (const int socket : refused_) ::close(socket);
  ::close(listener_);
  ::close(epoll_);
}

void Server::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = fd;
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void Server::poll(int milliseconds) {
  std::array<epoll_event, 8> events;
  const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), milliseconds);
  for (int n = 0; n < count; ++n) {
    const int fd = events[static_cast<std::size_t>(n)].data.fd;
    if (fd == listener_) {
      accept();
    } else if (fd == client_) {
      read_client();
    } else if (fd != wake_fd_) {
      drain_refused();
    }
  }
  flush();
}

void Server::accept() {
  const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) return;
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (client_ >= 0) return refuse(socket);
  client_ = socket;
  channel_ = PacketChannel();
  new_client_ = true;
  watch(client_);
}

// An error in words is what gdb shows of a failed qSupported. It hangs up itself; closing here could overtake the text.
void Server::refuse(int socket) {
  PacketChannel answer;
  answer.send("E.another gdb is connected to this avrlan; detach it first");
  write_all(socket, "+" + answer.take_output());
  ::shutdown(socket, SHUT_WR);
  if (refused_.size() >= most_refused) {
    ::close(refused_.front());
    refused_.erase(refused_.begin());
  }
  refused_.push_back(socket);
  watch(socket);
}

void Server::drain_refused() {
  std::erase_if(refused_, [](int socket) {
    std::array<char, 4096> ignored;
    const ssize_t n = ::recv(socket, ignored.data(), ignored.size(), 0);
    if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))) return false;
    ::close(socket);
    return true;
  });
}

void Server::read_client() {
  std::array<char, 16384> octets;
  const ssize_t n = ::recv(client_, octets.data(), octets.size(), 0);
  if (n > 0) {
    channel_.receive({octets.data(), static_cast<std::size_t>(n)});
  } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
    disconnect();
  }
}

bool Server::take_new_client() {
  return std::exchange(new_client_, false);
}

void Server::flush() {
  const std::string output = channel_.take_output();
  if (client_ >= 0 && !output.empty() && !write_all(client_, output)) disconnect();
}

void Server::disconnect() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

}  // namespace avrlan::debug
