#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace avrlan {

// Looks for a text in a stream of bytes, each byte once (Knuth, Morris, Pratt). An empty text is never found.
class TextWatch {
 public:
  explicit TextWatch(std::string text);
  // Returns true from the byte that completes the text on.
  bool feed(char byte);
  bool found() const { return found_; }

 private:
  std::string text_;
  std::vector<std::size_t> fallback_;
  std::size_t matched_ = 0;
  bool found_ = false;
};

}  // namespace avrlan
