#pragma once
// decode.cpp's other half: what is carried by UDP.

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/net/decode.hpp"

namespace avrlan::net::decoding {

using Octets = std::span<const std::uint8_t>;

struct Fields {
  std::vector<Field> all;

  void add(std::string_view name, const std::string& value) { all.push_back({std::string(name), value}); }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void add(std::string_view name, Integer value) { add(name, std::to_string(value)); }
  void malformed(std::string_view layer, std::string_view how) {
    add("_ws.malformed", fmt::format("{}: {}", layer, how));
  }
};

// "0a:0b:0c"
std::string hex(Octets octets, std::string_view between);
// Of the first four octets, which have to be there: "10.0.2.15".
std::string address(Octets octets);

void dhcp(Fields& fields, Octets octets);  // RFC 2131 2, RFC 2132
void dns(Fields& fields, Octets octets);   // RFC 1035 4
void ntp(Fields& fields, Octets octets);   // RFC 5905 7.3

}  // namespace avrlan::net::decoding
