// What `--profile` leaves, read by the tools that it is for, and sums that have to be the run's to the cycle.

#include <gtest/gtest.h>

#include <algorithm>
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
  std::filesystem::path elf;
  friend std::ostream& operator<<(std::ostream& out, const Image& image) {
    return out << image.board << " " << image.elf.stem().string();
  }
};

void ask(ScriptedPeer& peer) {
  peer.get("/");
  peer.get("/bytes?n=3000");
  peer.tcp(7, "echo", 4);
  peer.ping(std::string(300, 'p'));
}

class EveryImage : public testing::TestWithParam<Image> {};

TEST_P(EveryImage, AccountsForEveryCycle) {
  const ProfiledRun run(GetParam().board, GetParam().elf.string(), Duration::seconds(5), ask);
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

// Every image that is built, and the web image as others build theirs.
std::vector<Image> images() {
  std::vector<Image> all;
  const auto add = [&](const std::string& directory, const std::string& board) {
    for (const auto& entry : std::filesystem::directory_iterator(directory + "/" + board)) {
      if (entry.path().extension() == ".elf") all.push_back({board, entry.path()});
    }
  };
  for (const std::string board : {"uno-enc28j60", "mega-enc28j60"}) add(AVRLAN_FIRMWARE_DIR, board);
  add(AVRLAN_VARIANT_DIR, "mega-enc28j60");
  std::sort(all.begin(), all.end(), [](const Image& a, const Image& b) { return a.elf < b.elf; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Boards, EveryImage, testing::ValuesIn(images()), [](const auto& image) {
  std::string name = image.param.board + "_" + image.param.elf.stem().string();
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

TEST(Coverage, SaysWhenTheFirmwareHasNoLines) {
  const auto directory = scratch("coverage-bare");
  std::filesystem::create_directories(directory);
  const std::string bare = (directory / "bare.elf").string();
  ASSERT_EQ(run({"avr-objcopy", "--strip-debug", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", bare}).status, 0);
  const auto done = run({AVRLAN_PROGRAM, "run", bare, "--net", "none", "--pace", "max", "--timeout", "2s", "--coverage",
                         "--out", (directory / "out").string()});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(done.err.find("bare.elf has no debug information, so coverage.info will have no lines"), std::string::npos);
}

// Reads timeline.json as the Trace Event Format's document has it, stricter than the viewers: known phases with their
// fields and no others, numbers that are numbers, each track named before its first event and in the order of time, each E
// with its B, slices of a track one after the other. Prints how many events each track has, how many cycles of 16 MHz its slices
// last, and what otherData says.
constexpr const char* check_trace = R"(
import json, math, sys
def no_constants(name): raise ValueError(name)
trace = json.load(open(sys.argv[1]), parse_constant=no_constants)
assert set(trace) == {'traceEvents', 'displayTimeUnit', 'otherData'}, set(trace)
assert trace['displayTimeUnit'] in ('ms', 'ns')
fields = {'B': {'name', 'ts'}, 'E': {'ts'}, 'X': {'name', 'ts', 'dur'}, 'i': {'name', 'ts', 's'},
          'C': {'name', 'ts', 'args'}, 'M': {'name', 'args'}}
names, stacks, last, busy, count, length = {}, {}, {}, {}, {}, {}
def number(n): assert type(n) in (int, float) and math.isfinite(n) and n >= 0, n
for e in trace['traceEvents']:
    assert set(e) == fields[e['ph']] | {'ph', 'pid', 'tid'}, e
    assert type(e['pid']) is int and type(e['tid']) is int and e['pid'] == 1, e
    if e['ph'] != 'E': assert type(e['name']) is str and e['name'], e
    tid = e['tid']
    if e['ph'] == 'M':
        if e['name'] == 'thread_sort_index': assert type(e['args']['sort_index']) is int, e
        else: assert type(e['args']['name']) is str and e['args']['name'], e
        if e['name'] == 'thread_name': names[tid] = e['args']['name']
        else: assert e['name'] in ('process_name', 'thread_sort_index'), e
        continue
    assert tid in names, e
    number(e['ts'])
    assert e['ts'] >= last.get(tid, 0), e
    last[tid] = e['ts']
    track = names[tid]
    count[track] = count.get(track, 0) + 1
    if e['ph'] == 'B': stacks.setdefault(tid, []).append((e['name'], e['ts']))
    if e['ph'] == 'E':
        name, since = stacks[tid].pop()
        if len(sys.argv) > 2: print(name, round((e['ts'] - since) * 16))
    if e['ph'] == 'X':
        number(e['dur'])
        assert e['ts'] >= busy.get(tid, 0) - 1e-3, e
        busy[tid] = e['ts'] + e['dur']
        length[track] = length.get(track, 0) + e['dur'] * 16
    if e['ph'] == 'i': assert e['s'] in ('g', 'p', 't'), e
    if e['ph'] == 'C':
        for n in e['args'].values(): number(n)
        length[track] = n
assert not any(stacks.values()), stacks
if len(sys.argv) == 2:
    print(json.dumps({'count': count, 'length': {k: round(v) for k, v in length.items()},
                      'left_out': trace['otherData']['left_out']}))
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
  EXPECT_EQ(done.out, "down 7\ndown 16\ndown 25\nstart 40\n");
}

nlohmann::json web_timeline(const ProfiledRun& run_) {
  const auto directory = scratch("timeline");
  run_.recording->write(directory, "web");
  const auto done = run({"python3", "-c", check_trace, (directory / "timeline.json").string()});
  EXPECT_EQ(done.err, "");
  std::filesystem::remove_all(directory);
  return nlohmann::json::parse(done.out, nullptr, false);
}

TEST(Timeline, HasWhatTheRunHad) {
  profile::RecordingOptions options;
  options.timeline = 10'000'000;
  const ProfiledRun run_("uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(2), ask,
                         options);
  const auto timeline = web_timeline(run_);
  const auto& nic = run_.simulation->nic().counters();
  EXPECT_TRUE(timeline["left_out"].empty()) << timeline;
  EXPECT_EQ(timeline["length"]["sleep"], run_.simulation->machine().totals().sleep.count);
  EXPECT_EQ(timeline["count"]["frames in"], run_.simulation->frames_in().frames);
  EXPECT_EQ(timeline["count"]["frames out"], run_.simulation->frames_out().frames);
  EXPECT_EQ(timeline["count"]["transmitter"], nic.tx_frames);
  EXPECT_EQ(timeline["count"]["chip"], nic.rx_frames + nic.drops.total() + 1) << "and the firmware's reset of the chip";
  EXPECT_EQ(timeline["length"]["frames in the chip"], 0) << "at the end";
  EXPECT_GE(timeline["count"]["INT is low"], 10);
  // The ping's 300 octets, copied by the chip: 80 ns each.
  EXPECT_EQ(timeline["count"]["DMA"], 1);
  EXPECT_NEAR(timeline["length"]["DMA"].get<double>(), 300 * 1.28, 4);
  EXPECT_EQ(timeline["count"]["UART"], 2);
}

TEST(Timeline, SaysWhatItLeavesOut) {
  profile::RecordingOptions options;
  options.timeline = 5;
  const ProfiledRun run_("uno-enc28j60", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf", Duration::seconds(2), ask,
                         options);
  const auto timeline = web_timeline(run_);
  EXPECT_EQ(timeline["count"]["frames in"], 5);
  EXPECT_EQ(timeline["left_out"]["frames in"], run_.simulation->frames_in().frames - 5);
  EXPECT_GT(timeline["left_out"]["calls"], 1000);
  EXPECT_EQ(run_.recording->profiler().timeline().size(), 5u);
}

TEST(Profile, NeedsTheExactEngine) {
  const auto done = run({AVRLAN_PROGRAM, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf", "--engine", "simavr",
                         "--profile", "--timeout", "1s"});
  EXPECT_EQ(done.status, 64);
  EXPECT_NE(done.err.find("--engine"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace avrlan::test
