// `avrlan report` against the files that it reads, and on what it cannot read.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

class Report : public testing::Test {
 protected:
  Report() { std::filesystem::create_directories(directory_); }
  ~Report() override { std::filesystem::remove_all(directory_); }

  // With its --out in directory_.
  void record(const std::string& elf, std::vector<std::string> more) {
    std::vector<std::string> command = {AVRLAN_PROGRAM, "run", elf,         "--net", "none",
                                        "--pace",       "max", "--timeout", "1s"};
    command.insert(command.end(), more.begin(), more.end());
    command.insert(command.end(), {"--out", directory_.string()});
    const auto done = run(command);
    EXPECT_LE(done.status, 42) << done.err;
  }
  Completed report(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {AVRLAN_PROGRAM, "report", directory_.string()});
    return run(more);
  }
  nlohmann::json json(const std::string& name) {
    std::ifstream in(directory_ / name);
    return nlohmann::json::parse(in);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(directory_ / name) << text; }

  const std::filesystem::path directory_ =
      std::filesystem::path(testing::TempDir()) / ("avrlan-report-" + std::to_string(::getpid()));
};

const std::string web = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf";

TEST_F(Report, HasTheNumbersOfTheFiles) {
  record(web, {"--profile", "--coverage"});
  const auto done = report({"--top", "1"});
  ASSERT_EQ(done.status, 0) << done.err;
  const auto run = json("run.json"), memory = json("memory.json");
  const auto has = [&](const std::string& text) {
    EXPECT_NE(done.out.find(text), std::string::npos) << text << "\n" << done.out;
  };
  has("time      1.000000 s virtual");
  has("frames    " + run["wire"]["in_frames"].dump() + " in (");
  const auto& functions = run["functions"];
  const auto most = std::max_element(functions.begin(), functions.end(),
                                     [](const auto& a, const auto& b) { return a["cycles"] < b["cycles"]; });
  has(" " + (*most)["calls"].dump() + "  " + (*most)["name"].get<std::string>() + "\n");
  std::int64_t rest = 0;
  for (const auto& function : functions) rest += function["cycles"].get<std::int64_t>();
  rest -= (*most)["cycles"].get<std::int64_t>();
  has(" " + std::to_string(rest) + " ");
  has(std::to_string(functions.size() - 1) + " more\n");
  has("stack     " + memory["stacks"][0]["used"].dump() + " bytes");
  has("lines " + run["coverage"]["lines"]["hit"].dump() + " of " + run["coverage"]["lines"]["found"].dump());
  EXPECT_EQ(done.out.find("diagnosed"), std::string::npos) << done.out;
}

TEST_F(Report, TellsDiagnosticsWithTheirPlaces) {
  record(AVRLAN_MISTAKES_DIR "/pktdec_at_zero.elf", {});
  const auto done = report();
  ASSERT_EQ(done.status, 0) << done.err;
  const auto entry = json("diagnostics.json")["diagnostics"].at(0);
  const auto& place = entry["first"]["calls"][0];
  EXPECT_NE(done.out.find(entry["count"].dump() + " x " + entry["severity"].get<std::string>() + " " +
                          entry["name"].get<std::string>() + " at " + place["file"].get<std::string>() + ":" +
                          place["line"].dump()),
            std::string::npos)
      << done.out;
  EXPECT_NE(done.out.find("without --profile"), std::string::npos) << done.out;
}

// One printer for both.
TEST_F(Report, SaysWhatTheRunHasSaid) {
  const auto done = run({AVRLAN_PROGRAM, "run", web, "--net", "none", "--pace", "max", "--timeout", "100ms",
                         "--profile", "--region", "spi=*Spi*", "--out", directory_.string()});
  ASSERT_EQ(done.status, 42) << done.err;
  std::istringstream lines(done.err);
  const auto later = report();
  for (std::string line; std::getline(lines, line);)
    EXPECT_NE(later.out.find(line + "\n"), std::string::npos) << line << "\n" << later.out;
}

// Of a number of functions that is none.
TEST_F(Report, RefusesANumberThatIsNone) {
  for (const char* bad : {"-1", "1.5", "many"}) EXPECT_EQ(report({"--top", bad}).status, 64) << bad;
}

TEST_F(Report, RefusesWhatItCannotRead) {
  const auto expect_refused = [&](const std::string& what) {
    const auto done = report();
    EXPECT_EQ(done.status, 64) << done.err;
    EXPECT_NE(done.err.find(what), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_TRUE(done.out.empty()) << done.out;
  };
  expect_refused("cannot read");
  record(web, {"--profile", "--coverage"});
  write("memory.json", "{\"schema\": 1}");
  expect_refused("memory.json is no file of avrlan's");
  write("memory.json", "{\"schema\": \"avrlan-memory-2\"}");
  expect_refused("memory.json is of another version");
  write("memory.json", "{\"schema\": \"avrlan-memory-1\"}");
  expect_refused("memory.json is damaged: static is missing");
  std::filesystem::remove(directory_ / "memory.json");
  expect_refused("memory.json: no such file");
  write("diagnostics.json", "[");
  expect_refused("diagnostics.json is damaged");
  std::filesystem::remove(directory_ / "diagnostics.json");
  std::filesystem::create_directory(directory_ / "diagnostics.json");
  expect_refused("diagnostics.json: it is a directory");
  auto run = json("run.json");
  run["nic"]["drops"]["lost"] = "many";
  write("run.json", run.dump());
  expect_refused("run.json is damaged: nic.drops.lost is no whole number");
  // As a run leaves it that is killed.
  write("run.json", R"({"schema": "avrlan-run-1", "files": ["run.json"]})");
  expect_refused("has not ended");
  write("run.json", "");
  expect_refused("run.json is damaged: not JSON");
  std::filesystem::remove_all(directory_);
  expect_refused("is no directory");
}

}  // namespace
}  // namespace avrlan::test
