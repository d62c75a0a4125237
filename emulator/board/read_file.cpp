#include "emulator/board/read_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "emulator/board/host_error.hpp"

namespace avrlan {

std::string read_file(const std::filesystem::path& path, std::string_view what_to_do) {
  constexpr std::uintmax_t most = 64 << 20;
  const auto refuse = [&](std::string_view why) {
    return UsageError(fmt::format("cannot read {}: {}", path.string(), why), std::string(what_to_do));
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) throw refuse("no such file");
  if (error) throw refuse(error.message());
  if (std::filesystem::is_directory(status)) throw refuse("it is a directory");
  if (!std::filesystem::is_regular_file(status)) throw refuse("it is no regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw refuse(error.message());
  if (size > most) throw refuse(fmt::format("it has {} bytes, more than 64 MiB", size));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw refuse(std::strerror(errno));
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) throw refuse("it ends too early");
  return text;
}

}  // namespace avrlan
