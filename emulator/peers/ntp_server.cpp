#include "emulator/peers/ntp_server.hpp"

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "emulator/net/packet.hpp"

namespace avrlan::peers {

namespace {

constexpr std::uint16_t ntp_port = 123;
// RFC 4330 section 4.
constexpr std::size_t message_size = 48, reference_at = 16, origin_at = 24, receive_at = 32, transmit_at = 40;
constexpr std::int64_t from_1900_to_1970 = 2'208'988'800;
constexpr std::uint8_t client_mode = 3, server_mode = 4;

void put_time(std::span<std::uint8_t> message, std::size_t at, std::int64_t start, Duration since) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t nanoseconds = since.nanoseconds();
  net::write32(message, at, static_cast<std::uint32_t>(start + from_1900_to_1970 + nanoseconds / second));
  net::write32(message, at + 4,
               static_cast<std::uint32_t>((static_cast<std::uint64_t>(nanoseconds % second) << 32) / second));
}

}  // namespace

std::optional<std::int64_t> parse_utc(std::string_view text) {
  int year = 0, hour = 0, minute = 0, second = 0, read = 0;
  unsigned month = 0, day = 0;
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &read) !=
          6 ||
      static_cast<std::size_t>(read) != text.size())
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  const bool time_is_right = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  if (!date.ok() || !time_is_right) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

bool can_be_told(std::int64_t seconds_since_1970) {
  constexpr std::int64_t first = 0x80000000, last = 0x17FFFFFFF;
  const std::int64_t since_1900 = seconds_since_1970 + from_1900_to_1970;
  return since_1900 >= first && since_1900 <= last;
}

NtpServer::NtpServer(Host& host, std::int64_t start) {
  host.receive_datagrams(ntp_port, [this, &host, start](const Datagram& datagram) {
    if (datagram.data.size() < message_size || (datagram.data[0] & 7) != client_mode) return;
    std::vector<std::uint8_t> reply(message_size);
    // No leap second to come, the client's version, stratum 1, its poll interval, a precision of 2^-20 s.
    reply[0] = static_cast<std::uint8_t>((datagram.data[0] & 0x38) | server_mode);
    reply[1] = 1;
    reply[2] = datagram.data[2];
    reply[3] = 0xec;
    constexpr std::uint32_t local_clock = 0x4c4f434c;  // "LOCL"
    net::write32(reply, reference_at - 4, local_clock);
    const Duration now = host.scheduler().now().since_start();
    std::ranges::copy(datagram.data.subspan(transmit_at, 8), reply.begin() + origin_at);
    for (const std::size_t at : {reference_at, receive_at, transmit_at}) put_time(reply, at, start, now);
    ++answers_;
    host.send_datagram(datagram.source, datagram.source_port, ntp_port, std::move(reply));
  });
}

nlohmann::ordered_json NtpServer::figures() const {
  return {{"answers", answers_}};
}

}  // namespace avrlan::peers
