#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "emulator/board/host_error.hpp"
#include "emulator/net/packet.hpp"
#include "emulator/net/socket_backend.hpp"

namespace avrlan::net {
namespace {

constexpr std::size_t length_field = 4;
constexpr int longest_connect_milliseconds = 5000;

std::vector<std::uint8_t> framed(std::span<const std::uint8_t> octets) {
  std::vector<std::uint8_t> result(length_field);
  write32(result, 0, static_cast<std::uint32_t>(octets.size()));
  result.insert(result.end(), octets.begin(), octets.end());
  return result;
}

}  // namespace

StreamBackend::StreamBackend(Scheduler& scheduler, FrameSink& to_board, const SocketOptions& options)
    : PacketBackend(scheduler, to_board), scheduler_(scheduler), options_(options) {
  if (options.kind == SocketOptions::Kind::listen) {
    listener_.emplace(options.local, SOCK_STREAM);
    return;
  }
  remote_ = resolve(options.remote);
  connect();
  if (!options.reconnect) wait_for_peer();
}

StreamBackend::~StreamBackend() {
  scheduler_.cancel(retry_);
}

std::vector<std::string> StreamBackend::announcements() const {
  const char* what = listener_ ? "waiting for a peer at" : has_peer() ? "connected to" : "connecting to";
  return {fmt::format("{} {}", what, address().to_string())};
}

std::string StreamBackend::name() const {
  return fmt::format("the peer at the socket {}", address().to_string());
}

pollfd StreamBackend::awaited() const {
  if (connecting_) return {connection_.get(), POLLOUT, 0};
  if (connection_) return {connection_.get(), static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
  return {listener_ ? listener_->fd() : -1, POLLIN, 0};
}

void StreamBackend::ready(short revents) {
  if (connecting_) return finish_connecting();
  if (!connection_) return accept();
  if ((revents & POLLOUT) != 0) flush();
  if (!connection_ || (revents & ~POLLOUT) == 0) return;
  std::array<std::uint8_t, 65536> octets;
  const ssize_t size = ::recv(connection_.get(), octets.data(), octets.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return peer_is_gone();
  in_.insert(in_.end(), octets.begin(), octets.begin() + size);
  take_frames();
}

void StreamBackend::take_frames() {
  std::size_t taken = 0;
  for (auto rest = std::span(in_); rest.size() >= length_field; rest = std::span(in_).subspan(taken)) {
    const std::size_t size = read32(rest, 0);
    if (size > longest_frame) return peer_is_gone();
    if (rest.size() < length_field + size) break;
    receive(rest.subspan(length_field, size));
    taken += length_field + size;
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(taken));
}

void StreamBackend::accept() {
  connection_ = FileDescriptor(::accept4(listener_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection_) peer_is_there();
}

void StreamBackend::connect() {
  connection_ = open_socket(remote_, SOCK_STREAM);
  connecting_ = true;
  if (::connect(connection_.get(), remote_.get(), remote_.length) == 0) return peer_is_there();
  if (errno != EINPROGRESS) try_again_later();
}

void StreamBackend::finish_connecting() {
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(connection_.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error == 0) return peer_is_there();
  errno = error;
  try_again_later();
}

// At the start, when the peer has to be there.
void StreamBackend::wait_for_peer() {
  if (connecting_) {
    errno = ETIMEDOUT;
    pollfd fd = awaited();
    if (::poll(&fd, 1, longest_connect_milliseconds) == 1) finish_connecting();
  }
  if (has_peer()) return;
  throw HostError(fmt::format("--net socket: nobody at {}: {}", options_.remote.to_string(), std::strerror(errno)),
                  "start the peer that listens first, or add reconnect=1 to wait for it");
}

void StreamBackend::peer_is_there() {
  connecting_ = false;
  const int on = 1;
  ::setsockopt(connection_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // AF_UNIX has none, and needs none
}

void StreamBackend::peer_is_gone() {
  if (!in_.empty()) drops_.count(DropReason::malformed);
  for (std::size_t n = 0; n != out_.size(); ++n) drops_.count(DropReason::link_down);
  in_.clear();
  out_.clear();
  sent_of_first_ = 0;
  connection_.close();
  if (!listener_) try_again_later();
}

void StreamBackend::try_again_later() {
  connecting_ = false;
  const int error = errno;
  connection_.close();
  errno = error;
  if (options_.reconnect) retry_ = scheduler_.after(*options_.reconnect, [this] { connect(); });
}

void StreamBackend::send(std::span<const std::uint8_t> octets) {
  if (!has_peer()) return drops_.count(DropReason::link_down);
  if (out_.size() >= longest_queue) return drops_.count(DropReason::backend_full);
  out_.push_back(framed(octets));
  flush();
}

void StreamBackend::flush() {
  while (!out_.empty()) {
    const auto rest = std::span(out_.front()).subspan(sent_of_first_);
    const ssize_t size = ::send(connection_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size < 0) return peer_is_gone();
    sent_of_first_ += static_cast<std::size_t>(size);
    if (sent_of_first_ == out_.front().size()) {
      out_.pop_front();
      sent_of_first_ = 0;
    }
  }
}

}  // namespace avrlan::net
