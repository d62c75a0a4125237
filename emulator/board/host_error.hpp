#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace avrlan {

// A failure of the host, with what to do about it; caught once, in the command line's main.
class HostError : public std::runtime_error {
 public:
  HostError(const std::string& what_is_wrong, std::string what_to_do)
      : std::runtime_error(without_nul(what_is_wrong)), hint_(std::move(what_to_do)) {}
  const std::string& hint() const { return hint_; }

 private:
  // what() is a C string.
  static std::string without_nul(std::string text) {
    for (std::size_t at = 0; (at = text.find('\0', at)) != std::string::npos;) text.replace(at, 1, "\\x00");
    return text;
  }
  std::string hint_;
};

// What was asked for cannot be: a name, a file or a value of the command line is wrong.
class UsageError : public HostError {
 public:
  using HostError::HostError;
};

}  // namespace avrlan
