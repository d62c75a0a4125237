#include "emulator/cli/text_watch.hpp"

#include <gtest/gtest.h>

#include <string>

namespace avrlan {
namespace {

// How many bytes of `stream` were fed when `text` was found; npos: never.
std::size_t found_after(const std::string& text, const std::string& stream) {
  TextWatch watch(text);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (watch.feed(stream[i])) return i + 1;
  }
  return std::string::npos;
}

TEST(TextWatch, FindsTextAtItsLastByte) {
  EXPECT_EQ(found_after("ready", "boot\nready\n"), 10u);
  EXPECT_EQ(found_after("ready", "boot\nread\n"), std::string::npos);
}

TEST(TextWatch, FindsTextThatStartsInsideAFailedMatch) {
  EXPECT_EQ(found_after("aab", "aaab"), 4u);
  EXPECT_EQ(found_after("ababc", "abababc"), 7u);
}

TEST(TextWatch, AgreesWithStringFindOnEveryShortText) {
  const std::string stream = "abaabbabaaabababbaab";
  for (unsigned bits = 0; bits < 64; ++bits) {
    for (std::size_t length = 1; length <= 6; ++length) {
      std::string text;
      for (std::size_t i = 0; i < length; ++i) text += (bits >> i) & 1 ? 'b' : 'a';
      const auto at = stream.find(text);
      EXPECT_EQ(found_after(text, stream), at == std::string::npos ? at : at + length) << text;
    }
  }
}

TEST(TextWatch, EmptyTextIsNeverFound) {
  EXPECT_EQ(found_after("", "anything"), std::string::npos);
}

TEST(TextWatch, StaysFound) {
  TextWatch watch("a");
  EXPECT_TRUE(watch.feed('a'));
  EXPECT_TRUE(watch.feed('b'));
  EXPECT_TRUE(watch.found());
}

}  // namespace
}  // namespace avrlan
