#include "emulator/board/escape.hpp"

#include <gtest/gtest.h>

namespace avrlan {
namespace {

TEST(Escape, LeavesTextAsItIs) {
  for (const char* text : {"", "main", "operator|", "gr\u00fc\u00dfe", "\u4f60", "\U0001f600", "a b\\n"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Escape, ShowsControlCharacters) {
  EXPECT_EQ(printable("a\nb\r\t\x1b[31m\x7f"), "a\\x0ab\\x0d\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\u009b"), "\\xc2\\x9b") << "a control sequence to some terminals";
}

TEST(Escape, ShowsWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\\xff");
  EXPECT_EQ(printable("\xe4\xbd"), "\\xe4\\xbd") << "cut off";
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a") << "a newline, too long";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Escape, KeepsAWorkflowCommandInItsLine) {
  EXPECT_EQ(workflow_message("100 %\n::error::no, that"), "100 %25%0A::error::no, that");
  EXPECT_EQ(workflow_property("a,b:c\r"), "a%2Cb%3Ac%0D");
}

}  // namespace
}  // namespace avrlan
