#pragma once
// avrlan under avr-gdb, for gdb_test.cpp and gdb_network_test.cpp.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/process.hpp"

namespace avrlan::test {

inline const std::string debugged_dir = AVRLAN_DEBUGGED_DIR;
inline const std::string firmware_dir = AVRLAN_FIRMWARE_DIR;

// avrlan, waiting for gdb at a port of its own.
class Avrlan {
 public:
  explicit Avrlan(const std::string& elf, const std::vector<std::string>& more = {"--net", "none", "--pace", "max"},
                  const std::function<void()>& in_child = {})
      : Avrlan(in_child, elf, command(elf, more)) {}
  // Of a recording.
  static Avrlan replay(const std::string& trace, const std::string& elf) {
    return Avrlan({}, elf, {AVRLAN_PROGRAM, "replay", trace, elf, "--any-firmware", "--gdb", "0"});
  }

  const std::string& endpoint() const { return endpoint_; }
  Process& process() { return process_; }
  // What gdb prints while it does all of this.
  std::string gdb(const std::vector<std::string>& commands, const std::string& target = "remote") const {
    const Completed done = run(gdb_command(commands, target));
    return done.out + done.err;
  }
  std::vector<std::string> gdb_command(const std::vector<std::string>& commands,
                                       const std::string& target = "remote") const {
    std::vector<std::string> line = {"avr-gdb", "-nx", "-q", "-batch", elf_, "-ex", "set pagination off"};
    line.insert(line.end(), {"-ex", "target " + target + " " + endpoint_});
    for (const auto& each : commands) line.insert(line.end(), {"-ex", each});
    return line;
  }

 private:
  Avrlan(const std::function<void()>& in_child, const std::string& elf, const std::vector<std::string>& command_line)
      : elf_(elf), process_(command_line, in_child) {
    EXPECT_TRUE(process_.wait_for_err("target remote 127.0.0.1:")) << process_.err();
    std::smatch port;
    EXPECT_TRUE(process_.wait_for_err("'\n")) << process_.err();
    EXPECT_TRUE(std::regex_search(process_.err(), port, std::regex("target remote (127[.]0[.]0[.]1:[0-9]+)")));
    endpoint_ = port[1];
  }
  static std::vector<std::string> command(const std::string& elf, const std::vector<std::string>& more) {
    std::vector<std::string> line = {AVRLAN_PROGRAM, "run", elf, "--gdb", "0"};
    line.insert(line.end(), more.begin(), more.end());
    return line;
  }

  std::string elf_;
  Process process_;
  std::string endpoint_;
};

// Of each `monitor cycles`.
inline std::vector<long> cycles_of(const std::string& text) {
  std::vector<long> cycles;
  const std::regex number("cycle ([0-9]+)");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), number); at != std::sregex_iterator(); ++at)
    cycles.push_back(std::stol((*at)[1]));
  return cycles;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << "no '" << (part) << "' in:\n" << (text)

// Goes to a place by `there`, and from there again and again to the last write of `watched` before it, over it, and on to the
// present: cycles and registers are the same each time.
inline void go_back_often(const Avrlan& avrlan, const std::vector<std::string>& there, const std::string& watched) {
  std::vector<std::string> commands = there;
  for (const std::string each : {"monitor cycles", "info registers"}) commands.push_back(each);
  commands.push_back("watch " + watched);
  for (int n = 0; n < 50; ++n) {
    for (const char* each : {"reverse-continue", "monitor cycles", "stepi", "monitor cycles", "disable", "continue",
                             "monitor cycles", "info registers", "enable"})
      commands.push_back(each);
  }
  const std::string out = avrlan.gdb(commands);
  // What was printed at the present, and for the write; the same each time.
  std::map<std::string, int> lines;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) ++lines[line];
  std::vector<std::string> cycles;
  for (const auto& [line, count] : lines) {
    if (line.starts_with("cycle ")) cycles.push_back(std::to_string(count) + " " + line.substr(0, line.find(',')));
  }
  EXPECT_EQ(cycles.size(), 3u) << out;
  EXPECT_EQ(lines["No more reverse-execution history."], 50) << out;
  int once = 0;
  for (const auto& [line, count] : lines) once += line.starts_with("r") && count != 51 ? 1 : 0;
  EXPECT_EQ(once, 0) << "a register was another one" << out;
  EXPECT_FALSE(has(out, "another state")) << out;
}

}  // namespace avrlan::test
