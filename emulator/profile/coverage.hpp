#pragma once
// Which lines, functions and branches of the sources a run has executed, as LCOV writes it down (geninfo(1)).

#include <cstdint>
#include <map>
#include <string>

#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/profiler.hpp"

namespace avrlan::profile {

// A line's count is that of its most executed instruction. Branches are the conditional branches and the skips of the
// machine code at the line: taken, not taken. Functions go by their symbols, for genhtml --demangle-cpp.
class Coverage {
 public:
  struct Share {
    std::int64_t found = 0;
    std::int64_t hit = 0;
  };

  Coverage(const Profiler& profiler, const DebugInfo& debug);

  // coverage.info. Code without a known line is left out.
  std::string lcov() const;
  const Share& lines() const { return lines_; }
  const Share& functions() const { return functions_; }
  const Share& branches() const { return branches_; }

 private:
  struct Branch {
    std::uint32_t line;
    std::int64_t count;
    std::int64_t taken;
  };
  struct Called {
    std::uint32_t line;
    std::int64_t calls;
  };
  struct File {
    std::map<std::uint32_t, std::int64_t> lines;
    std::map<std::string, Called> functions;
    std::map<std::uint32_t, Branch> branches;  // by word
  };

  std::map<std::string, File> files_;
  Share lines_;
  Share functions_;
  Share branches_;
};

}  // namespace avrlan::profile
