#pragma once
// Writes what passes to a pcapng file: virtual time in nanoseconds, direction flags, packet id = cycle.

#include <filesystem>
#include <functional>
#include <memory>

#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

class Recorder {
 public:
  // Throws HostError when the file cannot be written. `cycle` gives the MCU's cycle count at the moment of a frame.
  Recorder(const std::filesystem::path& file, const Scheduler& scheduler, std::function<std::int64_t()> cycle,
           const std::string& section_comment);
  ~Recorder();
  // Elements that record and pass on; they live as long as the recorder.
  FrameSink& inbound(FrameSink& to);   // to the board
  FrameSink& outbound(FrameSink& to);  // from the board
  // Everything up to now is in the file after this.
  void flush();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace avrlan::net
