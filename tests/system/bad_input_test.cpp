// What a person can get wrong on the command line: one line that says what is wrong and what to do, and a status.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string program = AVRLAN_PROGRAM;
const std::string web = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/web.elf";
const std::string hello = AVRLAN_FIRMWARE_DIR "/uno-enc28j60/hello.elf";

constexpr int usage = 64;
constexpr int host_failure = 71;

// The run failed with `status` and one line on stderr that contains each of `words`; nothing on stdout.
void expect_one_line(const Completed& done, int status, const std::vector<std::string>& words) {
  EXPECT_EQ(done.status, status) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  EXPECT_EQ(done.out, "");
  for (const auto& word : words) EXPECT_NE(done.err.find(word), std::string::npos) << word << " in: " << done.err;
}

class BadInput : public testing::Test {
 protected:
  BadInput() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~BadInput() override { std::filesystem::remove_all(directory_); }

  std::string file(const std::string& name, const std::string& content) const {
    const auto path = directory_ / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::filesystem::path directory_;
};

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(BadInput, NoSubcommand) {
  expect_one_line(run({program}), usage, {"subcommand", "--help"});
}

TEST_F(BadInput, UnknownOption) {
  expect_one_line(run({program, "run", web, "--hostfwdd", "x"}), usage, {"--hostfwdd", "avrlan run --help"});
}

TEST_F(BadInput, WhatIsMeant) {
  expect_one_line(run({program, "runn", web}), usage, {"no command 'runn'", "did you mean 'run'?"});
  expect_one_line(run({program, web}), usage, {"is a file", "`avrlan run " + web + "`"});
  expect_one_line(run({program, "run", web, "--hostfwdd", "x"}), usage, {"did you mean --hostfwd?"});
  expect_one_line(run({program, "boards", "--jso"}), usage, {"did you mean --json?", "avrlan boards --help"});
  expect_one_line(run({program, "run", web, "again"}), usage, {"'again' was not expected"});
  expect_one_line(run({program, "run", web, "--diag", "wire-fc"}), usage, {"did you mean 'wire-fcs'?"});
  expect_one_line(run({program, "run", web, "--diag", "wire-fcs"}), usage, {"write wire-fcs=ignore"});
}

TEST_F(BadInput, Peers) {
  const auto refused = [](std::vector<std::string> options, const std::vector<std::string>& words) {
    options.insert(options.begin(), {program, "run", web});
    expect_one_line(run(options), usage, words);
  };
  refused({"--peer", "echo"}, {"--net user has no peers", "add --net peers"});
  refused({"--net", "peers", "--peer", "ecko"}, {"no kind of peer 'ecko'", "did you mean 'echo'?"});
  refused({"--net", "peers", "--peer", "http,dir=/nonexistent"}, {"no directory /nonexistent"});
  refused({"--net", "peers", "--peer", "echo,ip=10.0.2.3"}, {"10.0.2.3", "another peer"});
  refused({"--net", "peers", "--until-peers-done"}, {"no client to wait for", "http-get"});
  refused({"--net", "peers", "--host-access"}, {"--net peers has no host to be reached"});
}

TEST_F(BadInput, NoFirmware) {
  expect_one_line(run({program, "run"}), usage, {"FIRMWARE", "avrlan run --help"});
}

TEST_F(BadInput, MissingFile) {
  expect_one_line(run({program, "run", "/nonexistent/web.elf"}), usage, {"/nonexistent/web.elf", "no such file"});
}

TEST_F(BadInput, Directory) {
  expect_one_line(run({program, "run", "/tmp"}), usage, {"/tmp"});
}

TEST_F(BadInput, NotAnElf) {
  expect_one_line(run({program, "run", file("text.elf", "hello, world\n")}), usage, {"text.elf", "ELF"});
}

TEST_F(BadInput, EmptyFile) {
  expect_one_line(run({program, "run", file("e.elf", "")}), usage, {"e.elf", "ELF"});
}

TEST_F(BadInput, ElfOfThisHost) {
  expect_one_line(run({program, "run", "/bin/sh"}), usage, {"AVR"});
}

TEST_F(BadInput, TruncatedElf) {
  const std::string whole = read_file(hello);
  ASSERT_GT(whole.size(), 1000u);
  for (const std::size_t length : {10u, 40u, 52u, 60u, 100u, 500u, 1000u}) {
    const auto done =
        run({program, "run", file("cut.elf", whole.substr(0, length)), "--net", "none", "--timeout", "1ms"});
    expect_one_line(done, usage, {"cut.elf"});
  }
}

TEST_F(BadInput, ElfForAnotherMcu) {
  expect_one_line(run({program, "run", web, "--board", "mega-enc28j60"}), usage, {"atmega328p", "atmega2560"});
}

TEST_F(BadInput, UnknownMcu) {
  expect_one_line(run({program, "run", web, "--mcu", "atmega9999"}), usage, {"atmega9999", "atmega328p, atmega324p"});
}

TEST_F(BadInput, PinsOfAVcd) {
  const std::string file = "/nowhere/pins.vcd";
  for (const char* bad : {",PB2", ",", ",,"})
    expect_one_line(run({program, "run", web, "--vcd", bad}), usage, {"--vcd", "names no file"});
  expect_one_line(run({program, "run", web, "--vcd", "pins.vcd,"}), usage, {"'' is no pin"});
  expect_one_line(run({program, "run", web, "--vcd", "pins.vcd,PZ9"}), usage, {"PZ9", "--vcd trace.vcd,PB2"});
  expect_one_line(run({program, "run", web, "--net", "none", "--vcd", file}), host_failure, {file, "--vcd"});
}

TEST_F(BadInput, UnknownBoard) {
  expect_one_line(run({program, "run", web, "--board", "uno-enc28j6"}), usage,
                  {"uno-enc28j6", "uno-enc28j60", "avrlan boards"});
}

TEST_F(BadInput, Hostfwd) {
  for (const char* bad : {"8080", "tcp:8080", "tcp::8080-", "tcp::8080-:", "sctp::8080-:80", "tcp::99999-:80",
                          "tcp::80-:0", "tcp:1.2.3:80-:80", "tcp:1.2.3.4.5:80-:80", "tcp::80-:80x"}) {
    expect_one_line(run({program, "run", web, "--hostfwd", bad}), usage, {"tcp:127.0.0.1:8080-:80"});
  }
}

TEST_F(BadInput, HostfwdWithoutANetwork) {
  expect_one_line(run({program, "run", web, "--net", "none", "--hostfwd", "tcp::0-:80"}), usage,
                  {"--net", "--hostfwd"});
}

TEST_F(BadInput, FarEndsOfTheCable) {
  const auto net = [](const std::string& far_end, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {program, "run", web, "--net", far_end});
    return run(more);
  };
  expect_one_line(net("tap,vnet_hdr=on"), usage, {"'vnet_hdr'", "keys: ifname, addr"});
  expect_one_line(net("socket"), usage, {"which one?", "socket,listen=ADDRESS"});
  expect_one_line(net("socket,connect=5001"), usage, {"'5001' is no address", "127.0.0.1:5001"});
  expect_one_line(net("tap", {"--hostfwd", "tcp::0-:80"}), usage, {"--net tap has no forwards", "--net user"});
  expect_one_line(net("socket,listen=:0", {"--host-access"}), usage, {"no host to be reached", "--host-access"});
  for (const char* live : {"tap", "socket,listen=:0"})
    expect_one_line(net(live, {"--pace", "max"}), usage, {"wall clock's time", "--pace real"});
  expect_one_line(net("socket,connect=unix:" + (directory_ / "nobody").string()), host_failure,
                  {"nobody at unix:", "reconnect=1"});
  const std::string text = file("text", "text");
  expect_one_line(net("socket,listen=unix:" + text), host_failure, {text, "the file exists"});
  EXPECT_EQ(read_file(text), "text");
}

TEST_F(BadInput, BusyHostPort) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  socklen_t length = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  const auto port = std::to_string(ntohs(address.sin_port));
  expect_one_line(run({program, "run", web, "--hostfwd", "tcp:127.0.0.1:" + port + "-:80"}), host_failure,
                  {port, "in use", "tcp:127.0.0.1:0-:80"});
  ::close(listener);
}

TEST_F(BadInput, Link) {
  for (const char* bad : {"loss", "loss=2", "loss=-1%", "rate=fast", "delay=10", "speed=10M", "=", "seed=x"}) {
    const auto done = run({program, "run", web, "--link", bad});
    EXPECT_EQ(done.status, usage) << bad;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << bad << ": " << done.err;
  }
}

TEST_F(BadInput, Values) {
  expect_one_line(run({program, "run", web, "--pace", "fast"}), usage, {"--pace"});
  expect_one_line(run({program, "run", web, "--net", "wifi"}), usage,
                  {"--net wifi", "user, none, peers, tap or socket"});
  expect_one_line(run({program, "run", web, "--engine", "turbo"}), usage, {"--engine", "exact", "simavr"});
  expect_one_line(run({program, "run", web, "--timeout", "soon"}), usage, {"--timeout"});
  expect_one_line(run({program, "run", web, "--timeout", "-1s"}), usage, {"--timeout"});
  expect_one_line(run({program, "run", web, "--freq", "0"}), usage, {"--freq"});
  expect_one_line(run({program, "run", web, "--uart", "1"}), usage, {"USART1", "it has USART0"});
  expect_one_line(run({program, "run", web, "--uart-baud", "0"}), usage, {"--uart-baud"});
  expect_one_line(run({program, "run", web, "--uart", "-1"}), usage, {"--uart '-1'", "0 to 3"});
  expect_one_line(run({program, "run", web, "--uart-baud", "0100"}), usage, {"--uart-baud '0100'", "without zeros"});
  expect_one_line(run({program, "run", web, "--freq", "0.5Hz"}), usage, {"--freq", "whole hertz"});
  expect_one_line(run({program, "run", web, "--freq", "16"}), usage, {"--freq '16'", "1 kHz", "16MHz"});
  expect_one_line(run({program, "run", web, "--cable", "in@3s,out@2s"}), usage, {"out@2s", "sort"});
  expect_one_line(run({program, "run", web, "--net", "peers,x=1"}), usage, {"peers takes no settings", "--peer KIND"});
  expect_one_line(run({program, "run", web, "--gdb=nowhere:0"}), usage, {"nowhere:0", "IPv4"});
  expect_one_line(run({program, "run", web, "-b", "ethernut1", "--chip-rev", "B7"}), usage,
                  {"--chip-rev", "rtl8019as"});
  expect_one_line(run({program, "run", web, "--gdb", ""}), usage, {"--gdb has no value", "`avrlan run --help`"});
  expect_one_line(run({program, "run", web, "--errata", "next-page-one-late=on"}), usage,
                  {"this board's chip has no 'next-page-one-late'"});
  expect_one_line(run({program, "boards", "--toml", "ethernut1", "--json"}), usage, {"--json"});
  for (const char* bad : {"-1", "abc", "0", "0x10"})
    expect_one_line(run({program, "run", web, "--profile", "--timeline", bad}), usage, {"--timeline", bad});
}

// Nested tables, for each of which the parser calls itself.
TEST_F(BadInput, KeysOfManyParts) {
  const std::string file = directory_ / "deep.toml";
  std::string parts = "x";
  for (int n = 0; n < 50'000; ++n) parts += ".a";
  for (const std::string& text :
       {parts + " = 1\n", "[" + parts + "]\n", "a = 1 # '\nb = { " + parts + " = 1 }\n", "a = 'it''s'\n" + parts}) {
    std::ofstream(file) << text;
    expect_one_line(run({program, "run", web, "-b", file}), usage, {"deep.toml:", "a key of more than 65 parts"});
    expect_one_line(run({program, "lab", file, "--check"}), usage, {"deep.toml:", "a key of more than 65 parts"});
  }
  const std::string dots(100, '.');
  std::ofstream(file) << "summary = '''\n" + dots + "\n'''\nname = \"\\\"" + dots + "\" # " + dots + "\n";
  expect_one_line(run({program, "run", web, "-b", file}), usage, {"deep.toml:4:", "is no name of a board"});
}

// Whatever is wrong is found before a recording of an earlier run is touched.
TEST_F(BadInput, LeavesAnEarlierRecordingAlone) {
  const std::string kept = directory_ / "kept.pcapng", octets = directory_ / "octets";
  const auto with = [&](std::vector<std::string> more) {
    std::ofstream(kept) << "kept";
    more.insert(more.begin(), {program, "run", web, "--pace", "max", "--timeout", "1ms", "--record", kept});
    auto done = run(more);
    std::ifstream file(kept);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "kept");
    return done;
  };
  std::ofstream(octets) << std::string(1024, 'x');
  std::vector<std::string> much = {"--net", "none"};
  for (int n = 0; n < 40; ++n) much.insert(much.end(), {"--eeprom", "@" + octets});
  expect_one_line(with(much), usage, {"octets of text", "65535", "--eeprom"});
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  const std::string port = std::to_string(ntohs(address.sin_port));
  expect_one_line(with({"--net", "none", "--gdb=" + port}), host_failure, {port});
  ::close(listener);
}

TEST_F(BadInput, FilesOfNothing) {
  expect_one_line(run({program, "run", web, "--coverage"}), usage, {"--coverage", "--out DIR"});
  expect_one_line(run({program, "run", web, "--profile", "--timeline", "9"}), usage, {"--timeline", "--out DIR"});
  expect_one_line(run({program, "run", web, "--timeline", "9", "--out", directory_ / "out"}), usage, {"--profile"});
  EXPECT_FALSE(std::filesystem::exists(directory_ / "out"));
}

TEST_F(BadInput, AnalogPins) {
  const auto with = [](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", web, "--net", "none", "--pace", "max", "--timeout", "1ms"});
    return run(more);
  };
  expect_one_line(with({"--analog", "adc8=1V"}), usage, {"adc8", "atmega328p", "adc7"});
  expect_one_line(with({"--analog", "adc0=1V", "--analog", "adc0=2V"}), usage, {"adc0", "twice"});
  EXPECT_EQ(with({"--analog", "adc0=1V", "--analog", "adc7=2V", "--analog", "ain0=1V"}).status, 42);
}

TEST_F(BadInput, Eeprom) {
  const auto with = [](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", web, "--net", "none", "--pace", "max", "--timeout", "1ms"});
    return run(more);
  };
  expect_one_line(with({"--eeprom", "02:4"}), usage, {"'02:4'", "0x10=CAFE"});
  expect_one_line(with({"--eeprom", "0x3FF=0000"}), usage, {"0x3FF", "0x400", "atmega328p", "1024"});
  expect_one_line(with({"--eeprom", "@" + directory_.string()}), usage, {"cannot read " + directory_.string()});
  EXPECT_EQ(with({"--eeprom", "0x3FF=00", "--eeprom", "02:41:56:00:00:01"}).status, 42);
}

// What has no end is not read, and what nobody writes to is not waited for.
TEST_F(BadInput, DevicesAndPipes) {
  const std::string pipe = (directory_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& file : {pipe, std::string("/dev/zero"), directory_.string()}) {
    expect_one_line(run({program, "run", file}), usage, {"cannot read " + file});
    expect_one_line(run({program, "run", web, "--analog", "adc0=@" + file}), usage,
                    {"cannot read " + file, "--analog"});
  }
  for (const char* option : {"--pcap", "--record", "--vcd"})
    expect_one_line(run({program, "run", web, option, pipe}), usage, {option, pipe, "is a pipe"});
}

// FUSES of an ATmega328P with BOOTRST.
TEST_F(BadInput, BootLoaderThatIsNotThere) {
  const std::string source = file("boot.c",
                                  "#include <avr/io.h>\n"
                                  "FUSES = {.low = 0xff, .high = 0xd8, .extended = 0xff};\nint main() {}\n");
  const std::string elf = (directory_ / "boot.elf").string();
  ASSERT_EQ(run({"avr-gcc", "-mmcu=atmega328p", source, "-o", elf}).status, 0);
  expect_one_line(run({program, "run", elf, "--net", "none"}), usage, {"BOOTRST", "0x7000", "no code"});
}

TEST_F(BadInput, OutputsOverwriteNoInputAndNoOther) {
  const std::string elf = (directory_ / "uart.log").string(), whole = read_file(hello);
  std::filesystem::copy_file(hello, elf);
  std::filesystem::create_symlink(elf, directory_ / "link");
  const std::string link = (directory_ / "link").string(), other = (directory_ / "x").string();
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", elf, "--net", "none", "--pace", "max"});
    return run(more);
  };
  expect_one_line(with({"--pcap", elf}), usage, {"--pcap would overwrite", "FIRMWARE"});
  expect_one_line(with({"--vcd", link}), usage, {"--vcd would overwrite", "FIRMWARE"});
  expect_one_line(with({"--out", directory_}), usage, {"--out would overwrite", "uart.log"});
  expect_one_line(with({"--vcd", other, "--pcap", other}), usage, {"--pcap and --vcd would both write"});
  expect_one_line(with({"--out", other, "--pcap", other + "/frames.pcapng"}), usage, {"--pcap and --out", "both"});
  const std::string steps = file("steps", "0 1V\n");
  expect_one_line(with({"--analog", "adc0=@" + steps, "--pcap", steps}), usage, {"--pcap would overwrite", "--analog"});
  EXPECT_EQ(read_file(elf), whole);
  EXPECT_EQ(with({"--pcap", "/dev/null", "--vcd", "/dev/null"}).status, 0);
}

TEST_F(BadInput, OutHasTheLastRunsFilesAndKeepsOthers) {
  const std::string out = (directory_ / "out").string();
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", hello, "--net", "none", "--pace", "max", "--out", out});
    return run(more);
  };
  const auto has = [&](const char* name) { return std::filesystem::exists(out + "/" + name); };
  EXPECT_EQ(with({"--profile", "--coverage"}).status, 0);
  file("out/notes.txt", "mine");
  file("out/timeline.json", "mine, too");
  EXPECT_TRUE(has("callgrind.out") && has("memory.json"));
  EXPECT_EQ(with({}).status, 0);
  EXPECT_FALSE(has("callgrind.out") || has("stacks.folded") || has("coverage.info") || has("memory.json"));
  EXPECT_TRUE(has("notes.txt") && has("run.json") && has("diagnostics.json") && has("uart.log"));
  expect_one_line(with({"--profile", "--timeline", "9"}), usage, {"timeline.json is there already"});
  expect_one_line(with({"--profile", "--engine", "simavr"}), usage, {"cannot be observed"});
  EXPECT_EQ(read_file(out + "/timeline.json"), "mine, too");
  file("out/run.json", "{\"files\": [\"../steps\"]}");
  expect_one_line(with({}), usage, {"run.json is there already"});
  file("steps", "mine");
  file("out/run.json",
       "{\"schema\": \"avrlan-run-1\", \"files\": [\"../steps\", \"notes.txt\", \"run.json\", "
       "\"uart.log\", \"frames.pcapng\", \"diagnostics.json\"]}");
  EXPECT_EQ(with({}).status, 0);
  EXPECT_TRUE(has("../steps") && has("notes.txt"));
}

TEST_F(BadInput, LeavesWhatAnEarlierRunHasLeft) {
  const std::string out = (directory_ / "out").string(), vcd = (directory_ / "pins.vcd").string(),
                    pcap = (directory_ / "frames.pcapng").string();
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", web, "--net", "none", "--pace", "max", "--timeout", "100ms", "--out",
                               out, "--pcap", pcap});
    return run(more).status;
  };
  const auto left = [&] {
    std::string all = read_file(vcd) + read_file(pcap);
    for (const char* name : {"run.json", "uart.log", "frames.pcapng", "diagnostics.json"})
      all += read_file(out + "/" + name);
    return all;
  };
  ASSERT_EQ(with({"--vcd", vcd}), 42);
  const std::string before = left();
  EXPECT_EQ(with({"--vcd", vcd, "--region", "x=nothing_of_the_kind"}), usage);
  EXPECT_EQ(with({"--vcd", vcd + ",PG7"}), usage);
  EXPECT_EQ(with({"--vcd", vcd, "--profile", "--engine", "simavr"}), usage);
  EXPECT_EQ(with({"--vcd", "/nonexistent/pins.vcd"}), host_failure);
  EXPECT_EQ(left(), before);
}

TEST_F(BadInput, TwoRunsIntoOneDirectoryAtATime) {
  const std::string out = (directory_ / "out").string();
  const std::vector<std::string> command{program, "run", web, "--net", "none", "--out", out};
  Process first(command);
  ASSERT_TRUE(first.wait_for_out("avrlan web"));
  expect_one_line(run(command), usage, {"another run is writing to " + out});
  first.signal(SIGINT);
  EXPECT_EQ(first.finish().status, 130);
  EXPECT_EQ(run({program, "run", web, "--net", "none", "--out", out, "--timeout", "1ms"}).status, 42);
}

TEST_F(BadInput, Regions) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", web, "--net", "none", "--pace", "max", "--timeout", "1ms"});
    return run(more);
  };
  expect_one_line(with({"--region", "x=mian"}), usage, {"--region x", "'mian'", "did you mean 'main'?"});
  expect_one_line(with({"--region", "x=*stack/tcpp/*"}), usage, {"'*stack/tcpp/*'", "did you mean '"});
  expect_one_line(with({"--region", "x=main", "--region", "x=main"}), usage, {"--region x is given twice"});
  for (const char* bad : {"x", "=main", "x=", "x=,"}) expect_one_line(with({"--region", bad}), usage, {"not a region"});
}

// A name with a line in it that GitHub's runner would obey, and one that would colour a terminal.
TEST_F(BadInput, NamesStayInTheirLine) {
  const std::string name = (directory_ / "x\n::error::injected \x1b[31m").string();
  expect_one_line(run({program, "run", name}), usage, {"x\\x0a::error::injected \\x1b[31m"});
  expect_one_line(run({program, "run", web, "--link", "a\n::error::b"}), usage, {"a\\x0a::error::b"});
  std::filesystem::copy_file(AVRLAN_MISTAKES_DIR "/pktdec_at_zero.elf", name);
  const std::string out = (directory_ / "out").string();
  const auto done =
      run({program, "run", name, "--net", "none", "--pace", "max", "--timeout", "20ms", "--profile", "--out", out});
  EXPECT_EQ(read_file(out + "/callgrind.out").find("\n::error"), std::string::npos);
  EXPECT_EQ(run({program, "report", out}).out.find("\n::error"), std::string::npos);
  EXPECT_EQ(done.err.find("\n::error"), std::string::npos) << done.err;
  EXPECT_EQ(done.err.find('\x1b'), std::string::npos) << done.err;
}

// Of code that names its functions so.
TEST_F(BadInput, FunctionNamesStayInTheirLine) {
  const std::string source =
      file("names.S", ".global main, f\nmain: rcall f\n.type f, @function\nf: nop\n.word 0xffff\n");
  const std::string elf = (directory_ / "names.elf").string(), out = (directory_ / "out").string();
  ASSERT_EQ(run({"avr-gcc", "-mmcu=atmega328p", source, "-o", elf}).status, 0);
  ASSERT_EQ(run({"avr-objcopy", "--redefine-sym", "f=f\n::error::g\x1b[31m", elf}).status, 0);
  const auto done =
      run({program, "run", elf, "--net", "none", "--pace", "max", "--timeout", "1ms", "--profile", "--out", out});
  EXPECT_NE(done.err.find("  in f\\x0a::error::g\\x1b[31m+0x2, pc 0x0084"), std::string::npos) << done.err;
  EXPECT_EQ(done.err.find("\n::error"), std::string::npos) << done.err;
  EXPECT_EQ(done.err.find('\x1b'), std::string::npos) << done.err;
  for (const char* name : {"/stacks.folded", "/callgrind.out"}) {
    EXPECT_NE(read_file(out + name).find("f\\x0a::error"), std::string::npos) << name;
    EXPECT_EQ(read_file(out + name).find("\n::error"), std::string::npos) << name;
  }
}

// ulimit -f.
TEST_F(BadInput, FilesThatMayNotGrow) {
  const auto little = [] {
    const rlimit limit{2048, 2048};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const auto done = run({program, "run", web, "--net", "none", "--pace", "max", "--timeout", "100ms", "--profile",
                         "--out", directory_ / "out"},
                        little);
  EXPECT_EQ(done.status, host_failure) << done.err;
  EXPECT_NE(done.err.find("callgrind.out: File too large"), std::string::npos) << done.err;
}

TEST_F(BadInput, AnEmptyValueIsNotNone) {
  expect_one_line(run({program, "run", web, "--timeout", ""}), usage, {"--timeout has no value"});
  expect_one_line(run({program, "run", web, "--timeout="}), usage, {"--timeout= has no value"});
}

TEST_F(BadInput, NobodyReadsStderr) {
  const auto deaf = [](const std::vector<std::string>& command) {
    return run(command, [] { ::dup2(::open("/dev/full", O_WRONLY), STDERR_FILENO); }).status;
  };
  const std::string out = (directory_ / "out").string();
  EXPECT_EQ(deaf({program, "run", hello, "--net", "none", "--pace", "max", "--out", out}), 0);
  EXPECT_TRUE(std::filesystem::exists(out + "/run.json"));
  EXPECT_EQ(deaf({program, "run", "nothing.elf"}), usage);
  EXPECT_EQ(deaf({program, "run", "--nothing"}), usage);
}

TEST_F(BadInput, AListThatCannotBeWritten) {
  const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  expect_one_line(run({program, "boards"}, full), host_failure, {"cannot write to stdout"});
  expect_one_line(run({program, "run", "--help"}, full), host_failure, {"cannot write to stdout"});
}

TEST_F(BadInput, NamesThatAreNotUtf8) {
  const std::string elf = file("bad\xff.elf", read_file(hello)), out = (directory_ / "out").string();
  const auto done = run({program, "run", elf, "--net", "none", "--pace", "max", "--out", out});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_NE(read_file(out + "/run.json").find("bad\xef\xbf\xbd.elf"), std::string::npos);
}

// A line table whose last sequence ends at an odd address.
TEST_F(BadInput, CodeThatEndsAtAnOddAddress) {
  const std::string source = file("odd.S", ".section .zz, \"ax\"\n.global main\nmain: sleep\nrjmp main\n.byte 1\n");
  const std::string elf = (directory_ / "odd.elf").string();
  ASSERT_EQ(
      run({"avr-gcc", "-gdwarf-2", "-mmcu=atmega328p", source, "-o", elf, "-Wl,--section-start=.zz=0x1000"}).status, 0);
  const auto done =
      run({program, "run", elf, "--net", "none", "--timeout", "1ms", "--profile", "--out", directory_ / "out"});
  EXPECT_EQ(done.status, 42) << done.err;
}

TEST_F(BadInput, OutputThatCannotBeWritten) {
  const auto blocker = file("blocker", "x");
  expect_one_line(run({program, "run", hello, "--out", blocker + "/run"}), host_failure, {"--out"});
  expect_one_line(run({program, "run", hello, "--pcap", blocker + "/x.pcapng"}), host_failure, {"x.pcapng"});
}

TEST(FirmwareStatus, IsTheCommandsStatus) {
  const auto ok = run({program, "run", hello, "--net", "none", "--pace", "max", "--timeout", "5s"});
  EXPECT_EQ(ok.status, 0) << ok.err;
  EXPECT_NE(ok.out.find("hello"), std::string::npos);
  const auto failed =
      run({program, "run", AVRLAN_FIRMWARE_DIR "/uno-enc28j60/fail.elf", "--net", "none", "--pace", "max"});
  EXPECT_EQ(failed.status, 3) << failed.err;
}

TEST(UartBaud, ThatIsNotTheFirmwaresIsADiagnostic) {
  const auto told = [](const std::string& baud) {
    const auto done = run({program, "run", hello, "--net", "none", "--pace", "max", "--uart-baud", baud});
    EXPECT_EQ(done.status, 0) << done.err;
    return done.err.find("[uart-baud]") != std::string::npos;
  };
  EXPECT_FALSE(told("115200"));
  EXPECT_TRUE(told("9600"));
}

TEST(Diagnostics, TheFirmwareGoesOnAfterWhatIsNoError) {
  const std::string source = (std::filesystem::temp_directory_path() / "avrlan-stacks.S").string();
  std::ofstream(source)
      << ".global main\n.comm thread_stack, 64\n"
         "main: ldi r16, lo8(thread_stack+63)\nldi r17, hi8(thread_stack+63)\nout 0x3e, r17\nout 0x3d, r16\n"
         "rcall f\nldi r24, 7\nldi r25, 0\ncli\nrjmp .-2\nf: ret\n";
  const std::string elf = source + ".elf";
  ASSERT_EQ(run({"avr-gcc", "-mmcu=atmega328p", source, "-o", elf}).status, 0);
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {program, "run", elf, "--net", "none", "--pace", "max", "--timeout", "1s"});
    return run(more);
  };
  EXPECT_EQ(with({}).status, 70);
  const auto told = with({"--diag", "stack-overflow=note"});
  EXPECT_EQ(told.status, 7) << told.err;
  EXPECT_NE(told.err.find("note: The stack grows"), std::string::npos) << told.err;
  const auto ignored = with({"--diag", "stack-overflow=ignore"});
  EXPECT_EQ(ignored.status, 7);
  EXPECT_EQ(ignored.err.find("stack"), std::string::npos) << ignored.err;
  EXPECT_EQ(with({"--engine", "simavr"}).status, 7) << "it does not look";
  expect_one_line(with({"--engine", "simavr", "--diag", "stack-overflow=error"}), usage,
                  {"does not look at the stack"});
  std::filesystem::remove(source);
  std::filesystem::remove(elf);
}

TEST(TextOptions, EndTheRun) {
  const std::vector<std::string> base{program, "run", hello, "--net", "none", "--pace", "max", "--timeout", "5s"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run(more);
  };
  EXPECT_EQ(with({"--expect-text", "hello"}).status, 0);
  EXPECT_EQ(with({"--fail-text", "hello"}).status, 1);
  const auto missing = with({"--expect-text", "not said"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.err.find("without the expected text"), std::string::npos);
}

TEST(Limits, EndTheRunWith42) {
  const auto virtual_limit = run({program, "run", web, "--net", "none", "--pace", "max", "--timeout", "250ms"});
  EXPECT_EQ(virtual_limit.status, 42);
  EXPECT_NE(virtual_limit.err.find("0.250000 s virtual"), std::string::npos) << virtual_limit.err;
  EXPECT_EQ(run({program, "run", web, "--net", "none", "--wall-timeout", "50ms"}).status, 42);
}

// Start-up after a watchdog's reset: 65 ms and more.
TEST(Limits, EndTheRunWhileTheOscillatorStarts) {
  const std::string source = (std::filesystem::temp_directory_path() / "avrlan-reset.c").string();
  std::ofstream(source) << "#include <avr/wdt.h>\nint main() { wdt_enable(WDTO_15MS); for (;;) {} }\n";
  const std::string elf = source + ".elf", out = source + ".out";
  ASSERT_EQ(run({"avr-gcc", "-Os", "-mmcu=atmega328p", source, "-o", elf}).status, 0);
  for (const std::string engine : {"exact", "simavr"}) {
    const auto done =
        run({program, "run", elf, "--net", "none", "--pace", "max", "--timeout", "50ms", "--engine", engine});
    EXPECT_EQ(done.status, 42);
    EXPECT_NE(done.err.find("0.050000 s virtual"), std::string::npos) << done.err;
    EXPECT_NE(done.err.find("cycles    800,000 total"), std::string::npos) << done.err;
  }
  const std::vector<std::string> command = {program, "run",       elf,     "--net",     "none",  "--pace",
                                            "max",   "--timeout", "300ms", "--profile", "--out", out};
  EXPECT_EQ(run(command).status, 42);
  const auto same = run({program, "compare", out + "/run.json", out + "/run.json", "--max-regress", "0"});
  EXPECT_EQ(same.status, 0) << "the functions' cycles add up to the run's: " << same.err;
  for (const auto& file : {source, elf, out}) std::filesystem::remove_all(file);
}

}  // namespace
}  // namespace avrlan::test
