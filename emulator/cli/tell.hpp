#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace avrlan {

// To stderr. When nobody takes it, the run and its files go on.
template <class... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace avrlan
