#include "emulator/cli/trace_writer.hpp"

#include "emulator/cli/trace_header.hpp"

namespace avrlan {

TraceWriter::TraceWriter(Simulation& simulation, const std::filesystem::path& file, const std::string& header)
    : simulation_(simulation), recorder_(simulation.record(file, header)) {}

void TraceWriter::finish(std::string_view reason, int firmware_status) {
  recorder_.finish(trace_end(simulation_, reason, firmware_status, uart_));
}

}  // namespace avrlan
