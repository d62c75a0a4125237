#pragma once

#include <string>

namespace avrlan {

// As c++filt does with a symbol of an ELF; what is not a mangled name stays as it is.
std::string demangled(const std::string& symbol);

}  // namespace avrlan
