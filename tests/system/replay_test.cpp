// Recordings of real and scripted exchanges (traces/), played to the images without a network; and what `avrlan replay` says
// when something is another.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "emulator/board/host_error.hpp"
#include "emulator/cli/trace_header.hpp"
#include "emulator/net/decode.hpp"
#include "emulator/net/trace_reader.hpp"
#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

namespace fs = std::filesystem;

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string program = AVRLAN_PROGRAM;
const fs::path traces = AVRLAN_SOURCE_DIR "/traces";
const std::string plain = AVRLAN_VARIANT_DIR "/mega-enc28j60/echo-plain.elf";
const std::string with_nop = AVRLAN_VARIANT_DIR "/mega-enc28j60/echo-nop.elf";

// "uno-enc28j60/web.curl"
std::vector<std::string> trace_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(traces)) {
    if (entry.path().extension() == ".pcapng")
      names.push_back(fs::relative(entry.path(), traces).replace_extension().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path trace_of(const std::string& name) {
  return traces / (name + ".pcapng");
}
std::string firmware_of(const std::string& name) {
  const auto slash = name.find('/');
  return AVRLAN_FIRMWARE_DIR "/" + name.substr(0, slash) + "/" +
         name.substr(slash + 1, name.find('.', slash) - slash - 1) + ".elf";
}

class Traces : public testing::TestWithParam<std::string> {};

TEST_P(Traces, AreWhatTheFirmwareDoesToTheCycle) {
  const auto done = run({program, "replay", trace_of(GetParam()).string(), firmware_of(GetParam()), "--any-firmware"});
  EXPECT_EQ(done.status, 0) << done.err << "if that is meant: sh traces/update.sh BUILD, see traces/README.md";
}

TEST_P(Traces, AreTheSameForSimavrsInterpreter) {
  if (GetParam().starts_with("ethernut1")) GTEST_SKIP() << "simavr's interpreter has no external bus";
  const auto done = run({program, "replay", trace_of(GetParam()).string(), firmware_of(GetParam()), "--any-firmware",
                         "--engine", "simavr"});
  EXPECT_EQ(done.status, 0) << done.err;
}

// Field by field, against Wireshark's dissectors.
TEST_P(Traces, AreDecodedAsWiresharkDoes) {
  const std::vector<std::string> fields = {"eth.dst",
                                           "eth.src",
                                           "arp.src.proto_ipv4",
                                           "ip.src",
                                           "ip.dst",
                                           "ip.ttl",
                                           "ip.len",
                                           "icmp.type",
                                           "udp.srcport",
                                           "udp.dstport",
                                           "udp.length",
                                           "tcp.srcport",
                                           "tcp.dstport",
                                           "tcp.seq_raw",
                                           "tcp.ack_raw",
                                           "tcp.hdr_len",
                                           "tcp.len",
                                           "tcp.window_size_value",
                                           "tcp.options.mss_val",
                                           "dhcp.ip.your",
                                           "dhcp.option.ip_address_lease_time",
                                           "dhcp.option.router",
                                           "dns.qry.name",
                                           "dns.a",
                                           "ntp.stratum"};
  std::vector<std::string> command = {"tshark", "-n",     "-r", trace_of(GetParam()).string(),
                                      "-T",     "fields", "-o", "ip.check_checksum:FALSE"};
  for (const auto& field : fields) command.insert(command.end(), {"-e", field});
  const auto tshark = run(command);
  ASSERT_EQ(tshark.status, 0) << tshark.err;
  std::istringstream lines(tshark.out);
  for (const auto& frame : net::read_trace(trace_of(GetParam())).frames) {
    std::string line, ours;
    std::getline(lines, line);
    if (!frame.frame.fcs_ok()) continue;  // whose damage each takes in its own way
    const auto decoded = net::decode(frame.frame.octets);
    for (const auto& name : fields) {
      std::string values;
      for (const auto& field : decoded) {
        if (field.name == name) values += (values.empty() ? "" : ",") + field.value;
      }
      ours += (name == fields.front() ? "" : "\t") + values;
    }
    EXPECT_EQ(ours, line);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Traces, testing::ValuesIn(trace_names()), [](const auto& trace) {
  std::string name = trace.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

class Replay : public testing::Test {
 protected:
  Replay() {
    std::string name = (fs::temp_directory_path() / "avrlan-replay-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~Replay() override { fs::remove_all(directory_); }

  // Of the echo image without the NOP.
  std::string record(const std::vector<std::string>& steps = {"tcp:7:6162636465:5", "ping:40"}) const {
    const std::string file = (directory_ / "trace.pcapng").string();
    std::vector<std::string> command = {AVRLAN_RECORD_SCRIPTED, "mega-enc28j60", plain, file, "2"};
    command.insert(command.end(), steps.begin(), steps.end());
    const auto done = run(command);
    EXPECT_EQ(done.status, 0) << done.err;
    return file;
  }
  static Completed replay(const std::vector<std::string>& arguments, const std::vector<std::string>& before = {}) {
    std::vector<std::string> command = before;
    command.insert(command.end(), {program, "replay"});
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run(command);
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path directory_;
};

TEST_F(Replay, OpensNoSocket) {
  const std::string trace = record(), log = (directory_ / "calls").string();
  const auto done = replay({trace, plain}, {"strace", "-f", "-e", "trace=%network", "-o", log});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, ContainsRegex("[0-9]+ frames to the board and [0-9]+ from it as recorded, to the cycle"));
  const std::string calls = text_of(log);
  EXPECT_THAT(calls, HasSubstr("exited with 0"));
  EXPECT_THAT(calls, Not(ContainsRegex("socket|connect|bind|send|recv")));
}

TEST_F(Replay, NamesTheFirstFrameBehindOneNopMore) {
  const std::string trace = record();
  // The first that the firmware sends because of one that it has received.
  const auto frames = net::read_trace(trace).frames;
  const auto first_in = std::find_if(frames.begin(), frames.end(), [](const auto& f) { return f.to_board; });
  const auto answer = std::find_if(first_in, frames.end(), [](const auto& f) { return !f.to_board; });
  const auto number = std::to_string(answer - frames.begin() + 1);
  const auto done = replay({trace, with_nop, "--any-firmware", "--out", (directory_ / "out").string()});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, ContainsRegex("trace.pcapng: frame " + number +
                                      " was sent [0-9]+ cycles? later than recorded, at cycle [0-9]+ for " +
                                      std::to_string(answer->cycle)));
  EXPECT_THAT(done.err, HasSubstr(net::summary(answer->frame.octets)));
  EXPECT_THAT(done.err, ContainsRegex("\n  sent by .*:[0-9]+: .*\n     from .*enc28j60.hpp:[0-9]+: "));
  const auto json = nlohmann::json::parse(text_of(directory_ / "out" / "run.json"));
  EXPECT_EQ(json["result"]["reason"], "replay-differs");
  EXPECT_EQ(json["result"]["status"], 1);
  EXPECT_THAT(json["replay"]["difference"].get<std::string>(), HasSubstr("frame " + number));
}

// A run that is killed leaves whole blocks. What the firmware did behind the last of them nobody knows.
TEST_F(Replay, TakesARecordingThatEndsBehindAnyFrame) {
  const std::string trace = record(), whole = text_of(trace);
  const std::string cut = (directory_ / "cut.pcapng").string();
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < whole.size();) {
    std::uint32_t type = 0, length = 0;
    std::memcpy(&type, whole.data() + at, sizeof type);
    std::memcpy(&length, whole.data() + at + 4, sizeof length);
    at += length;
    constexpr std::uint32_t enhanced_packet = 6;
    if (type == enhanced_packet) ends.push_back(at);
  }
  ASSERT_GT(ends.size(), 10u);
  for (const std::size_t end : ends) {
    std::ofstream(cut, std::ios::binary) << whole.substr(0, end);
    const auto done = replay({cut, plain});
    EXPECT_EQ(done.status, 0) << end << ": " << done.err;
    EXPECT_THAT(done.err, HasSubstr("has no end"));
  }
  std::ofstream(cut, std::ios::binary) << whole.substr(0, ends.back());
  EXPECT_EQ(replay({cut, with_nop, "--any-firmware"}).status, 1) << "up to there it is compared";
}

TEST_F(Replay, UpdatesWhatALinkLeadsTo) {
  const std::string trace = record(), link = (directory_ / "link.pcapng").string();
  fs::create_symlink(trace, link);
  const std::string before = text_of(trace);
  EXPECT_EQ(replay({link, with_nop, "--update"}).status, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(text_of(trace) == before);
}

TEST_F(Replay, UpdateLeavesTheFileWhatItIs) {
  const std::string trace = record(), link = (directory_ / "hard.pcapng").string();
  const std::string beside = trace + ".new";
  std::ofstream(beside) << "mine";
  fs::create_hard_link(trace, link);
  fs::permissions(trace, fs::perms::owner_read | fs::perms::owner_write);
  const auto written = fs::last_write_time(trace);
  EXPECT_EQ(replay({trace, plain, "--update"}).status, 0);
  EXPECT_EQ(fs::last_write_time(trace), written) << "nothing has changed";
  EXPECT_EQ(replay({trace, with_nop, "--update"}).status, 0);
  EXPECT_TRUE(fs::equivalent(trace, link));
  EXPECT_EQ(fs::status(trace).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(replay({link, with_nop}).status, 0);
  EXPECT_EQ(text_of(beside), "mine");
}

// What a run has recorded is in its file half a second later at the most.
TEST_F(Replay, ARunThatIsKilledHasWrittenWhatItHad) {
  const std::string file = (directory_ / "kill.pcapng").string();
  const std::string echo = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/echo.elf";
  Process board({program, "run", echo, "--net", "none", "--record", file});
  ASSERT_TRUE(board.wait_for_out("avrlan echo"));
  const auto header = fs::file_size(file);
  for (int tries = 0; tries < 100 && fs::file_size(file) == header; ++tries) ::poll(nullptr, 0, 50);
  EXPECT_GT(fs::file_size(file), header);
  board.signal(SIGKILL);
  board.finish();
  const auto done = replay({file, echo});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("has no end"));
}

TEST_F(Replay, SaysThatGdbWantsTheExactEngine) {
  const std::string file = (directory_ / "simavr.pcapng").string();
  const std::string echo = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/echo.elf";
  run({program, "run", echo, "--net", "none", "--pace", "max", "--timeout", "1ms", "--engine", "simavr", "--record",
       file});
  const auto done = replay({file, echo, "--gdb=0"});
  EXPECT_EQ(done.status, 64);
  EXPECT_THAT(done.err, HasSubstr("add --engine exact"));
}

TEST_F(Replay, UpdateOfARunThatWasStoppedChangesNothing) {
  const std::string file = (directory_ / "stopped.pcapng").string();
  const std::string echo = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/echo.elf";
  const auto recorded =
      run({program, "run", echo, "--net", "none", "--pace", "max", "--timeout", "1s", "--record", file});
  ASSERT_EQ(recorded.status, 42);
  const std::string before = text_of(file);
  EXPECT_THAT(replay({file, echo, "--update"}).err, HasSubstr("nothing has changed"));
  EXPECT_TRUE(text_of(file) == before);
}

// As when its terminal is closed.
TEST_F(Replay, ARunThatIsHungUpHasAnEnd) {
  const std::string file = (directory_ / "hup.pcapng").string();
  const std::string echo = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/echo.elf";
  Process board({program, "run", echo, "--net", "none", "--record", file});
  ASSERT_TRUE(board.wait_for_out("avrlan echo"));
  board.signal(SIGHUP);
  const auto done = board.finish();
  EXPECT_EQ(done.status, 128 + SIGHUP);
  EXPECT_THAT(done.err, HasSubstr("ended     SIGHUP"));
  const auto replayed = replay({file, echo});
  EXPECT_EQ(replayed.status, 0) << replayed.err;
  EXPECT_THAT(replayed.err, Not(HasSubstr("has no end")));
}

// As nohup starts it; and as a shell starts what it runs in the background.
TEST_F(Replay, GoesOnWithoutItsTerminalWhenToldTo) {
  Process board({program, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/echo.elf", "--net", "none"}, [] {
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
  });
  ASSERT_TRUE(board.wait_for_out("avrlan echo"));
  board.signal(SIGHUP);
  board.signal(SIGINT);
  EXPECT_EQ(board.finish().status, 128 + SIGINT);
}

TEST_F(Replay, LoosePassesWhatDiffersInCyclesOnly) {
  const auto done = replay({record(), with_nop, "--any-firmware", "--loose"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("as recorded, whatever the cycle"));
}

TEST_F(Replay, UpdateSaysWhatHasChangedAndMakesItTheRecording) {
  const std::string trace = record(), before = text_of(trace);
  ASSERT_EQ(replay({trace, plain, "--any-firmware"}).status, 0);
  EXPECT_TRUE(text_of(trace) == before) << "only when asked";
  const auto same = replay({trace, plain, "--update"});
  EXPECT_EQ(same.status, 0);
  EXPECT_THAT(same.err, HasSubstr("nothing has changed"));
  EXPECT_TRUE(text_of(trace) == before) << "to the octet";
  const auto updated = replay({trace, with_nop, "--update"});
  EXPECT_EQ(updated.status, 0);
  EXPECT_THAT(updated.err, HasSubstr("trace.pcapng is updated: "));
  EXPECT_THAT(updated.err, ContainsRegex("[0-9]+ of [0-9]+ frames from the board at other cycles"));
  EXPECT_EQ(replay({trace, with_nop}).status, 0) << "now of this firmware, to the cycle";
  EXPECT_EQ(replay({trace, plain, "--any-firmware"}).status, 1);
  EXPECT_FALSE(fs::exists(trace + ".new"));
}

// Recorded frame n from the board with another octet.
std::string with_other_octet(const std::string& trace, const EthernetFrame& frame, std::size_t octet) {
  std::string text = trace;
  const auto at = text.find(std::string(frame.octets.begin(), frame.octets.end()));
  EXPECT_NE(at, std::string::npos);
  text[at + octet] = static_cast<char>(text[at + octet] ^ 1);
  return text;
}

TEST_F(Replay, ShowsADifferentFrameBesideTheRecordedOne) {
  const std::string trace = record();
  const auto frames = net::read_trace(trace).frames;
  const auto echoed = std::find_if(frames.begin(), frames.end(), [](const auto& f) {
    return !f.to_board && net::summary(f.frame.octets).ends_with("len 5");
  });
  ASSERT_NE(echoed, frames.end());
  constexpr std::size_t ttl = 22, last_letter = 58;
  for (const auto& [octet, line] : {std::pair(ttl, "\\* ip.ttl +[0-9]+ +[0-9]+\n"),
                                    std::pair(last_letter, "\\* tcp.payload +0000: 61 .. .. .. .. .*abcd")}) {
    const std::string other = (directory_ / "other.pcapng").string();
    std::ofstream(other, std::ios::binary) << with_other_octet(text_of(trace), echoed->frame, octet);
    const auto done = replay({other, plain});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err,
                HasSubstr("frame " + std::to_string(echoed - frames.begin() + 1) + " was sent at the recorded cycle " +
                          std::to_string(echoed->cycle) + ", and is another\n"));
    EXPECT_THAT(done.err, ContainsRegex(line));
    EXPECT_THAT(done.err, ContainsRegex("\n  tcp.dstport +49152 +49152\n"));
    EXPECT_EQ(replay({other, plain, "--loose"}).status, 1);
  }
}

TEST_F(Replay, TellsAFrameThatDoesNotCome) {
  const std::string trace = record();
  // echo answers a ping; hello sends nothing.
  const std::string hello = AVRLAN_FIRMWARE_DIR "/mega-enc28j60/hello.elf";
  for (const char* how : {"--any-firmware", "--loose"}) {
    const auto done = replay({trace, hello, "--any-firmware", how});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, ContainsRegex("frame 1 was not sent, recorded at cycle [0-9]+\n  UDP 0.0.0.0:68"));
  }
  const std::string before = text_of(trace);
  const auto update = replay({trace, hello, "--update"});
  EXPECT_EQ(update.status, 1);
  EXPECT_THAT(update.err, HasSubstr("is left as it was"));
  EXPECT_TRUE(text_of(trace) == before);
}

TEST_F(Replay, TellsAFrameThatWasNotRecorded) {
  const std::string trace = record();
  const auto frames = net::read_trace(trace).frames;
  const auto last = std::find_if(frames.rbegin(), frames.rend(), [](const auto& f) { return !f.to_board; });
  // Without the block of the last frame from the board.
  std::string text = text_of(trace);
  const auto block = text.find(std::string(last->frame.octets.begin(), last->frame.octets.end())) - 28;
  std::uint32_t length = 0;
  std::memcpy(&length, text.data() + block + 4, sizeof length);
  const std::string file = (directory_ / "without.pcapng").string();
  std::ofstream(file, std::ios::binary) << text.erase(block, length);
  for (const bool loose : {false, true}) {
    const auto done = loose ? replay({file, plain, "--loose"}) : replay({file, plain});
    EXPECT_EQ(done.status, 1);
    EXPECT_THAT(done.err, ContainsRegex("a frame at cycle [0-9]+ that was not sent in the recording, which has " +
                                        std::to_string(frames.size() - 1) + " frames\n  ICMP "));
  }
}

TEST_F(Replay, ARunThatWasKilledCanBeReplayed) {
  const std::string trace = (directory_ / "killed.pcapng").string();
  const std::string web = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf";
  {
    Process board({program, "run", web, "--hostfwd", "tcp:127.0.0.1:0-:80", "--record", trace});
    ASSERT_TRUE(board.wait_for_out("address ")) << board.err();
    const std::string line = "forwarding tcp 127.0.0.1:";
    const std::string port = board.err().substr(board.err().find(line) + line.size(), 5);
    // More than the recorder keeps to itself.
    ASSERT_EQ(
        run({"curl", "-s", "-o", "/dev/null", "http://127.0.0.1:" + port.substr(0, port.find(' ')) + "/bytes?n=100000"})
            .status,
        0);
    board.signal(SIGKILL);
    board.finish();
  }
  const net::Trace read = net::read_trace(trace);
  EXPECT_FALSE(read.end);
  EXPECT_GT(read.frames.size(), 50U);
  const auto done = replay({trace, web});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("killed.pcapng has no end, since its run was killed"));
}

TEST_F(Replay, TheEndIsComparedToo) {
  const std::string image = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/";
  const std::string trace = (directory_ / "fail.pcapng").string();
  ASSERT_EQ(run({program, "run", image + "fail.elf", "--net", "none", "--pace", "max", "--record", trace}).status, 3);
  EXPECT_EQ(replay({trace, image + "fail.elf"}).status, 0) << "the recorded end is the right one";
  const auto other = replay({trace, image + "hello.elf", "--any-firmware"});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("the firmware has not ended as recorded (firmware-exit, status 3)"));
  const auto later = replay({trace, image + "web.elf", "--any-firmware", "--loose"});
  EXPECT_EQ(later.status, 1);
}

TEST_F(Replay, EndsAtAnErrorThatWasNotRecorded) {
  const std::string nothing = AVRLAN_MISTAKES_DIR "/nothing.elf", mistake = AVRLAN_MISTAKES_DIR "/rx_pointer_even.elf";
  const std::string trace = (directory_ / "trace.pcapng").string();
  const auto record_errors = [&](const std::string& firmware) {
    return run({program, "run", firmware, "--net", "none", "--pace", "max", "--timeout", "1s", "--diag",
                "warning=error", "--record", trace})
        .status;
  };
  ASSERT_NE(record_errors(nothing), 70);
  const auto done = replay({trace, mistake, "--any-firmware"});
  EXPECT_EQ(done.status, 70) << done.err;
  EXPECT_THAT(done.err, HasSubstr(": error: "));
  ASSERT_EQ(record_errors(mistake), 70);
  EXPECT_EQ(replay({trace, mistake}).status, 0) << "with the recorded error";
}

// Nothing of these is given to the replay: it has to find all of them in the recording.
TEST_F(Replay, TheBoardIsSetUpAsItWas) {
  const std::string sensor = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/sensor.elf";
  const fs::path voltages = directory_ / "voltages";
  std::ofstream(voltages) << "0 1.2V\n500ms 3.4V\n";
  const std::string trace = (directory_ / "trace.pcapng").string();
  const auto recorded = run({program,
                             "run",
                             sensor,
                             "--record",
                             trace,
                             "--pace",
                             "max",
                             "--timeout",
                             "4s",
                             "--freq",
                             "8MHz",
                             "--chip-rev",
                             "B5",
                             "--errata",
                             "all=off,link-pulse-collision-every=2",
                             "--uart-baud",
                             "57600",
                             "--cable",
                             "out@1s,in@1500ms",
                             "--analog",
                             "adc1=@" + voltages.string(),
                             "--diag",
                             "warning=note",
                             "--link",
                             "delay=3ms"});
  ASSERT_EQ(recorded.status, 42) << recorded.err;
  fs::remove(voltages);
  ASSERT_GT(net::read_trace(trace).frames.size(), 3U);
  const auto done = replay({trace, sensor});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(done.out, recorded.out);
  // Each of them counts.
  const std::string text = text_of(trace), other = (directory_ / "other.pcapng").string();
  for (const auto& [from, to] :
       {std::pair("\"hz\":8000000", "\"hz\":8000001"), std::pair("collision-every=2", "collision-every=3")}) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    std::ofstream(other, std::ios::binary) << std::string(text).replace(at, std::string(from).size(), to);
    EXPECT_EQ(replay({other, sensor}).status, 1) << to;
  }
}

TEST_F(Replay, ABoardOfAFileIsInTheRecording) {
  const std::string echo = AVRLAN_FIRMWARE_DIR "/ethernut1/echo.elf";
  const std::string trace = (directory_ / "trace.pcapng").string(), board = (directory_ / "mine.toml").string();
  const auto built_in = run({program, "boards", "--toml", "ethernut1"});
  ASSERT_EQ(built_in.status, 0) << built_in.err;
  std::ofstream(board) << std::regex_replace(built_in.out, std::regex("name = .*"), "name = \"mine\"")
                       << "memory-seed = 5\n";
  const std::string out = (directory_ / "out").string();
  const auto recorded = run({program, "run", echo, "-b", board, "--net", "peers", "--peer", "ping,to=10.0.2.15,count=3",
                             "--until-peers-done", "--pace", "max", "--record", trace, "--out", out});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  const auto json = nlohmann::json::parse(text_of(out + "/run.json"));
  EXPECT_EQ(json["board"], "mine");
  EXPECT_THAT(json["board_toml"].get<std::string>(), HasSubstr("memory-seed = 5"));
  fs::remove(board);
  const auto done = replay({trace, echo});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("as recorded, to the cycle"));
}

TEST_F(Replay, TheUartIsComparedToo) {
  const std::string trace = record();
  std::string text = text_of(trace);
  const auto at = text.rfind("\"octets\":");
  ASSERT_NE(at, std::string::npos);
  text[at + 9] = static_cast<char>(text[at + 9] ^ 1);
  const std::string other = (directory_ / "other.pcapng").string();
  std::ofstream(other, std::ios::binary) << text;
  const auto done = replay({other, plain});
  EXPECT_EQ(done.status, 1);
  EXPECT_THAT(done.err, HasSubstr("the UART's output is another"));
}

// One line on stderr with a word of each, and the usage status.
void expect_complaint(const Completed& done, const std::vector<std::string>& words) {
  EXPECT_EQ(done.status, 64) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  EXPECT_EQ(done.out, "");
  for (const auto& word : words) EXPECT_THAT(done.err, HasSubstr(word));
}

TEST_F(Replay, SaysWhatIsWrongWithARecording) {
  const std::string trace = record(), bad = (directory_ / "bad.pcapng").string();
  const auto with = [&](const std::string& text) {
    std::ofstream(bad, std::ios::binary) << text;
    return replay({bad, plain});
  };
  expect_complaint(replay({bad, plain}), {"bad.pcapng", "no such file"});
  expect_complaint(with("hello, hello, hello"), {"bad.pcapng is no pcapng capture", "--record"});
  expect_complaint(with(std::string("\xd4\xc3\xb2\xa1\2\0\4\0\0\0\0\0\0\0\0\0", 16)), {"is a classic pcap"});
  std::string text = text_of(trace);
  expect_complaint(with(text.substr(0, text.size() - 9)), {"is damaged at octet ", "cut short"});
  const auto schema = text.find("avrlan-trace-1");
  expect_complaint(with(std::string(text).replace(schema, 14, "avrlan-trace-9")), {"of another version of avrlan"});
  expect_complaint(with(std::string(text).replace(text.find("\"board\""), 7, "\"baord\"")), {"board is missing"});
  expect_complaint(with(std::string(text).replace(text.find("\"B7\""), 4, "\"B6\"")),
                   {"bad.pcapng says what cannot be", "'B6' is no revision", "--record"});
  expect_complaint(with(std::string(text).replace(text.find("mega-enc28j60"), 13, "mega-enc28j61")),
                   {"bad.pcapng says what cannot be", "there is no board 'mega-enc28j61'"});
  const auto length_at = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]) | text[at + 1] << 8; };
  const auto section = static_cast<std::size_t>(length_at(4));
  const auto header = section + static_cast<std::size_t>(length_at(section + 4));
  expect_complaint(with(text.substr(0, header)), {"bad.pcapng has neither a frame nor an end"});
  expect_complaint(replay({trace, with_nop}), {"is of another firmware", "echo-plain.elf", "--any-firmware"});
  const std::string capture = (directory_ / "capture.pcapng").string();
  ASSERT_EQ(run({program, "run", plain, "-b", "mega-enc28j60", "--net", "none", "--pace", "max", "--timeout", "3s",
                 "--pcap", capture})
                .status,
            42);
  expect_complaint(replay({capture, plain}), {"was not recorded for a replay"});
}

TEST_F(Replay, HelpHasExamples) {
  const auto done = replay({"--help"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("Examples:\n  avrlan run web.elf"));
  EXPECT_THAT(done.out, HasSubstr("--any-firmware --loose"));
}

}  // namespace
}  // namespace avrlan::test
