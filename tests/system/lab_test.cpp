// Several boards in one lab, by the program's own way: a LAB.toml. The stack against itself on silicon's terms.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulator/lab/lab.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

using lab::Lab;
using lab::LabDescription;
using lab::LabEnd;
using lab::LabEndReason;

std::string pair_board(const std::string& name, const std::string& role, const std::string& profile,
                       const std::string& more = "") {
  const std::string board = profile.ends_with("ethernut1") ? "ethernut1" : "mega-enc28j60";
  return "[[board]]\nname = '" + name + "'\nboard = '" + board + "'\nfirmware = '" AVRLAN_VARIANT_DIR "/pair-" + role +
         "-" + profile + ".elf'\n" + more + "\n";
}

LabDescription read(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("avrlan-lab-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(path) << text;
  const LabDescription description = LabDescription::read(path);
  std::filesystem::remove(path);
  return description;
}

struct Outcome {
  LabEnd end;
  int status = 0;
  std::string digest;
  std::string lines;  // of all boards, "board: text\n" each
  nlohmann::ordered_json json;
};

Outcome run(const std::string& text, unsigned threads = 1) {
  const LabDescription description = read(text);
  Lab lab(description, threads);
  Outcome outcome;
  lab.on_line([&](const std::string& board, std::string_view line) {
    outcome.lines += board + ": " + std::string(line) + "\n";
  });
  lab.on_diagnostic([&](const std::string& board, std::string_view said) {
    outcome.lines += board + " diagnosed: " + std::string(said);
  });
  outcome.end = lab.run();
  outcome.status = lab.status(outcome.end);
  outcome.digest = lab.digest();
  outcome.json = lab.json(outcome.end);
  outcome.json.erase("lab");
  for (auto& board : outcome.json["boards"]) board["seconds"].erase("wall");
  outcome.json["seconds"].erase("wall");
  return outcome;
}

class LabPairs : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(LabPairs, ExchangeAHundredThousandOctetsBothWaysAtOnce) {
  const auto& [server, client] = GetParam();
  const Outcome outcome = run("timeout = '30s'\n" + pair_board("server", "server", server) +
                              pair_board("client", "client", client, "connect = 'server'\nlink = { delay = '40us' }"));
  for (const auto& [name, board] : outcome.json["boards"].items())
    EXPECT_EQ(board["diagnostics"]["warning"], 0) << name << " " << outcome.lines;
  EXPECT_NE(outcome.lines.find("client: done\n"), std::string::npos) << outcome.lines;
  EXPECT_NE(outcome.lines.find("server: done\n"), std::string::npos) << outcome.lines;
  EXPECT_EQ(outcome.end.reason, LabEndReason::boards_ended);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_GT(outcome.json["links"]["client>server"]["frames"].get<int>(), 100'000 / 1460);
}

INSTANTIATE_TEST_SUITE_P(Profiles, LabPairs,
                         testing::Values(std::pair("minimal", "minimal"), std::pair("minimal", "full"),
                                         std::pair("full", "minimal"), std::pair("full", "full"),
                                         std::pair("minimal-ethernut1", "minimal-ethernut1"),
                                         std::pair("full-ethernut1", "full-ethernut1"),
                                         std::pair("full-ethernut1", "full")),
                         [](const auto& pair) {
                           std::string name = pair.param.first + "_" + pair.param.second;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Two pairs, one of them on a bad link.
const std::string bad = "link = { delay = '2ms', jitter = '500us', loss = '1%', dup = '1%', reorder = '1%' }";
const std::vector<std::string> four_boards = {
    pair_board("a", "server", "full"), pair_board("b", "client", "full", "connect = 'a'\n" + bad),
    pair_board("c", "client", "minimal", "connect = 'd'"), pair_board("d", "server", "minimal")};

TEST(Lab, ResultsDependNeitherOnTheOrderOfTheFileNorOnTheThreads) {
  const std::string head = "timeout = '1s'\nseed = 3\n";
  std::string forwards = head, backwards = head;
  for (const auto& board : four_boards) {
    forwards += board;
    backwards.insert(head.size(), board);
  }
  const Outcome first = run(forwards);
  EXPECT_GT(first.json["boards"]["a"]["wire"]["out_frames"].get<int>(), 20);
  EXPECT_GT(first.json["links"]["a>b"]["drops"]["lost"].get<int>(), 0);
  for (const Outcome& other : {run(backwards), run(forwards, 2), run(backwards, 2)}) {
    EXPECT_EQ(other.digest, first.digest);
    EXPECT_EQ(other.lines, first.lines);
    EXPECT_EQ(other.json, first.json);
  }
}

TEST(Lab, SeedChoosesWhatIsLost) {
  const std::string boards = four_boards[0] + four_boards[1];
  EXPECT_NE(run("timeout = '1s'\nseed = 1\n" + boards).digest, run("timeout = '1s'\nseed = 2\n" + boards).digest);
}

TEST(Lab, APairIsTheSameWhoeverElseIsThere) {
  const std::string pair = "timeout = '1s'\n" + four_boards[2] + four_boards[3];
  const Outcome alone = run(pair), with_others = run(pair + four_boards[0] + four_boards[1]);
  EXPECT_EQ(alone.json["boards"]["c"], with_others.json["boards"]["c"]);
  EXPECT_EQ(alone.json["boards"]["d"], with_others.json["boards"]["d"]);
}

TEST(Lab, BoardsThatSleepCostFewBarriers) {
  // Both wait for a link and each other with their MCU asleep but for a millisecond tick.
  const LabDescription description = read("timeout = '1s'\n" + pair_board("a", "server", "minimal") +
                                          pair_board("b", "server", "minimal", "connect = 'a'"));
  Lab lab(description, 1);
  EXPECT_EQ(lab.run().reason, LabEndReason::virtual_limit);
  EXPECT_LT(lab.barriers(), 10'000U) << "1 s in windows of 45 us would be 22,222";
}

const std::string server = pair_board("server", "server", "minimal");
const std::string to_server = pair_board("client", "client", "minimal", "connect = 'server'");
const std::string hall = "[[switch]]\nname = 'hall'\n";

TEST(Lab, BoardsTalkThroughSwitches) {
  const Outcome outcome =
      run("timeout = '30s'\n" + hall + "[[switch]]\nname = 'attic'\nconnect = 'hall'\n" +
          pair_board("server", "server", "minimal", "connect = 'hall'") +
          pair_board("client", "client", "minimal", "connect = 'attic'") +
          "[[assert]]\nboard = 'client'\ntext = 'done'\n[[assert]]\nboard = 'server'\ntext = 'done'\n");
  EXPECT_EQ(outcome.status, 0) << outcome.json["asserts"];
  EXPECT_EQ(outcome.end.reason, LabEndReason::asserts_decided);
  const auto& port = outcome.json["switches"]["hall"]["ports"]["server"];
  EXPECT_GT(port["in_frames"].get<int>(), 70);
  EXPECT_EQ(port["in_frames"], outcome.json["boards"]["server"]["wire"]["out_frames"]);
  EXPECT_EQ(port["out_frames"], outcome.json["links"]["hall>server"]["frames"]);
}

TEST(Lab, AnExchangeOutlastsAPulledCable) {
  const std::string asserts =
      "[[assert]]\nboard = 'client'\ntext = 'done'\n[[assert]]\nboard = 'server'\ntext = 'done'\n";
  const std::string down = "[[fault]]\nat = '500ms'\nkind = 'link-down'\nstation = 'server'\n";
  const std::string up = "[[fault]]\nat = '900ms'\nkind = 'link-up'\nstation = 'server'\n";
  EXPECT_EQ(run("timeout = '60s'\n" + server + to_server + down + up + asserts).status, 0);
  const Outcome cut = run("timeout = '5s'\n" + server + to_server + down + asserts);
  EXPECT_EQ(cut.status, 1);
  EXPECT_EQ(cut.json["asserts"][0]["found"], "not seen");
}

TEST(Lab, AChipThatWasResetReceivesNothing) {
  const Outcome outcome = run("timeout = '5s'\n" + server + to_server +
                              "[[fault]]\nat = '500ms'\nkind = 'reset-chip'\nstation = 'server'\n"
                              "[[assert]]\nboard = 'client'\nno-text = 'done'\n");
  // The server may find wrong octets, when it was just reading.
  EXPECT_EQ(outcome.json["asserts"][0]["passed"], true);
  EXPECT_EQ(outcome.end.reason, LabEndReason::virtual_limit);
}

std::string boots(const std::string& more) {
  return "timeout = '3s'\n[[board]]\nname = 'a'\nfirmware = '" AVRLAN_VARIANT_DIR "/boots.elf'\n" + more;
}

TEST(Lab, APowerCycleLosesTheRamAndKeepsTheEeprom) {
  const Outcome outcome =
      run(boots("[[fault]]\nat = '1s'\nkind = 'reset-mcu'\nstation = 'a'\n"
                "[[fault]]\nat = '2s'\nkind = 'power-cycle'\nstation = 'a'\noff = '500ms'\n"));
  EXPECT_EQ(outcome.lines, "a: boot 1 power fresh\na: boot 2 reset kept\na: boot 3 power fresh\n");
  const auto& board = outcome.json["boards"]["a"];
  EXPECT_EQ(board["earlier"][0]["result"]["reason"], "power-off");
  EXPECT_EQ(board["earlier"][0]["cycles"]["total"], 32'000'000);
  EXPECT_EQ(board["cycles"]["total"], 8'000'000) << "since 2.5 s";
}

TEST(Lab, ABoardsEepromIsAsTheFileSaysWhenItIsFirstPoweredOn) {
  std::string text = boots("[[fault]]\nat = '2s'\nkind = 'power-cycle'\nstation = 'a'\n");
  text.insert(text.find("[[fault]]"), "eeprom = ['05', '0x40=0102']\n");
  EXPECT_EQ(run(text).lines, "a: boot 6 power fresh\na: boot 7 power fresh\n");
}

// Both with the MAC address that the image has for a blank EEPROM, or each with its own.
TEST(Lab, BoardsWithOneImageNeedTheirOwnMacAddresses) {
  const auto web = [](const std::string& name, const std::string& mac) {
    return "[[board]]\nname = '" + name +
           "'\nboard = 'mega-enc28j60'\nconnect = 'hall'\nfirmware = '" AVRLAN_FIRMWARE_DIR
           "/mega-enc28j60/web.elf'\n" +
           (mac.empty() ? "" : "eeprom = '" + mac + "'\n");
  };
  const auto reader = [](const std::string& name, const std::string& address) {
    return "[[peer]]\nkind = 'http-get'\nname = '" + name + "'\nurl = 'http://" + address +
           "/'\nconnect = 'hall'\n[[assert]]\npeer = '" + name + "'\nsuccess = true\n";
  };
  const std::string rest = "timeout = '30s'\n" + hall + "[[peer]]\nkind = 'dhcp'\nconnect = 'hall'\n" +
                           reader("one", "10.0.2.15") + reader("two", "10.0.2.16");
  const Outcome own = run(rest + web("a", "02:00:00:00:00:0A") + web("b", "02:00:00:00:00:0B"));
  EXPECT_EQ(own.status, 0) << own.lines << own.json["asserts"];
  EXPECT_EQ(own.lines.find("duplicate-mac"), std::string::npos) << own.lines;
  const Outcome same = run("timeout = '2s'\n" + rest.substr(rest.find('\n') + 1) + web("a", "") + web("b", ""));
  EXPECT_NE(same.status, 0);
  EXPECT_NE(same.lines.find("02:41:56:52:4c:4e, the MAC address that this board sends from"), std::string::npos)
      << same.lines;
}

TEST(Lab, AssertsAreDecidedInTimeAndSayWhatWasFound) {
  const std::pair<std::string, std::pair<bool, std::string>> asserts[] = {
      {"text = 'boot 1'\nby = '1s'", {true, "seen at 0.0"}},
      {"text = 'boot 2'\nby = '1s'", {false, "not seen"}},
      {"no-text = 'boot 2'\nby = '1s'", {true, "not seen"}},
      {"no-text = 'boot 1'\nby = '1s'", {false, "seen at 0.0"}},
      {"value = 'cycles.total'\nat = '1s'\nequals = 16000000", {true, "is 16000000"}},
      {"value = 'cycles.total'\nmin = 48000001", {false, "is 48000000"}},
      {"value = 'cycles.active'\nmin = 1\nmax = 1000000", {true, "is "}},
      {"value = 'nic.drops.fifo-full'\nmax = 0", {true, "is 0"}},
      {"status = 0", {false, "has not ended"}},
  };
  for (const auto& [assert, expected] : asserts) {
    const Outcome outcome = run(boots("[[assert]]\nboard = 'a'\n" + assert + "\n"));
    EXPECT_EQ(outcome.status, expected.first ? 0 : 1) << assert;
    EXPECT_EQ(outcome.json["asserts"][0]["passed"], expected.first) << assert;
    EXPECT_EQ(outcome.json["asserts"][0]["found"].get<std::string>().substr(0, expected.second.size()),
              expected.second);
  }
}

TEST(Lab, TheDigestIsOfTheUartAndTheEndsToo) {
  const auto digest = [](const std::string& text) { return run(text).digest; };
  const std::string one = digest(boots(""));
  EXPECT_EQ(digest(boots("")), one);
  EXPECT_NE(digest(boots("eeprom = '05'\n")), one) << "another number of boots is printed";
  EXPECT_NE(digest(boots("freq = 8000000\n")), one) << "half of the cycles";
}

TEST(Lab, CheckOpensNothing) {
  const auto file = std::filesystem::temp_directory_path() / ("avrlan-lab-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file)
      << "pace = 'real'\ntimeout = '1s'\n[[board]]\nname = 'a'\nfirmware = '" AVRLAN_VARIANT_DIR
         "/boots.elf'\n[[backend]]\nname = 'n'\nnet = 'socket,listen=unix:/nonexistent/socket'\nconnect = 'a'\n";
  EXPECT_EQ(test::run({AVRLAN_PROGRAM, "lab", "--check", file.string()}).status, 0);
  const Completed done = test::run({AVRLAN_PROGRAM, "lab", file.string()});
  EXPECT_EQ(done.status, 71);
  EXPECT_NE(done.err.find(file.string() + ":7:8: "), std::string::npos) << done.err;
  std::filesystem::remove(file);
}

TEST(Lab, ReportNamesTheBoards) {
  const auto directory = std::filesystem::temp_directory_path() / ("avrlan-lab-" + std::to_string(::getpid()) + ".out");
  const auto file = directory / "boots.toml";
  std::filesystem::create_directories(directory);
  std::ofstream(file) << boots("[[fault]]\nat = '1s'\nkind = 'power-cycle'\nstation = 'a'\n");
  const std::string out = (directory / "out").string();
  const Completed lab = test::run({AVRLAN_PROGRAM, "lab", file.string(), "--out", out});
  EXPECT_NE(lab.err.find("powered on 2 times"), std::string::npos) << lab.err;
  EXPECT_NE(lab.err.find(" 46400000 cycles"), std::string::npos) << "2.9 s, both together: " << lab.err;
  const Completed report = test::run({AVRLAN_PROGRAM, "report", out});
  EXPECT_EQ(report.status, 64);
  EXPECT_NE(report.err.find("report on one of them: " + out + "/a"), std::string::npos) << report.err;
  EXPECT_EQ(test::run({AVRLAN_PROGRAM, "report", out + "/a"}).status, 0);
  std::filesystem::remove_all(directory);
}

// The host's own curl, through libslirp and a switch.
TEST(Lab, ABackendLeadsToTheHostsNetwork) {
  const auto file = std::filesystem::temp_directory_path() / ("avrlan-lab-" + std::to_string(::getpid()) + ".toml");
  std::ofstream(file)
      << hall << "[[board]]\nname = 'server'\nboard = 'mega-enc28j60'\nfirmware = '" << AVRLAN_FIRMWARE_DIR
      << "/mega-enc28j60/web.elf'\nconnect = 'hall'\n"
      << "[[backend]]\nname = 'host'\nnet = 'user'\nhostfwd = 'tcp:127.0.0.1:0-:80'\nconnect = 'hall'\n";
  Process lab({AVRLAN_PROGRAM, "lab", file.string()});
  ASSERT_TRUE(lab.wait_for_err(" -> ")) << lab.err();
  const auto at = lab.err().find("127.0.0.1:");
  const std::string port = lab.err().substr(at + 10, lab.err().find(' ', at) - at - 10);
  const Completed page = test::run({"curl", "-s", "-m", "50", "http://127.0.0.1:" + port + "/"});
  EXPECT_EQ(page.status, 0);
  EXPECT_NE(page.out.find("</html>"), std::string::npos);
  lab.signal(SIGTERM);
  EXPECT_EQ(lab.finish().status, 128 + SIGTERM);
  std::filesystem::remove(file);
}

// Of emulator/lab/README.md, as it stands there.
TEST(Lab, TheReadmesExampleRuns) {
  std::ifstream readme(AVRLAN_SOURCE_DIR "/emulator/lab/README.md");
  const std::string text((std::istreambuf_iterator<char>(readme)), {});
  const auto begin = text.find("```toml\n") + 8;
  std::string example = text.substr(begin, text.find("```", begin) - begin);
  const std::string firmware = "\"web.elf\"";
  example.replace(example.find(firmware), firmware.size(), "'" AVRLAN_FIRMWARE_DIR "/mega-enc28j60/web.elf'");
  const Outcome outcome = run(example);
  EXPECT_EQ(outcome.status, 0) << outcome.json["asserts"] << outcome.lines;
  EXPECT_EQ(run(example, 2).digest, outcome.digest);
}

}  // namespace
}  // namespace avrlan::test
