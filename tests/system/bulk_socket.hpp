#ifndef AVRLAN_TESTS_SYSTEM_BULK_SOCKET_HPP
#define AVRLAN_TESTS_SYSTEM_BULK_SOCKET_HPP
// The other end of a Bulk application: a socket of the host, never waited for.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "tests/unit/stack/bulk.hpp"

namespace avrlan::test {

class BulkSocket {
 public:
  explicit BulkSocket(uint8_t us) : us_(us) {}
  ~BulkSocket() {
    if (listener_ >= 0) ::close(listener_);
    if (socket_ >= 0) ::close(socket_);
  }
  BulkSocket(const BulkSocket&) = delete;
  BulkSocket& operator=(const BulkSocket&) = delete;

  // Returns the port.
  uint16_t listen(const char* address) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in name = at(address, 0);
    socklen_t length = sizeof name;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &length), 0);
    return ntohs(name.sin_port);
  }
  void connect(const char* address, uint16_t port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in name = at(address, port);
    const int result = ::connect(socket_, reinterpret_cast<sockaddr*>(&name), sizeof name);
    EXPECT_TRUE(result == 0 || errno == EINPROGRESS);
  }

  // Moves what can be moved now.
  void pump() {
    if (socket_ < 0) socket_ = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
    if (socket_ < 0) return;
    send();
    receive();
  }
  bool done() const { return sent_all_ && ended_; }
  void expect_everything() const {
    EXPECT_EQ(sent_, bulk_length);
    EXPECT_EQ(received_, bulk_length);
    EXPECT_EQ(wrong_, 0u);
    EXPECT_TRUE(ended_);
  }

 private:
  static sockaddr_in at(const char* address, uint16_t port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    EXPECT_EQ(::inet_pton(AF_INET, address, &name.sin_addr), 1);
    return name;
  }
  void send() {
    std::vector<uint8_t> octets(16'384);
    while (sent_ < bulk_length) {
      const uint32_t n = std::min<uint32_t>(bulk_length - sent_, static_cast<uint32_t>(octets.size()));
      for (uint32_t i = 0; i < n; ++i) octets[i] = bulk_octet(us_, sent_ + i);
      const ssize_t taken = ::send(socket_, octets.data(), n, MSG_NOSIGNAL);
      if (taken <= 0) return;
      sent_ += static_cast<uint32_t>(taken);
    }
    if (!sent_all_) ::shutdown(socket_, SHUT_WR);
    sent_all_ = true;
  }
  void receive() {
    uint8_t octets[16'384];
    for (;;) {
      const ssize_t n = ::recv(socket_, octets, sizeof octets, 0);
      if (n == 0) ended_ = true;
      if (n <= 0) return;
      for (ssize_t i = 0; i < n; ++i) wrong_ += octets[i] != bulk_octet(us_ ^ 1, received_++);
    }
  }

  uint8_t us_;
  int listener_ = -1;
  int socket_ = -1;
  uint32_t sent_ = 0;
  uint32_t received_ = 0;
  uint32_t wrong_ = 0;
  bool sent_all_ = false;  // and the end of it
  bool ended_ = false;
};

}  // namespace avrlan::test

#endif
