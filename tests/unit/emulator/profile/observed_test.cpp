// What --coverage finds in programs whose counts, stack and reads are known.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/profile/coverage.hpp"
#include "emulator/profile/layers.hpp"
#include "emulator/profile/memory_report.hpp"
#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::profile::test {
namespace {

struct Observed {
  explicit Observed(const std::string& program)
      : bench(program + "_atmega328p", "atmega328p"),
        map(bench.firmware, bench.machine.memory_map()),
        profiler(map, bench.machine.memory_map(), bench.firmware),
        debug(DebugInfo::load(bench.firmware.path)) {
    bench.machine.observe(instrument_of(profiler));
    EXPECT_TRUE(bench.run_to_end());
    profiler.charge(bench.machine.totals().total.count);
  }
  nlohmann::ordered_json memory() const {
    return memory_json(profiler, debug, bench.firmware, bench.machine.memory_map());
  }

  testing::Bench bench;
  CodeMap map;
  MemoryProfiler profiler;
  DebugInfo debug;
};

TEST(Coverage, CountsLinesAndBranches) {
  const Observed run("lines");
  const std::string info = Coverage(run.profiler, run.debug).lcov();
  const auto has = [&](const std::string& line) { return info.find("\n" + line + "\n") != std::string::npos; };
  // `mov r25, r24`, in the loop that goes four times; the jump over which CPSE skips.
  EXPECT_TRUE(has("DA:25,4")) << info;
  EXPECT_TRUE(has("DA:39,0")) << info;
  // SBRC skips RCALL twice; BRNE goes back three times.
  std::istringstream lines(info);
  std::vector<std::string> branches;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("BRDA:")) branches.push_back(line.substr(5, 3) + line.substr(line.find(',', 8)));
  }
  EXPECT_EQ(branches, (std::vector<std::string>{"26,,0,2", "26,,1,2", "32,,0,3", "32,,1,1", "38,,0,1", "38,,1,0"}));
  EXPECT_TRUE(has("FNDA:2,odd")) << info;
  EXPECT_TRUE(has("FNDA:1,handler")) << info;
}

TEST(Region, CountsCallsCyclesAndBytes) {
  const Observed run("lines");
  const auto of = [&](const std::string& region) {
    return Region(CodeGroup::parse(region), run.map, run.debug).json(run.profiler);
  };
  const auto odd = of("r=od?");
  EXPECT_EQ(odd["calls"], 2);
  EXPECT_EQ(odd["cycles"], 4 + 4 + 4 + 8);
  EXPECT_EQ(odd["bytes"], 0);
  // ST X+ four times.
  EXPECT_EQ(of("r=start")["bytes"], 4);
  EXPECT_EQ(of("r=*/lines.S")["cycles"], run.bench.machine.totals().total.count);
  EXPECT_THROW(of("r=nothing"), UsageError);
  EXPECT_THROW(of("start"), UsageError);
}

TEST(Memory, TellsTheDeepestStackAndWhoDidIt) {
  const Observed run("memory");
  const auto memory = run.memory();
  // Two return addresses and three pushes.
  ASSERT_EQ(memory["stacks"].size(), 1u);
  EXPECT_EQ(memory["stacks"][0]["used"], 2 + 3 + 2);
  EXPECT_EQ(memory["stacks"][0]["chain"], (nlohmann::json{"start", "a"}));
  EXPECT_EQ(memory["functions"][0]["name"], "a");
  EXPECT_EQ(memory["functions"][0]["lowest_sp"], 0x8FF - 7);
  EXPECT_EQ(memory["free"], 2048 - 7);
  EXPECT_EQ(memory["heap"], nullptr);
}

TEST(Memory, TellsReadsOfWhatWasNeverWritten) {
  const Observed run("memory");
  const auto reads = run.memory()["never_written"];
  ASSERT_EQ(reads.size(), 1u) << "what was stored or pushed is not among them";
  EXPECT_EQ(reads[0]["pc"], testing::label(run.bench.firmware, "b") + 2);
  EXPECT_EQ(reads[0]["function"], "b");
  EXPECT_EQ(reads[0]["address"], 0x300);
  EXPECT_EQ(reads[0]["count"], 2);
}

TEST(Memory, TellsHowFarTheHeapGrew) {
  const Observed run("heap");
  const auto memory = run.memory();
  // malloc(100) keeps the size in two bytes more.
  EXPECT_EQ(memory["heap"]["used"], 102);
  EXPECT_EQ(memory["heap"]["start"], memory["static"]["end"]);
  EXPECT_EQ(memory["free"], memory["stacks"][0]["lowest_sp"].get<int>() + 1 - memory["heap"]["highest_end"].get<int>());
}

}  // namespace
}  // namespace avrlan::profile::test
