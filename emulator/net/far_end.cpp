#include "emulator/net/far_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "emulator/board/host_error.hpp"

namespace avrlan::net {
namespace {

constexpr std::string_view address_form = "HOST:PORT or unix:PATH, for example 127.0.0.1:5001 or unix:/tmp/cable";
constexpr std::string_view socket_form =
    "write socket,listen=ADDRESS or socket,connect=ADDRESS (a stream), or socket,local=ADDRESS,remote=ADDRESS "
    "(datagrams)";

// The words between commas, behind the kind.
class Settings {
 public:
  Settings(std::string_view text, std::string_view words) : text_(text) {
    while (!words.empty()) {
      words.remove_prefix(1);
      const std::string_view word = words.substr(0, words.find(','));
      words.remove_prefix(word.size());
      const std::size_t equals = word.find('=');
      if (equals == std::string_view::npos) fail(fmt::format("'{}' is not of the form key=value", word), example);
      const std::string_view key = word.substr(0, equals);
      if (!values_.emplace(key, word.substr(equals + 1)).second)
        fail(fmt::format("{} is given twice", key), fmt::format("keep one {}=", key));
    }
  }

  [[noreturn]] void fail(const std::string& why, std::string_view hint) const {
    throw UsageError(fmt::format("--net {}: {}", text_, why), std::string(hint));
  }
  // Takes the value out.
  std::optional<std::string_view> take(std::string_view key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    const std::string_view value = found->second;
    values_.erase(found);
    return value;
  }
  bool has(std::string_view key) const { return values_.contains(key); }
  // Nothing may be left.
  void end(std::string_view keys) const {
    if (values_.empty()) return;
    fail(fmt::format("there is no key '{}'", values_.begin()->first),
         keys.empty() ? "write it without any" : fmt::format("keys: {}", keys));
  }

 private:
  static constexpr std::string_view example = "for example tap,ifname=avrlan0 or socket,listen=127.0.0.1:5001";
  std::string_view text_;
  std::map<std::string_view, std::string_view> values_;
};

GatewayOptions parse_user(Settings& settings) {
  GatewayOptions options;
  if (const auto restricted = settings.take("restrict")) {
    if (*restricted != "on" && *restricted != "off")
      settings.fail(fmt::format("restrict cannot be '{}'", *restricted), "write restrict=on or restrict=off");
    options.restricted = *restricted == "on";
  }
  settings.end("restrict");
  return options;
}

// What Linux takes (dev_valid_name()), without % and what would look odd.
bool is_interface_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= TapOptions::longest_name && name != "." && name != ".." &&
         std::all_of(name.begin(), name.end(), plain);
}

TapOptions parse_tap(Settings& settings) {
  TapOptions options;
  if (const auto name = settings.take("ifname")) {
    if (!is_interface_name(*name)) {
      settings.fail(fmt::format("'{}' is no name for an interface", *name),
                    "1 to 15 letters, digits, '.', '_' or '-', for example tap,ifname=avrlan0");
    }
    options.interface = *name;
  }
  if (const auto text = settings.take("addr")) {
    options.address = TapOptions::Address::parse(*text);
    if (!options.address) {
      settings.fail(fmt::format("'{}' is not an IPv4 address with its prefix length", *text),
                    "for example tap,addr=10.0.2.2/24");
    }
  }
  settings.end("ifname, addr");
  return options;
}

SocketAddress take_address(Settings& settings, std::string_view key, std::uint16_t lowest_port) {
  const auto text = settings.take(key);
  if (!text) settings.fail(fmt::format("{}= is missing", key), socket_form);
  const auto address = SocketAddress::parse(*text);
  if (!address) settings.fail(fmt::format("'{}' is no address", *text), address_form);
  if (!address->is_unix() && address->port < lowest_port)
    settings.fail(fmt::format("there is nobody at port {}", address->port), address_form);
  return *address;
}

Duration take_reconnect(Settings& settings) {
  const std::string_view text = *settings.take("reconnect");
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > 3600)
    settings.fail(fmt::format("reconnect cannot be '{}'", text), "write whole seconds, 1 to 3600: reconnect=1");
  return Duration::seconds(seconds);
}

SocketOptions parse_socket(Settings& settings) {
  SocketOptions options;
  if (settings.has("listen")) {
    options.local = take_address(settings, "listen", 0);
    settings.end("listen");
  } else if (settings.has("connect")) {
    options.kind = SocketOptions::Kind::connect;
    options.remote = take_address(settings, "connect", 1);
    if (settings.has("reconnect")) options.reconnect = take_reconnect(settings);
    settings.end("connect, reconnect");
  } else if (settings.has("local") || settings.has("remote")) {
    options.kind = SocketOptions::Kind::datagram;
    options.local = take_address(settings, "local", 0);
    options.remote = take_address(settings, "remote", 1);
    settings.end("local, remote");
    if (options.local.is_unix() != options.remote.is_unix())
      settings.fail("one end is a file and the other is not", "give both a port, or both a file");
  } else {
    settings.fail("which one?", socket_form);
  }
  return options;
}

}  // namespace

FarEndOptions parse_far_end(std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(','));
  Settings settings(text, text.substr(kind.size()));
  if (kind == "user") return parse_user(settings);
  if (kind == "tap") return parse_tap(settings);
  if (kind == "socket") return parse_socket(settings);
  if (kind == "peers")
    settings.fail("peers takes no settings", "write --net peers, and --peer KIND,KEY=VALUE,... for each");
  if (kind != "none") settings.fail(fmt::format("there is no '{}'", kind), "write user, none, peers, tap or socket");
  settings.end("");
  return {};
}

std::string_view far_end_help() {
  return R"(
The other end of the cable (--net):
  user[,restrict=on]             a network of its own, 10.0.2.0/24, with DHCP, DNS and NAT to this host's network by
                                 libslirp; no privilege needed; restricted, nothing that the firmware begins gets out
  none                           nothing
  peers                          the hosts of --peer, in virtual time, without sockets
  tap[,ifname=NAME][,addr=A.B.C.D/N]
                                 a TAP interface of this host: the one that there is, or one for this run, avrlan0
                                 (needs CAP_NET_ADMIN); addr is the host's address on it
  socket,listen=ADDRESS          a program that comes to ADDRESS: another avrlan, QEMU's `-netdev stream`
  socket,connect=ADDRESS[,reconnect=SECONDS]
                                 the same, that is at ADDRESS; tried again after so long, when it is not there or has gone
  socket,local=ADDRESS,remote=ADDRESS
                                 datagrams, QEMU's `-netdev dgram`
ADDRESS is [HOST]:PORT (HOST is 127.0.0.1 without, port 0 picks a free one) or unix:PATH. tap and socket need --pace real.)";
}

bool needs_real_pace(const FarEndOptions& options) {
  return std::holds_alternative<TapOptions>(options) || std::holds_alternative<SocketOptions>(options);
}

std::unique_ptr<Backend> make_far_end(const FarEndOptions& options, Scheduler& scheduler, FrameSink& to_board) {
  if (const auto* user = std::get_if<GatewayOptions>(&options))
    return std::make_unique<Gateway>(scheduler, to_board, *user);
  if (const auto* tap = std::get_if<TapOptions>(&options)) return std::make_unique<Tap>(scheduler, to_board, *tap);
  if (const auto* socket = std::get_if<SocketOptions>(&options)) {
    if (socket->kind == SocketOptions::Kind::datagram)
      return std::make_unique<DatagramBackend>(scheduler, to_board, *socket);
    return std::make_unique<StreamBackend>(scheduler, to_board, *socket);
  }
  return nullptr;
}

}  // namespace avrlan::net
