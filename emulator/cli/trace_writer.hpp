#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "emulator/cli/runner.hpp"
#include "emulator/cli/simulation.hpp"

namespace avrlan {

// The file of --record: begun before the first instruction, valid at every moment, complete after finish().
class TraceWriter {
 public:
  // `header`: trace_header()'s. Throws HostError.
  TraceWriter(Simulation& simulation, const std::filesystem::path& file, const std::string& header);
  // What the console has sent.
  void uart(std::uint8_t byte) { uart_ += static_cast<char>(byte); }
  // After the run; `reason` as in run.json. Throws HostError.
  void finish(std::string_view reason, int firmware_status);

 private:
  Simulation& simulation_;
  net::Recorder& recorder_;
  std::string uart_;
};

}  // namespace avrlan
