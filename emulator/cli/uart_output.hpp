#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace avrlan {

// Where the console's octets go: stdout, unbuffered, and the uart.log of --out.
class UartOutput {
 public:
  // Throws HostError.
  void log_to(const std::filesystem::path& file);
  // Throws HostError: nobody reads stdout.
  void put(std::uint8_t byte);
  // The log is complete after this. Throws HostError: disk full.
  void flush();

 private:
  void check() const;

  std::filesystem::path file_;
  std::ofstream log_;
};

}  // namespace avrlan
