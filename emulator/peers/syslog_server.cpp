#include "emulator/peers/syslog_server.hpp"

#include <nlohmann/json.hpp>

#include "emulator/board/escape.hpp"
#include "emulator/net/address_text.hpp"
#include "emulator/peers/settings.hpp"

namespace avrlan::peers {

SyslogServer::SyslogServer(Host& host) {
  constexpr std::uint16_t syslog_port = 514;
  host.receive_datagrams(syslog_port, [this, &host](const Datagram& datagram) {
    ++received_;
    if (lines_.size() == most_lines) return;
    lines_.push_back(
        {host.scheduler().now(), datagram.source, printable(std::string(datagram.data.begin(), datagram.data.end()))});
  });
}

nlohmann::ordered_json SyslogServer::figures() const {
  auto lines = nlohmann::ordered_json::array();
  for (const Line& line : lines_)
    lines.push_back(
        {{"seconds", line.at.since_start().seconds()}, {"from", net::address_text(line.from)}, {"text", line.text}});
  return {{"received", received_}, {"lines", lines}};
}

}  // namespace avrlan::peers
