#include "emulator/cli/text_watch.hpp"

namespace avrlan {

TextWatch::TextWatch(std::string text) : text_(std::move(text)), fallback_(text_.size(), 0) {
  for (std::size_t i = 1, k = 0; i < text_.size(); ++i) {
    while (k > 0 && text_[i] != text_[k]) k = fallback_[k - 1];
    if (text_[i] == text_[k]) ++k;
    fallback_[i] = k;
  }
}

bool TextWatch::feed(char byte) {
  if (found_ || text_.empty()) return found_;
  while (matched_ > 0 && byte != text_[matched_]) matched_ = fallback_[matched_ - 1];
  if (byte == text_[matched_]) ++matched_;
  found_ = matched_ == text_.size();
  return found_;
}

}  // namespace avrlan
