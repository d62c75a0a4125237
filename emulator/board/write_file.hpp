#pragma once

#include <filesystem>
#include <ios>
#include <string>

namespace avrlan {

// The whole of `text`, instead of what was in the file or, with std::ios::app, after it. Throws HostError.
void write_file(const std::filesystem::path& path, const std::string& text, std::ios::openmode mode = std::ios::trunc);

}  // namespace avrlan
