#include "emulator/cli/uart_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "emulator/board/host_error.hpp"

namespace avrlan {

void UartOutput::log_to(const std::filesystem::path& file) {
  file_ = file;
  log_.open(file, std::ios::binary);
  check();
}

void UartOutput::put(std::uint8_t byte) {
  ssize_t written;
  do {
    written = ::write(STDOUT_FILENO, &byte, 1);
  } while (written < 0 && errno == EINTR);
  if (written != 1) {
    throw HostError(fmt::format("cannot write the UART's output to stdout: {}", std::strerror(errno)),
                    "keep stdout open, or send it to /dev/null and read uart.log in --out DIR");
  }
  if (log_.is_open()) log_.put(static_cast<char>(byte));
}

void UartOutput::flush() {
  if (!log_.is_open()) return;
  log_.flush();
  check();
}

void UartOutput::check() const {
  if (log_) return;
  throw HostError(fmt::format("cannot write {}: {}", file_.string(), std::strerror(errno)),
                  "give --out a directory that can be written, on a disk with room");
}

}  // namespace avrlan
