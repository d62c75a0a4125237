#pragma once
// The TCP side of the debugger: one gdb at a time, on the loopback interface unless told otherwise.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/debug/packet.hpp"

namespace avrlan::debug {

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 1234;  // 0: the system picks one
  // "PORT", "ADDRESS:PORT", ":PORT" or "" (the default). Throws UsageError.
  static ServerOptions parse(std::string_view text);
};

class Server {
 public:
  // Listens. `wake_fd` (-1: none), readable, ends a wait, too. Throws HostError: the port cannot be bound.
  Server(const ServerOptions& options, int wake_fd);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Readable when poll() has something to do.
  int fd() const { return epoll_; }
  // "127.0.0.1:1234", as bound.
  const std::string& endpoint() const { return endpoint_; }

  // Waits at most `milliseconds` of wall time (-1: without limit), takes what has come from gdb into channel(), and writes
  // what that has to say. A second gdb is told that there is one already.
  void poll(int milliseconds);
  bool connected() const { return client_ >= 0; }
  // Whether another gdb than at the last call is connected.
  bool take_new_client();
  PacketChannel& channel() { return channel_; }
  // Writes what channel() has to say; a gdb that takes nothing for seconds is hung up on.
  void flush();
  void disconnect();

 private:
  void watch(int fd);
  void accept();
  void read_client();
  void refuse(int socket);
  void drain_refused();

  int epoll_ = -1;
  int listener_ = -1;
  int client_ = -1;
  const int wake_fd_;
  bool new_client_ = false;
  std::string endpoint_;
  PacketChannel channel_;
  std::vector<int> refused_;  // until they hang up
};

}  // namespace avrlan::debug
