#pragma once
// Collects what is sent to port 514 by UDP (RFC 5426), a line a datagram.

#include <string>
#include <vector>

#include "emulator/peers/host.hpp"
#include "emulator/peers/part.hpp"

namespace avrlan::peers {

class SyslogServer : public Part {
 public:
  struct Line {
    Instant at;
    std::uint32_t from;
    std::string text;  // as it came, without what a terminal would take for a command
  };

  explicit SyslogServer(Host& host);
  const std::vector<Line>& lines() const { return lines_; }
  nlohmann::ordered_json figures() const override;

 private:
  static constexpr std::size_t most_lines = 10'000;

  std::vector<Line> lines_;
  std::uint64_t received_ = 0;  // those that are not kept included
};

}  // namespace avrlan::peers
