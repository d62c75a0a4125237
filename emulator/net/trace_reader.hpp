#pragma once
// Reads a capture of `avrlan run --record` (recorder.hpp): our own reader, since libpcap shows neither packet ids nor flags
// nor comments. Either byte order. Blocks that are not ours are skipped.
// Not read: several sections or interfaces, frames cut short, times that are not nanoseconds.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/time.hpp"

namespace avrlan::net {

struct TraceFrame {
  bool to_board = false;
  std::int64_t cycle = 0;  // of the MCU, when the last bit had passed
  Instant at;              // when it had, rounded down to a nanosecond
  Instant entered;         // to the board: when the network's end of the wire had it to send
  EthernetFrame frame;
};

struct Trace {
  struct End {
    Instant at;  // rounded down to a nanosecond
    std::string comment;
  };
  std::string comment;  // of the section
  std::vector<TraceFrame> frames;
  std::optional<End> end;  // nothing: the run was killed
};

// Throws UsageError that says what is wrong and where: no such file, a classic pcap, no pcapng, cut short, damaged, without
// cycles. What the comments say is the caller's business.
Trace read_trace(const std::filesystem::path& file);

}  // namespace avrlan::net
