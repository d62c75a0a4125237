// What a run says of a firmware's mistakes on the command line and in diagnostics.json; our own images make none.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/cli/simulation.hpp"
#include "tests/support/scripted_peer.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string mistake = AVRLAN_MISTAKES_DIR "/rx_pointer_even.elf";

Completed run_mistake(
    std::vector<std::string> options, const std::function<void()>& in_child = [] { ::unsetenv("GITHUB_ACTIONS"); }) {
  std::vector<std::string> command{AVRLAN_PROGRAM, "run", mistake, "--net", "none", "--pace", "max"};
  command.insert(command.end(), options.begin(), options.end());
  return run(command, in_child);
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DiagnosticOutput, ReadsLikeACompilers) {
  const auto done = run_mistake({});
  EXPECT_EQ(done.status, 0);
  EXPECT_TRUE(contains(done.err, "tests/system/mistakes/chip.hpp:")) << done.err;
  EXPECT_TRUE(contains(done.err, ": warning: ERXRDPT is even")) << done.err;
  EXPECT_TRUE(contains(done.err, " [enc28j60-rx-pointer-even]\n  in chip::exchange(unsigned char)+")) << done.err;
  EXPECT_TRUE(contains(done.err, "mistakes.cpp:")) << done.err;
  EXPECT_TRUE(contains(done.err, "diagnosed 0 errors, 1 warnings, 0 notes\n")) << done.err;
}

TEST(DiagnosticOutput, AnErrorEndsTheRunWithStatus70) {
  for (const char* rules : {"warning=error", "enc28j60-rx-pointer-even=error", "all=ignore,enc28j60-rx-*=error"}) {
    const auto done = run_mistake({"--diag", rules});
    EXPECT_EQ(done.status, 70) << rules;
    EXPECT_TRUE(contains(done.err, ": error: ERXRDPT is even")) << done.err;
    EXPECT_TRUE(contains(done.err, "ended     a diagnostic of severity error")) << done.err;
  }
}

TEST(DiagnosticOutput, CanBeSilenced) {
  const auto done = run_mistake({"--diag", "warning=error", "--diag", "enc28j60-rx-pointer-even=ignore"});
  EXPECT_EQ(done.status, 0);
  EXPECT_FALSE(contains(done.err, "ERXRDPT")) << done.err;
}

TEST(DiagnosticOutput, AnnotatesOnGitHub) {
  const auto by_itself = run_mistake({}, [] { ::setenv("GITHUB_ACTIONS", "true", 1); });
  const auto asked = run_mistake({"--diag-format", "github"});
  for (const auto& done : {by_itself, asked}) {
    EXPECT_TRUE(contains(done.err, "::warning file=")) << done.err;
    EXPECT_TRUE(contains(done.err, ",title=enc28j60-rx-pointer-even::ERXRDPT is even")) << done.err;
  }
  const auto not_asked = run_mistake({"--diag-format", "gcc"}, [] { ::setenv("GITHUB_ACTIONS", "true", 1); });
  EXPECT_FALSE(contains(not_asked.err, "::warning")) << not_asked.err;
}

TEST(DiagnosticOutput, IsInTheOutputDirectory) {
  std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
  const std::filesystem::path out = ::mkdtemp(name.data());
  EXPECT_EQ(run_mistake({"--out", out.string()}).status, 0);
  std::ifstream in(out / "diagnostics.json");
  const auto json = nlohmann::json::parse(in);
  std::filesystem::remove_all(out);
  EXPECT_EQ(json["schema"], "avrlan-diagnostics-1");
  ASSERT_EQ(json["diagnostics"].size(), 1u);
  const auto& entry = json["diagnostics"][0];
  EXPECT_EQ(entry["name"], "enc28j60-rx-pointer-even");
  EXPECT_EQ(entry["severity"], "warning");
  EXPECT_EQ(entry["count"], 1);
  EXPECT_GT(entry["first"]["cycle"], 640'000) << "after the 40 ms for the link";
  const auto& calls = entry["first"]["calls"];
  ASSERT_GE(calls.size(), 2u);
  EXPECT_TRUE(contains(calls[0]["file"], "chip.hpp"));
  EXPECT_TRUE(contains(calls[0]["function"], "chip::exchange"));
  EXPECT_GT(calls[0]["line"], 0);
}

TEST(DiagnosticOutput, ListsEveryName) {
  const auto listed = run({AVRLAN_PROGRAM, "diagnostics", "--json"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(nlohmann::json::parse(listed.out).size(), diagnostic_kinds().size());
}

TEST(DiagnosticOptions, SayWhatIsWrong) {
  const auto expect = [](std::vector<std::string> options, const std::string& words) {
    const auto done = run_mistake(std::move(options));
    EXPECT_EQ(done.status, 64);
    EXPECT_TRUE(contains(done.err, words)) << done.err;
  };
  expect({"--diag", "enc28j60-rx-pointer-evn=error"}, "did you mean 'enc28j60-rx-pointer-even'?");
  expect({"--diag", "warning"}, "write warning=ignore");
  expect({"--diag-format", "xml"}, "--diag-format");
  expect({"--chip-rev", "B2"}, "B1, B4, B5, B7");
  expect({"--errata", "even=off"}, "did you mean 'even-erxrdpt-corrupts'?");
  expect({"--cable", "off@1s"}, "out@2s");
}

TEST(Cable, IsPulledAndTheLedGoesOut) {
  std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
  const std::filesystem::path out = ::mkdtemp(name.data());
  const auto done = run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/echo.elf", "--net", "none", "--pace",
                         "max", "--timeout", "3s", "--cable", "out@1s,in@2s", "--out", out.string()});
  EXPECT_EQ(done.status, 42) << done.err;
  std::ifstream in(out / "run.json");
  const auto json = nlohmann::json::parse(in);
  std::filesystem::remove_all(out);
  // LEDA shows the link: 32 ms after the firmware has reset the chip and after the cable is back, until it is pulled.
  const auto& led = json["nic"]["leds"]["a"];
  EXPECT_EQ(led["flashes"], 2);
  EXPECT_NEAR(led["lit_seconds"].get<double>(), (1 - 0.032) + (1 - 0.032), 0.02);
}

// Under a script of pings, datagrams and connections.
class OwnImages : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(OwnImages, MakeNoMistake) {
  const auto& [board, image] = GetParam();
  const Firmware firmware = Firmware::load_elf(AVRLAN_FIRMWARE_DIR "/" + board + "/" + image + ".elf");
  ScriptedPeer* peer = nullptr;
  Simulation simulation(find_board(board), firmware, {}, [&](Scheduler& scheduler, FrameSink& to_board) {
    auto made = std::make_unique<ScriptedPeer>(scheduler, to_board);
    peer = made.get();
    return made;
  });
  for (int n = 0; n < 10; ++n) {
    peer->ping(std::string(static_cast<std::size_t>(n) * 140, 'p'));
    peer->udp(7, std::string(1 + static_cast<std::size_t>(n) * 140, 'u'));
    peer->tcp(7, "line\n", 5);
  }
  while (!peer->done() && simulation.machine().now() < Instant::at(Duration::seconds(30))) {
    ASSERT_FALSE(simulation.machine().run_until(simulation.machine().now() + Duration::milliseconds(10)));
  }
  ASSERT_EQ(peer->exchanges().size(), 30u);
  for (const auto& exchange : peer->exchanges()) EXPECT_TRUE(exchange.complete) << exchange.name;
  for (const auto& entry : simulation.diagnostics().entries()) ADD_FAILURE() << entry.diagnostic.message;
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, std::string>>& instance) {
  const std::string board = std::get<0>(instance.param);
  return board.substr(0, board.find('-')) + (std::get<1>(instance.param) == "echo" ? "_polled" : "_interrupt");
}
INSTANTIATE_TEST_SUITE_P(Echo, OwnImages,
                         testing::Combine(testing::Values("uno-enc28j60", "mega-enc28j60", "ethernut1",
                                                          "mega128-rtl8019as"),
                                          testing::Values("echo", "echo-interrupt")),
                         name_of);

}  // namespace
}  // namespace avrlan::test
