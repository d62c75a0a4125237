#include "emulator/net/socket_address.hpp"

#include <fmt/format.h>
#include <sys/un.h>

#include <charconv>

namespace avrlan::net {

std::optional<SocketAddress> SocketAddress::parse(std::string_view text) {
  constexpr std::string_view unix_mark = "unix:";
  SocketAddress address;
  if (text.starts_with(unix_mark)) {
    address.path = text.substr(unix_mark.size());
    if (address.path.empty() || address.path.size() >= sizeof(sockaddr_un::sun_path)) return std::nullopt;
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  if (!in_brackets && host.find(':') != std::string_view::npos) return std::nullopt;
  if (!host.empty()) address.host = host;
  return address;
}

std::string SocketAddress::to_string() const {
  if (is_unix()) return "unix:" + path;
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

}  // namespace avrlan::net
