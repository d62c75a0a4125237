#pragma once
// What a person says of a peer, key by key: from --peer KIND,key=value,... or from a table of a TOML file.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nic-model/core/time.hpp"

namespace avrlan::peers {

// In the order in which they were written; a key may be there more than once.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// "10.0.2.15", in host byte order; nullopt when it is no address.
std::optional<std::uint32_t> parse_address(std::string_view text);
// Whether one host can have it: not this network's (0), the loopback's, multicast, reserved (RFC 1122 3.2.1.3).
bool is_host_address(std::uint32_t address);
// 1 to 65535; nullopt when it is no port.
std::optional<std::uint16_t> parse_port(std::string_view text);

struct Endpoint {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
};

// Each of these takes the key, so that finish() knows what nobody has asked for. All throw UsageError, which begins with
// `where`, for example "--peer http".
class Settings {
 public:
  Settings(std::string where, KeyValues values) : where_(std::move(where)), values_(std::move(values)) {}

  // nullopt where the key is missing. A key that is there twice is refused.
  std::optional<std::string> text(std::string_view key);
  // All of them.
  std::vector<std::string> texts(std::string_view key);
  // One that has to be there; `example` is how to write it.
  std::string needed(std::string_view key, std::string_view example);
  // One of `choices`, the first when the key is missing.
  std::string choice(std::string_view key, const std::vector<std::string>& choices);
  std::int64_t number(std::string_view key, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  // Octets: 1500, 64k, 2M (of 1024).
  std::int64_t size(std::string_view key, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  // Above zero, but 0 may be written.
  Duration time(std::string_view key, Duration otherwise);
  // The same without 0.
  Duration limit(std::string_view key, Duration otherwise);
  std::optional<std::uint32_t> address(std::string_view key);
  // ADDRESS:PORT
  Endpoint endpoint(std::string_view key, std::string_view example);

  // Throws when a key is left, and names the nearest that was asked for.
  void finish() const;

  const std::string& where() const { return where_; }
  [[noreturn]] void refuse(const std::string& what, const std::string& hint) const;

 private:
  std::string name_of(std::string_view key) const;

  std::string where_;
  KeyValues values_;
  std::vector<std::string> known_;
};

}  // namespace avrlan::peers
