#pragma once
// A time server (SNTP, RFC 4330): the time of day at the start of the simulation is given, and goes on with virtual time.

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"

namespace avrlan::peers {

// Seconds since 1970-01-01 00:00:00 UTC of "2026-11-30T17:20:05Z"; nullopt when it is no such time.
std::optional<std::int64_t> parse_utc(std::string_view text);

// Whether a time stamp can say it: its most significant bit tells the era (RFC 4330 section 3), 1968 to 2104.
bool can_be_told(std::int64_t seconds_since_1970);

class NtpServer : public Part {
 public:
  // `start`: seconds since 1970 at virtual time 0.
  NtpServer(Host& host, std::int64_t start);
  nlohmann::ordered_json figures() const override;

 private:
  std::uint64_t answers_ = 0;
};

}  // namespace avrlan::peers
