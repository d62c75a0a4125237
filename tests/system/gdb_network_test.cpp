// avr-gdb itself against `avrlan run --gdb`: what the network sees of it, live and in a replay.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/gdb_client.hpp"

namespace avrlan::test {
namespace {

// A page of 20,000 octets from the web image, asked for by curl.
class GdbNetwork : public testing::Test {
 protected:
  explicit GdbNetwork(const std::string& pace = "max", const std::function<void()>& in_child = {})
      : avrlan{firmware_dir + "/uno-enc28j60/web.elf", {"--hostfwd", "tcp:127.0.0.1:0-:80", "--pace", pace}, in_child} {
  }
  Avrlan avrlan;
  std::string page() {
    std::smatch port;
    std::regex_search(avrlan.process().err(), port, std::regex("forwarding tcp (127[.]0[.]0[.]1:[0-9]+)"));
    return "curl -s --max-time 300 'http://" + port[1].str() + "/bytes?n=20000'";
  }
  std::string in_background() { return "shell " + page() + " | wc -c > " + file + " &"; }
  const std::string file = testing::TempDir() + "avrlan-gdb-" + std::to_string(::getpid());
  ~GdbNetwork() override { std::filesystem::remove(file); }
};

TEST_F(GdbNetwork, ServesWhoeverAsksWhenGdbIsNotThere) {
  const std::string out =
      avrlan.gdb({"monitor run-until text address", "continue", "detach", "shell " + page() + " | wc -c",
                  "target remote " + avrlan.endpoint(), "monitor run-until frame in tcp port 80 syn", in_background(),
                  "continue", "monitor frames 1", "kill"});
  EXPECT_HAS(out, "\n20000\n");
  EXPECT_HAS(out, "tcp SYN seq");
  EXPECT_EQ(avrlan.process().finish().status, 137);
}

// In which 100 s can pass at once, for avrlan and for curl (shifted_clock.c).
class GdbLongStop : public GdbNetwork, public testing::WithParamInterface<const char*> {
 protected:
  GdbLongStop() : GdbNetwork(GetParam(), shifted_clock) {}
  ~GdbLongStop() override { std::filesystem::remove(clock_file); }
  inline static const std::string clock_file = testing::TempDir() + "avrlan-clock-" + std::to_string(::getpid());
  static void shifted_clock() {
    if (!std::filesystem::exists(clock_file)) std::ofstream(clock_file) << '0';
    ::setenv("LD_PRELOAD", AVRLAN_SHIFTED_CLOCK, 1);
    ::setenv("SHIFTED_CLOCK", clock_file.c_str(), 1);
    ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 0);
  }
};

TEST_P(GdbLongStop, OfABreakpointInTheTcpInputLeavesTheConnectionAlone) {
  Process gdb(avrlan.gdb_command({"monitor run-until text address", "continue", "break tcp_input", "ignore 1 4",
                                  "shell echo ready", "continue", "monitor cycles", "shell printf 1 1<>" + clock_file,
                                  "stepi", "monitor cycles", "delete", "monitor run-until frame out tcp port 80 fin",
                                  "continue", "monitor cycles", "detach"}));
  ASSERT_TRUE(gdb.wait_for_out("ready")) << gdb.err();
  Process curl({"sh", "-c", page() + " -o /dev/null -w '%{http_code} %{size_download} %{time_total}'"}, shifted_clock);
  const Completed done = gdb.finish();
  const std::string out = done.out + done.err;
  EXPECT_HAS(out, "::tcp_input (");
  const std::vector<long> cycles = cycles_of(out);
  ASSERT_EQ(cycles.size(), 3u) << out;
  EXPECT_LE(cycles[1] - cycles[0], 10) << out;
  EXPECT_LT(cycles[2] - cycles[1], 16'000'000) << "no more than a second for the rest of the page" << out;
  const Completed page = curl.finish();
  std::istringstream said(page.out);
  int status = 0, octets = 0;
  double seconds = 0;
  said >> status >> octets >> seconds;
  EXPECT_EQ(status, 200) << page.out << page.err << out;
  EXPECT_EQ(octets, 20000) << page.out;
  EXPECT_GE(seconds, 100) << page.out;
}

INSTANTIATE_TEST_SUITE_P(Paces, GdbLongStop, testing::Values("max", "real"),
                         [](const auto& pace) { return std::string(pace.param); });

// EPKTCNT, which a frame of the gateway's counts up and the firmware down, there and back.
TEST_F(GdbNetwork, WatchesWhatTheChipDoesByItself) {
  std::vector<std::string> commands = {"watch {unsigned char}0x8a0039"};
  for (const char* each : {"continue", "continue", "continue", "reverse-continue", "reverse-continue",
                           "reverse-continue", "continue", "continue"}) {
    commands.push_back(each);
    commands.push_back("monitor cycles");
  }
  const std::string out = avrlan.gdb(commands);
  const std::vector<long> cycles = cycles_of(out);
  ASSERT_EQ(cycles.size(), 8u) << out;
  EXPECT_LT(cycles[5], cycles[0]) << "before the first frame" << out;
  EXPECT_EQ(cycles[6], cycles[0]) << out;
  EXPECT_EQ(cycles[7], cycles[1]) << out;
  EXPECT_LE(cycles[1] - cycles[4], 4) << "one instruction" << out;
}

TEST_F(GdbNetwork, IsTheSameInThePast) {
  const std::string out = avrlan.gdb({"monitor run-until text address", "continue", in_background(),
                                      "monitor run-until frame out tcp port 80 fin", "continue", "monitor cycles",
                                      "monitor frames 3", "reverse-stepi", "reverse-stepi", "reverse-continue",
                                      "monitor frames 1", "continue", "monitor cycles", "monitor frames 3", "detach"});
  EXPECT_HAS(out, "tcp FIN");
  EXPECT_HAS(out, "no frame yet");
  EXPECT_FALSE(has(out, "another state")) << out;
  std::map<std::string, int> lines;
  std::istringstream in(out);
  for (std::string line; std::getline(in, line);) ++lines[line];
  for (const auto& [line, count] : lines) {
    const bool told_twice = line.starts_with("cycle ") || line.find(" tcp ") != std::string::npos;
    if (told_twice && !line.starts_with("frame ")) {
      EXPECT_EQ(count, 2) << line << "\n" << out;
    }
  }
}

// The state of the first connection, written last when it is closed.
const std::string connection_state = "'(anonymous namespace)::stack'.connections_[0].state_";

TEST_F(GdbNetwork, GoesBackToTheLastChangeOfTheConnectionsState) {
  go_back_often(avrlan,
                {"monitor run-until text address", "continue", in_background(),
                 "monitor run-until frame out tcp port 80 fin", "continue"},
                connection_state);
}

TEST(Gdb, GoesBackInAReplay) {
  const std::string board = "uno-enc28j60";
  go_back_often(Avrlan::replay(AVRLAN_SOURCE_DIR "/traces/" + board + "/web.curl.pcapng",
                               firmware_dir + "/" + board + "/web.elf"),
                {"monitor run-until frame out tcp port 80 fin", "continue"}, connection_state);
}

TEST(Gdb, KillsAReplayWithoutBlamingTheFirmware) {
  const std::string board = "uno-enc28j60";
  Avrlan avrlan = Avrlan::replay(AVRLAN_SOURCE_DIR "/traces/" + board + "/web.curl.pcapng",
                                 firmware_dir + "/" + board + "/web.elf");
  avrlan.gdb({"monitor run-until frame out tcp", "continue", "kill"});
  const Completed done = avrlan.process().finish();
  EXPECT_EQ(done.status, 137);
  EXPECT_HAS(done.err, "as recorded so far");
  EXPECT_FALSE(has(done.err, "was not sent")) << done.err;
}

TEST(Gdb, SaysWhenItHasTouchedAReplay) {
  const std::string board = "uno-enc28j60";
  Avrlan avrlan = Avrlan::replay(AVRLAN_SOURCE_DIR "/traces/" + board + "/web.curl.pcapng",
                                 firmware_dir + "/" + board + "/web.elf");
  avrlan.gdb({"monitor run-until cycle 5000", "continue", "monitor reset", "detach"});
  const Completed done = avrlan.process().finish();
  EXPECT_EQ(done.status, 1);
  EXPECT_HAS(done.err, "or reset the MCU: a difference may be its doing");
}

}  // namespace
}  // namespace avrlan::test
