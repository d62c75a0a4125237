#pragma once
// Where a socket is: a TCP or UDP port, or a file (AF_UNIX).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace avrlan::net {

struct SocketAddress {
  std::string path;  // empty: host and port
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;

  // [HOST]:PORT, [IPV6]:PORT with its brackets, or unix:PATH; nullopt for anything else.
  static std::optional<SocketAddress> parse(std::string_view text);
  std::string to_string() const;
  bool is_unix() const { return !path.empty(); }
};

}  // namespace avrlan::net
