#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "emulator/board/firmware.hpp"
#include "emulator/net/address_text.hpp"
#include "emulator/net/gateway.hpp"

namespace avrlan::net {
namespace {

[[noreturn]] void fail(std::string_view text, const std::string& why) {
  throw UsageError(
      fmt::format("--hostfwd {}: {}", text, why),
      "the form is [tcp|udp]:[hostaddr]:hostport-[guestaddr]:guestport, for example tcp:127.0.0.1:8080-:80; "
      "host port 0 picks a free one");
}

std::uint32_t parse_address(std::string_view text, std::string_view address, std::uint32_t when_empty) {
  if (address.empty()) return when_empty;
  in_addr parsed{};
  if (inet_pton(AF_INET, std::string(address).c_str(), &parsed) != 1) {
    fail(text, fmt::format("'{}' is not an IPv4 address", address));
  }
  return ntohl(parsed.s_addr);
}

std::uint16_t parse_port(std::string_view text, std::string_view port, std::string_view whose, std::uint16_t lowest) {
  std::uint16_t value = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc() || end != port.data() + port.size() || value < lowest) {
    fail(text, fmt::format("'{}' is not a {} port ({} to 65535)", port, whose, lowest));
  }
  return value;
}

}  // namespace

HostForward HostForward::parse(std::string_view text) {
  const std::size_t protocol_end = text.find(':');
  const std::size_t dash = text.find('-');
  if (protocol_end == std::string_view::npos) fail(text, "there is no ':' after the protocol");
  if (dash == std::string_view::npos || dash < protocol_end) fail(text, "there is no '-' between host and guest");
  const std::string_view protocol = text.substr(0, protocol_end);
  const std::string_view host = text.substr(protocol_end + 1, dash - protocol_end - 1);
  const std::string_view guest = text.substr(dash + 1);
  const std::size_t host_colon = host.rfind(':');
  const std::size_t guest_colon = guest.rfind(':');
  if (protocol != "tcp" && protocol != "udp" && !protocol.empty()) {
    fail(text, fmt::format("'{}' is neither tcp nor udp", protocol));
  }
  if (host_colon == std::string_view::npos) fail(text, "the host part is not [hostaddr]:hostport");
  if (guest_colon == std::string_view::npos) fail(text, "the guest part is not [guestaddr]:guestport");

  HostForward forward;
  forward.udp = protocol == "udp";
  forward.host_address = parse_address(text, host.substr(0, host_colon), forward.host_address);
  forward.host_port = parse_port(text, host.substr(host_colon + 1), "host", 0);
  forward.guest_address = parse_address(text, guest.substr(0, guest_colon), forward.guest_address);
  forward.guest_port = parse_port(text, guest.substr(guest_colon + 1), "guest", 1);
  return forward;
}

std::string HostForward::to_string() const {
  return fmt::format("{} {}:{} -> {}:{}", udp ? "udp" : "tcp", address_text(host_address), host_port,
                     address_text(guest_address), guest_port);
}

}  // namespace avrlan::net
