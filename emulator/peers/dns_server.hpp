#pragma once
// A name server (RFC 1035) that knows what it was told, and nobody else: A records by UDP.
// Not modelled: TCP, EDNS, recursion, other types than A (they exist without data), zones.

#include <map>
#include <string>

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"

namespace avrlan::peers {

struct DnsServerOptions {
  std::map<std::string, std::uint32_t> names;  // in small letters, without a dot at the end
  std::uint32_t others = 0;                    // the address of every other name; 0: there are none (NXDOMAIN)
  std::uint32_t ttl = 300;                     // s
};

// Lines of "ADDRESS NAME NAME...", # begins a comment. Throws UsageError with the line's number.
std::map<std::string, std::uint32_t> read_hosts(const std::string& text, const std::string& file);

class DnsServer : public Part {
 public:
  DnsServer(Host& host, DnsServerOptions options);
  nlohmann::ordered_json figures() const override;

 private:
  std::vector<std::uint8_t> answer(std::span<const std::uint8_t> query);

  DnsServerOptions options_;
  std::uint64_t answered_ = 0, not_found_ = 0, malformed_ = 0;
};

}  // namespace avrlan::peers
