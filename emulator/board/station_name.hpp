#pragma once

#include <algorithm>
#include <string_view>

namespace avrlan {

// Letters, digits, - and _ alone: names of boards and stations become those of directories, and stand in front of lines.
inline bool has_name_letters_only(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace avrlan
