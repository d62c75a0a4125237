#include "emulator/board/write_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "emulator/board/host_error.hpp"

namespace avrlan {

void write_file(const std::filesystem::path& path, const std::string& text, std::ios::openmode mode) {
  std::ofstream file(path, std::ios::binary | mode);
  file << text;
  if (file.flush()) return;
  throw HostError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)),
                  "give a file, in a directory that exists, that may be written, on a disk with room");
}

}  // namespace avrlan
