// What `--profile` leaves, read by the tools that it is for, and sums that have to be the run's to the cycle.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "emulator/profile/outputs.hpp"
#include "emulator/profile/totals.hpp"
#include "tests/system/process.hpp"
#include "tests/system/profiled_run.hpp"

namespace avrlan::test {
namespace {

struct Image {
  std::string board;
  std::string name;  // of an image, or of the web image built otherwise: "web-O0"
  friend std::ostream& operator<<(std::ostream& out, const Image& image) {
    return out << image.board << " " << image.name;
  }
};

std::string path(const Image& image) {
  const bool variant = image.name.find('-') != std::string::npos;
  return std::string(variant ? AVRLAN_VARIANT_DIR : AVRLAN_FIRMWARE_DIR) + "/" + image.board + "/" + image.name +
         ".elf";
}

void ask(ScriptedPeer& peer) {
  peer.get("/");
  peer.get("/bytes?n=3000");
  peer.tcp(7, "echo", 4);
  peer.ping(std::string(300, 'p'));
}

class EveryImage : public testing::TestWithParam<Image> {};

TEST_P(EveryImage, AccountsForEveryCycle) {
  const ProfiledRun run(GetParam().board, path(GetParam()), Duration::seconds(5), ask);
  const auto& profiler = run.recording->profiler();
  const auto& map = run.recording->map();
  const auto totals = run.simulation->machine().totals();

  std::int64_t sum = 0;
  std::map<std::uint32_t, std::int64_t> by_chain;
  for (const auto& function : profile::function_totals(profiler)) {
    sum += function.own.cycles + function.own.sleep;
    by_chain[function.function] = function.own.cycles;
  }
  EXPECT_EQ(sum, totals.total.count);

  std::map<std::uint32_t, std::int64_t> by_instruction;
  for (std::uint32_t word = 0; word < map.flash_words(); ++word) {
    if (const auto cycles = profiler.place(word).cycles) by_instruction[map.function_of(word)] += cycles;
  }
  std::erase_if(by_chain, [](const auto& function) { return function.second == 0; });
  EXPECT_EQ(by_chain, by_instruction) << "the time of the chains and the manual's cycles agree, function by function";

  std::istringstream folded(profile::folded_stacks(profiler));
  std::int64_t folded_sum = 0;
  for (std::string line; std::getline(folded, line);) {
    const auto blank = line.rfind(' ');
    ASSERT_EQ(line.find(' '), blank) << line;
    folded_sum += std::stoll(line.substr(blank + 1));
  }
  EXPECT_EQ(folded_sum, totals.total.count);
}

TEST(Layers, ShareTheRunsCycles) {
  const ProfiledRun run("uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(4), ask);
  nlohmann::ordered_json json;
  run.recording->add_to(json);
  std::int64_t cycles = 0;
  std::map<std::string, std::int64_t> layers;
  for (const auto& layer : json["layers"]) {
    cycles += layer["cycles"].get<std::int64_t>();
    layers[layer["name"]] = layer["cycles"];
  }
  EXPECT_EQ(cycles, run.simulation->machine().totals().active.count);
  for (const char* layer : {"driver", "ethernet, arp", "ip, icmp", "tcp", "application"})
    EXPECT_GT(layers[layer], 0) << layer;
}

// stack/README.md: the block transfers take 18 cycles a byte, however long the block is.
TEST(Layers, ARegionAgreesWithTheLoopThatItNames) {
  const auto per_byte = [](int octets) {
    profile::RecordingOptions options;
    options.regions.push_back(profile::CodeGroup::parse("out=*board::Spi::write_sum*"));
    const ProfiledRun run(
        "uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(4),
        [&](ScriptedPeer& peer) { peer.get("/bytes?n=" + std::to_string(octets)); }, options);
    nlohmann::ordered_json json;
    run.recording->add_to(json);
    return std::pair{json["regions"][0]["cycles"].get<std::int64_t>(), json["regions"][0]["bytes"].get<std::int64_t>()};
  };
  const auto [few_cycles, few_bytes] = per_byte(1024);
  const auto [many_cycles, many_bytes] = per_byte(1024 + 32 * 50);
  // In chunks of 32 octets: 18 cycles an octet, and what a call costs on top.
  const double marginal = static_cast<double>(many_cycles - few_cycles) / static_cast<double>(many_bytes - few_bytes);
  EXPECT_GE(marginal, 18.0);
  EXPECT_LE(marginal, 19.0);
}

TEST(Layers, ARegionOfUnknownNamesIsRefused) {
  const auto done = run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", "--net", "none",
                         "--region", "x=no_such_function*"});
  EXPECT_EQ(done.status, 64);
  EXPECT_NE(done.err.find("'no_such_function*'"), std::string::npos) << done.err;
  EXPECT_EQ(run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", "--region", "x"}).status, 64);
}

std::vector<Image> images() {
  std::vector<Image> all;
  for (const std::string board : {"uno-enc28j60", "mega-enc28j60"}) {
    for (const std::string name : {"web", "echo", "connect", "hello", "fail"}) all.push_back({board, name});
  }
  for (const std::string variant : {"web-O0", "web-O2", "web-lto"}) all.push_back({"mega-enc28j60", variant});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Boards, EveryImage, testing::ValuesIn(images()), [](const auto& image) {
  std::string name = image.param.board + "_" + image.param.name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

std::filesystem::path scratch(const std::string& name) {
  auto directory = std::filesystem::path(testing::TempDir()) / ("avrlan-" + name + "-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  return directory;
}

// Rows of callgrind_annotate by function: "1,234 (5.67%)  56 (7.8%) ... file:function [firmware]".
struct Annotated {
  explicit Annotated(const std::filesystem::path& file, bool inclusive) {
    const auto done = run({"callgrind_annotate", std::string("--inclusive=") + (inclusive ? "yes" : "no"),
                           "--threshold=100", "--auto=no", file.string()});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.err, "");
    std::istringstream text(done.out);
    for (std::string line; std::getline(text, line);) {
      if (line.find("PROGRAM TOTALS") != std::string::npos) total = number(line);
      const auto name = line.rfind(':');
      const auto first = line.find_first_not_of(' ');
      if (name != std::string::npos && line[first] >= '0' && line[first] <= '9')
        rows[line.substr(name + 1, line.find(" [", name) - name - 1)] += number(line);
    }
  }
  static std::int64_t number(const std::string& line) {
    std::string digits;
    for (const char c : line.substr(line.find_first_not_of(' '))) {
      if (c >= '0' && c <= '9') digits += c;
      if (c == ' ') break;
    }
    return std::stoll(digits);
  }
  std::int64_t total = 0;
  std::map<std::string, std::int64_t> rows;
};

TEST(Callgrind, AnnotateReadsTheNumbersCountedByHand) {
  const ProfiledRun run("uno-enc28j60", AVRLAN_ASSEMBLED_DIR "/recursion_atmega328p.elf", Duration::seconds(1));
  const auto directory = scratch("annotate");
  run.recording->write(directory, "recursion");
  const Annotated own(directory / "callgrind.out", false);
  EXPECT_EQ(own.total, run.total());
  EXPECT_EQ(own.rows.at("down"), 25);
  EXPECT_EQ(own.rows.at("start"), run.total() - 25);
  const Annotated inclusive(directory / "callgrind.out", true);
  EXPECT_EQ(inclusive.rows.at("down"), 25);
  EXPECT_EQ(inclusive.rows.at("start"), run.total());
}

TEST(Callgrind, AnnotateReadsAnImage) {
  const ProfiledRun run("uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(4), ask);
  const auto directory = scratch("image");
  run.recording->write(directory, "web");
  const Annotated own(directory / "callgrind.out", false);
  EXPECT_EQ(own.total, run.simulation->machine().totals().active.count);

  // Callers and callees of each function, and the sources with their lines' cycles.
  const auto tree =
      avrlan::test::run({"callgrind_annotate", "--tree=both", "--auto=yes", (directory / "callgrind.out").string()},
                        [] { EXPECT_EQ(::chdir(AVRLAN_SOURCE_DIR), 0); });
  EXPECT_EQ(tree.status, 0);
  EXPECT_EQ(tree.err, "");
  EXPECT_EQ(tree.out.find("WARNING"), std::string::npos);
  EXPECT_NE(tree.out.find(" * "), std::string::npos);
  EXPECT_NE(tree.out.find("Auto-annotated source: firmware/board/spi.hpp"), std::string::npos);
}

TEST(Profile, IsWrittenByTheCommand) {
  const auto directory = scratch("command");
  const auto done = run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", "--net", "none",
                         "--pace", "max", "--timeout", "2s", "--profile", "--out", directory.string()});
  EXPECT_NE(done.err.find("function\n"), std::string::npos) << done.err;
  std::ifstream file(directory / "run.json");
  const auto json = nlohmann::json::parse(file);
  std::int64_t sum = 0;
  for (const auto& function : json.at("functions"))
    sum += function.at("cycles").get<std::int64_t>() + function.at("sleep").get<std::int64_t>();
  EXPECT_EQ(sum, json.at("cycles").at("total").get<std::int64_t>());
  EXPECT_TRUE(std::filesystem::exists(directory / "callgrind.out"));
  EXPECT_TRUE(std::filesystem::exists(directory / "stacks.folded"));
}

TEST(Coverage, IsReadByGenhtml) {
  const auto directory = scratch("coverage");
  run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", "--net", "none", "--pace", "max",
       "--timeout", "2s", "--coverage", "--out", directory.string()});
  std::ifstream file(directory / "run.json");
  const auto json = nlohmann::json::parse(file);
  const auto lines = json.at("coverage").at("lines");
  EXPECT_GT(lines.at("hit").get<int>(), 10);
  EXPECT_GE(lines.at("found"), lines.at("hit"));

  // Sources are named from the repository's root.
  const auto done = run({"genhtml", "--branch-coverage", "--demangle-cpp", "-o", (directory / "html").string(),
                         (directory / "coverage.info").string()},
                        [] { EXPECT_EQ(::chdir(AVRLAN_SOURCE_DIR), 0); });
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out.find("arning"), std::string::npos) << done.out;
  const std::string rate = "(" + std::to_string(lines.at("hit").get<int>()) + " of " +
                           std::to_string(lines.at("found").get<int>()) + " lines)";
  EXPECT_NE(done.out.find(rate), std::string::npos) << done.out;
}

// The trace event format's rules, checked by another reader than ours: phases, times in order, every B with its E.
constexpr const char* check_trace = R"(
import json, sys
trace = json.load(open(sys.argv[1]))
open_calls, last = {}, {}
for e in trace['traceEvents']:
    assert e['pid'] == 1 and e['ph'] in 'BEXiM', e
    if e['ph'] == 'M': continue
    tid = e['tid']
    assert e['ts'] >= last.get(tid, 0), e
    last[tid] = e['ts']
    if e['ph'] == 'B': open_calls.setdefault(tid, []).append((e['name'], e['ts']))
    if e['ph'] == 'E':
        name, since = open_calls[tid].pop()
        if len(sys.argv) > 2: print(name, round((e['ts'] - since) * 16))
assert not any(open_calls.values()), open_calls
print('left out', trace['otherData']['left_out_calls'])
)";

TEST(Timeline, HasTheCallsThatWereCountedByHand) {
  profile::RecordingOptions options;
  options.timeline = 100;
  const ProfiledRun run_("uno-enc28j60", AVRLAN_ASSEMBLED_DIR "/recursion_atmega328p.elf", Duration::seconds(1), {},
                         options);
  const auto directory = scratch("timeline");
  run_.recording->write(directory, "recursion");
  const auto done = run({"python3", "-c", check_trace, (directory / "timeline.json").string(), "all"});
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out, "down 7\ndown 16\ndown 25\nstart 40\nleft out 0\n");
}

TEST(Timeline, IsWellFormedAndBounded) {
  for (const std::size_t most : {1000U, 10'000'000U}) {
    profile::RecordingOptions options;
    options.timeline = most;
    const ProfiledRun run_("uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(2), ask,
                           options);
    const auto directory = scratch("timeline");
    run_.recording->write(directory, "web");
    const auto done = run({"python3", "-c", check_trace, (directory / "timeline.json").string()});
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(done.out == "left out 0\n", most != 1000) << done.out;
    EXPECT_LE(run_.recording->profiler().timeline().size(), most);
  }
}

TEST(Profile, NeedsTheExactEngine) {
  const auto done = run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", "--engine", "simavr",
                         "--profile", "--timeout", "1s"});
  EXPECT_EQ(done.status, 64);
  EXPECT_NE(done.err.find("--engine"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace avrlan::test
