#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace avrlan {

// At most 64 letters, digits, - and _: names of boards and stations become those of directories, and stand in front of lines.
inline bool is_station_name(std::string_view name) {
  constexpr std::size_t longest = 64;
  return name.size() <= longest && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

}  // namespace avrlan
