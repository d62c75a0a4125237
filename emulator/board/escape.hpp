#pragma once
// Names and messages on their way to where some characters are commands.

#include <string>
#include <string_view>

namespace avrlan {

// For terminals, logs and files by lines: control characters, and bytes that are no UTF-8, as \x1b. Text without them stays
// as it is.
std::string printable(std::string_view text);

// For GitHub's workflow commands, which take one line: the message, and values of file= or title=.
std::string workflow_message(std::string_view text);
std::string workflow_property(std::string_view text);

}  // namespace avrlan
