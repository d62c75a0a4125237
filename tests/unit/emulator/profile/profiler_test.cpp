// Programs whose cycles are counted by hand: every number here comes from the Instruction Set Manual's table.

#include "emulator/profile/profiler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>

#include "emulator/profile/debug_info.hpp"
#include "emulator/profile/outputs.hpp"
#include "emulator/profile/totals.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::profile::test {
namespace {

struct Profiled {
  explicit Profiled(const std::string& program, const std::string& mcu = "atmega328p")
      : bench(program + "_" + mcu, mcu),
        map(bench.firmware, bench.machine.memory_map()),
        profiler(map, bench.machine.memory_map().pc_bytes) {
    bench.machine.observe(instrument_of(profiler));
    EXPECT_TRUE(bench.run_to_end());
    profiler.charge(total());
    totals = function_totals(profiler);
  }
  std::int64_t total() const { return bench.machine.totals().total.count; }
  FunctionTotals of(const std::string& name) const {
    const auto found = std::find_if(totals.begin(), totals.end(),
                                    [&](const auto& f) { return map.functions()[f.function].name == name; });
    return found == totals.end() ? FunctionTotals{} : *found;
  }
  std::int64_t sum() const {
    return std::accumulate(totals.begin(), totals.end(), std::int64_t{0},
                           [](std::int64_t n, const auto& f) { return n + f.own.cycles + f.own.sleep; });
  }
  std::int64_t sum_of_instructions() const {
    std::int64_t n = 0;
    for (std::uint32_t word = 0; word < map.flash_words(); ++word) n += profiler.place(word).cycles;
    return n;
  }
  void expect_complete() const {
    EXPECT_EQ(sum(), total());
    EXPECT_EQ(sum_of_instructions(), bench.machine.totals().active.count);
  }

  testing::Bench bench;
  CodeMap map;
  Profiler profiler;
  std::vector<FunctionTotals> totals;
};

// JMP of the reset vector, and the macro `stack`: twice LDI and STS.
constexpr std::int64_t kStart = 3 + 6;
// CLI and LDI; the jump to itself that ends the program is not executed.
constexpr std::int64_t kFinish = 2;

TEST(Profiler, CountsARecursiveFunctionOnceInclusively) {
  const Profiled run("recursion");
  run.expect_complete();
  // DEC 1, BREQ 1, RCALL 3, RET 4 twice, and once DEC 1, BREQ taken 2, RET 4.
  EXPECT_EQ(run.of("down").calls, 3);
  EXPECT_EQ(run.of("down").own.cycles, 9 + 9 + 7);
  EXPECT_EQ(run.of("down").own.instructions, 4 + 4 + 3);
  EXPECT_EQ(run.of("down").inclusive.cycles, 25);
  EXPECT_EQ(run.of("start").own.cycles, kStart + 1 + 3 + kFinish);
  EXPECT_EQ(run.of("start").inclusive.cycles, run.total());
}

TEST(Profiler, ChargesAWiderProgramCounter) {
  const Profiled run("recursion", "atmega2560");
  run.expect_complete();
  EXPECT_EQ(run.of("down").own.cycles, 11 + 11 + 8);
}

TEST(Profiler, GivesATailCallToTheCallerOfItsCaller) {
  const Profiled run("tail_call");
  run.expect_complete();
  // RCALL .+0, which is no call, 3, twice POP 2, RJMP 2.
  EXPECT_EQ(run.of("a").own.cycles, 9);
  EXPECT_EQ(run.of("a").inclusive.cycles, 9);
  EXPECT_EQ(run.of("b").own.cycles, 1 + 1 + 4);
  EXPECT_EQ(run.of("b").calls, 1);
  EXPECT_EQ(run.of("start").own.cycles, kStart + 3 + 1 + kFinish);
}

TEST(Profiler, TakesAPushedAddressForAJump) {
  const Profiled run("pushed_jump");
  run.expect_complete();
  EXPECT_EQ(run.of("a").own.cycles, 1 + 2 + 1 + 2 + 4);
  EXPECT_EQ(run.of("b").own.cycles, 4);
  EXPECT_EQ(run.of("b").inclusive.cycles, 4);
  EXPECT_EQ(run.of("start").own.cycles, kStart + 3 + 1 + kFinish);
}

TEST(Profiler, MakesAnInterruptARootOfItsOwn) {
  const Profiled run("interrupt");
  run.expect_complete();
  // Entry 4, JMP of the vector 3, RCALL 3, RETI 4.
  EXPECT_EQ(run.of("handler").calls, 1);
  EXPECT_EQ(run.of("handler").own.cycles, 4 + 3 + 3 + 4);
  EXPECT_EQ(run.of("handler").inclusive.cycles, 14 + 5);
  EXPECT_EQ(run.of("handler").own.instructions, 3);
  EXPECT_EQ(run.of("inner").own.cycles, 1 + 4);
  EXPECT_EQ(run.of("work").own.cycles, 2 + 4 + 4) << "without the interrupt in its middle";
  EXPECT_EQ(run.of("work").inclusive.cycles, 10);
  EXPECT_EQ(run.bench.machine.totals().interrupt.count, 19);
}

TEST(Profiler, UnwindsALongjmp) {
  const Profiled run("longjmp");
  run.expect_complete();
  // Twice IN, RCALL, the NOP where it resumes, RET.
  EXPECT_EQ(run.of("outer").own.cycles, 1 + 1 + 3 + 1 + 4);
  EXPECT_EQ(run.of("outer").calls, 1);
  EXPECT_EQ(run.of("middle").own.cycles, 3);
  EXPECT_EQ(run.of("deepest").own.cycles, 1 + 1 + 1 + 1 + 2);
  EXPECT_EQ(run.of("outer").inclusive.cycles, 10 + 3 + 6);
  EXPECT_EQ(run.of("start").own.cycles, kStart + 3 + 1 + kFinish);
}

TEST(Profiler, KeepsAStackAThread) {
  const Profiled run("threads");
  run.expect_complete();
  EXPECT_EQ(run.of("yield").calls, 4);
  EXPECT_EQ(run.of("yield").own.cycles, 4 * (1 + 1 + 1 + 1 + 1 + 4));
  EXPECT_EQ(run.of("thread").own.cycles, 1 + 3 + 1 + 1 + 3);
  EXPECT_EQ(run.of("thread").inclusive.cycles, 9 + 2 * 9);
  EXPECT_EQ(run.of("start").own.cycles, kStart + 6 + 4 + 3 + 1 + 3 + kFinish);
  EXPECT_EQ(run.of("start").inclusive.cycles, run.of("start").own.cycles + 2 * 9);
  ASSERT_EQ(run.profiler.stacks().size(), 2u);
  EXPECT_EQ(run.profiler.stacks()[0].lowest_sp, 0x8FF - 2);
  EXPECT_EQ(run.profiler.stacks()[1].lowest_sp, 0x2FF - 2);
}

TEST(Profiler, TellsWaitingFromWork) {
  const Profiled run("waiting");
  run.expect_complete();
  // Five times DEC 1 and BRNE 2, the last one 1. SBIS finds the pin low still, 1, RJMP 2; then SBIS skips, 2. The
  // loop that adds works.
  EXPECT_EQ(run.of("start").own.wait, (5 * 3 - 1) + 5);
  EXPECT_EQ(run.of("start").own.cycles, run.total());
}

TEST(Profiler, MatchesACountOfEachLine) {
  const Profiled run("lines");
  run.expect_complete();
  const DebugInfo debug = DebugInfo::load(run.bench.firmware.path);
  std::map<std::uint32_t, std::int64_t> cycles;
  for (std::uint32_t word = 0; word < run.map.flash_words(); ++word) {
    const SourceLine line = debug.line_of(2 * word);
    if (debug.files()[line.file].ends_with("lines.S")) cycles[line.line] += run.profiler.place(word).cycles;
  }
  std::ifstream source(AVRLAN_TEST_SOURCES "/lines.S");
  std::string text;
  std::int64_t sum = 0;
  for (std::uint32_t number = 1; std::getline(source, text); ++number) {
    const auto comment = text.find("; ");
    if (comment == std::string::npos || comment == 0) continue;
    const std::int64_t expected = std::stoll(text.substr(comment + 2));
    EXPECT_EQ(cycles[number], expected) << "line " << number << ": " << text;
    sum += expected;
  }
  EXPECT_EQ(sum, run.total());
}

// A reader of Valgrind's "Callgrind Format Specification", as far as `positions: instr line` goes.
TEST(Callgrind, HasACountOfEachInstructionAndLine) {
  const Profiled run("lines");
  const DebugInfo debug = DebugInfo::load(run.bench.firmware.path);
  std::istringstream out(callgrind(run.profiler, debug, "lines", "/firmware/lines.elf"));
  std::map<std::uint32_t, std::int64_t> lines;
  std::map<std::uint32_t, std::int64_t> instructions;
  std::map<std::string, std::string> header;
  std::string calls;
  bool inclusive = false;
  for (std::string text; std::getline(out, text);) {
    unsigned address = 0, line = 0;
    long long cycles = 0;
    if (std::sscanf(text.c_str(), "%x %u %lld", &address, &line, &cycles) == 3 && text.starts_with("0x")) {
      if (std::exchange(inclusive, false)) {
        calls += " = " + std::to_string(cycles);
        continue;
      }
      EXPECT_TRUE(instructions.emplace(address, cycles).second) << text;
      lines[line] += cycles;
    } else if (text.starts_with("calls=")) {
      calls = text;
      inclusive = true;
    } else if (const auto colon = text.find(": "); colon != std::string::npos) {
      header[text.substr(0, colon)] = text.substr(colon + 2);
    } else if (text.starts_with("ob=")) {
      EXPECT_EQ(text, "ob=/firmware/lines.elf");
    }
  }
  EXPECT_EQ(header["positions"], "instr line");
  EXPECT_EQ(header["summary"], header["totals"]);
  const auto odd = testing::label(run.bench.firmware, "odd");
  char expected[40];
  std::snprintf(expected, sizeof expected, "calls=2 %#x 47 = 20", odd);
  EXPECT_EQ(calls, expected);
  // MUL twice, with its 2 cycles, and RET with its 4.
  EXPECT_EQ(instructions.at(odd), 4);
  EXPECT_EQ(instructions.at(odd + 6), 8);
  for (std::uint32_t word = 0; word < run.map.flash_words(); ++word) {
    EXPECT_EQ(instructions[2 * word], run.profiler.place(word).cycles);
  }
  std::ifstream source(AVRLAN_TEST_SOURCES "/lines.S");
  std::string text;
  for (std::uint32_t number = 1; std::getline(source, text); ++number) {
    const auto comment = text.find("; ");
    if (comment == std::string::npos || comment == 0) continue;
    EXPECT_EQ(lines[number], std::stoll(text.substr(comment + 2))) << "line " << number << ": " << text;
  }
}

TEST(Profiler, FindsTheFunctionsOfAStrippedFirmware) {
  const Profiled run("recursion_stripped");
  run.expect_complete();
  EXPECT_EQ(run.of("__init").own.cycles, kStart + 1 + 3 + kFinish);
  char name[16];
  std::snprintf(name, sizeof name, "%#x", testing::label(testing::assembled("recursion_atmega328p"), "down"));
  EXPECT_EQ(run.of(name).own.cycles, 25);
}

}  // namespace
}  // namespace avrlan::profile::test
