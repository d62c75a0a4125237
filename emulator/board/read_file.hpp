#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace avrlan {

// The whole of a regular file of at most 64 MiB. Throws UsageError that names the file, with what to do: nothing else is
// opened, a pipe or a device may have no end.
std::string read_file(const std::filesystem::path& path, std::string_view what_to_do);

}  // namespace avrlan
