#pragma once
// Writes what passes to a pcapng file (draft-ietf-opsawg-pcapng): one interface "nic", virtual time in nanoseconds from
// power-on, direction in epb_flags (inbound: to the board), epb_packetid = the MCU's cycle.
// Frames are recorded without FCS (if_fcslen 0). One whose FCS was wrong keeps its octets as they came and has the CRC
// error bit in epb_flags.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

class Recorder {
 public:
  // Throws HostError when the file cannot be written. `cycle` gives the MCU's cycle count at the moment of a frame.
  // `section_comment` may be empty: then there is none. Throws UsageError when it is longer than 64 KiB.
  Recorder(const std::filesystem::path& file, const Scheduler& scheduler, std::function<std::int64_t()> cycle,
           const std::string& section_comment);
  ~Recorder();
  // Elements that record and pass on; they live as long as the recorder. deliver() may throw HostError: disk full.
  FrameSink& inbound(FrameSink& to);   // to the board
  FrameSink& outbound(FrameSink& to);  // from the board
  // In front of the wire towards the board, once, before the first frame: the capture can then be replayed, since it says
  // of each frame to the board when it was given to the wire, and the FCS of one that has a wrong one.
  FrameSink& entry(FrameSink& to);
  // Writes the last block, with a comment. Throws HostError.
  void finish(const std::string& comment);
  // Everything up to now is in the file after this, whatever becomes of the process. The file ends with a whole block
  // at every moment. Throws HostError.
  void flush();
  // Frames recorded so far, both ways.
  std::uint64_t frames() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace avrlan::net
