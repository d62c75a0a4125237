// The main job: a firmware serves pages to the real curl through --hostfwd; the capture is judged by tshark.

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

const std::string program = AVRLAN_PROGRAM;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

// What /bytes sends at offset i, as firmware/README.md documents it.
std::string expected_bytes(std::size_t n) {
  std::string bytes(n, '\0');
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<char>((i ^ i >> 8 ^ i >> 16 ^ i >> 24) & 0xff);
  return bytes;
}

std::string curl(const std::string& url, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"curl", "--silent", "--show-error", "--fail", "--max-time", "50"});
  options.push_back(url);
  const auto done = run(options);
  EXPECT_EQ(done.status, 0) << done.err;
  return done.out;
}

class Serve : public testing::TestWithParam<std::string> {
 protected:
  Serve() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-test-XXXXXX").string();
    out = ::mkdtemp(name.data());
  }
  ~Serve() override { std::filesystem::remove_all(out); }

  void start(const std::string& image, std::vector<std::string> options = {"--hostfwd", "tcp:127.0.0.1:0-:80"}) {
    std::vector<std::string> command{
        program, "run", AVRLAN_FIRMWARE_DIR "/" + GetParam() + "/" + image + ".elf", "-b", GetParam(),
        // A mistake of the image would end the run; frames may be lost.
        "--out", out.string(), "--diag", "all=error,enc28j60-overflow*=note,rtl8019as-overflow*=note"};
    command.insert(command.end(), options.begin(), options.end());
    board = std::make_unique<Process>(command);
    ASSERT_TRUE(board->wait_for_err("forwarding ")) << board->err();
    ASSERT_TRUE(board->wait_for_err("-> 10.0.2.15:")) << board->err();
    const std::string mark = "127.0.0.1:";
    port = std::to_string(std::stoi(board->err().substr(board->err().find(mark) + mark.size())));
    ASSERT_TRUE(board->wait_for_out("10.0.2.15")) << board->out();
  }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + port + path; }

  // Ends the board by SIGINT and judges what it left behind.
  void stop() {
    board->signal(SIGINT);
    const auto done = board->finish();
    EXPECT_EQ(done.status, 130) << done.err;
    EXPECT_NE(done.err.find("ended     SIGINT"), std::string::npos) << done.err;
    EXPECT_EQ(read_file(out / "uart.log"), done.out);
    const auto json = nlohmann::json::parse(read_file(out / "run.json"));
    EXPECT_EQ(json["schema"], "avrlan-run-1");
    EXPECT_EQ(json["result"]["reason"], "interrupted");
    EXPECT_EQ(json["cycles"]["active"].get<long>() + json["cycles"]["sleep"].get<long>(),
              json["cycles"]["total"].get<long>());
    EXPECT_EQ(json["diagnostics"]["warning"], 0) << done.err;
    EXPECT_EQ(json["diagnostics"]["error"], 0) << done.err;
    judge_capture(json);
  }

  void judge_capture(const nlohmann::json& json) {
    const auto file = (out / "frames.pcapng").string();
    const std::vector<std::string> strict{"tshark",
                                          "-r",
                                          file,
                                          "-o",
                                          "ip.check_checksum:TRUE",
                                          "-o",
                                          "tcp.check_checksum:TRUE",
                                          "-o",
                                          "udp.check_checksum:TRUE"};
    auto tshark = [&](std::vector<std::string> more) {
      more.insert(more.begin(), strict.begin(), strict.end());
      const auto done = run(more);
      EXPECT_EQ(done.status, 0) << done.err;
      return lines(done.out);
    };
    const auto bad = tshark({"-Y",
                             "ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0 || "
                             "icmp.checksum.status == 0 || _ws.malformed"});
    EXPECT_TRUE(bad.empty()) << bad.size() << " bad frames, the first: " << bad.front();

    const auto frames = tshark({"-T", "fields", "-e", "frame.time_epoch", "-e", "frame.packet_flags_direction"});
    std::size_t in = 0;
    std::size_t out_count = 0;
    std::string last;
    for (const auto& frame : frames) {
      const auto tab = frame.find('\t');
      const std::string time = frame.substr(0, tab);
      EXPECT_GE(std::stold(time), last.empty() ? 0.0L : std::stold(last)) << "time runs backwards at " << frame;
      last = time;
      const auto direction = std::stoul(frame.substr(tab + 1), nullptr, 0);
      (direction == 1 ? in : out_count) += 1;
    }
    EXPECT_EQ(in, json["wire"]["in_frames"].get<std::size_t>());
    EXPECT_EQ(out_count, json["wire"]["out_frames"].get<std::size_t>());
    EXPECT_GT(in, 4u);
    EXPECT_GT(out_count, 4u);
  }

  std::filesystem::path out;
  std::unique_ptr<Process> board;
  std::string port;
};

TEST_P(Serve, AHundredPagesAndALongBody) {
  start("web");
  for (int i = 0; i < 100; ++i) {
    const std::string page = curl(url("/"));
    ASSERT_NE(page.find("</html>"), std::string::npos) << page;
  }
  EXPECT_EQ(curl(url("/bytes?n=200000")), expected_bytes(200000));
  EXPECT_EQ(curl(url("/bytes?n=0")), "");
  EXPECT_EQ(curl(url("/bytes?n=1")), expected_bytes(1));
  EXPECT_EQ(run({"curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", url("/nothing")}).out, "404");
  stop();
}

TEST_P(Serve, EightCurlsAtOnce) {
  start("web");
  std::vector<std::unique_ptr<Process>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<Process>(std::vector<std::string>{"curl", "--silent", "--show-error", "--fail",
                                                                         "--max-time", "50", url("/bytes?n=5000")}));
  }
  for (auto& client : clients) {
    const auto done = client->finish();
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(done.out, expected_bytes(5000));
  }
  stop();
}

TEST_P(Serve, PagesOverALinkThatLosesAndReorders) {
  start("web", {"--hostfwd", "tcp:127.0.0.1:0-:80", "--link",
                "delay=5ms,jitter=2ms,loss=3%,dup=1%,reorder=2%,corrupt=1%,seed=11"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(curl(url("/bytes?n=3000")), expected_bytes(3000));
  board->signal(SIGINT);
  const auto done = board->finish();
  EXPECT_EQ(done.status, 130) << done.err;
  EXPECT_NE(done.err.find("lost "), std::string::npos) << done.err;
}

// As a debugger or a laptop's lid does. A second of it is enough: virtual time would catch up with it, and does not.
TEST_P(Serve, LosesNoConnectionWhileItsProcessIsStopped) {
  start("web");
  const auto get = [&](std::size_t n) {
    return std::make_unique<Process>(std::vector<std::string>{
        "curl", "--silent", "--show-error", "--fail", "--max-time", "50", url("/bytes?n=" + std::to_string(n))});
  };
  constexpr std::size_t long_body = 400'000;
  const auto before = get(long_body);
  ASSERT_TRUE(before->wait_for_out(expected_bytes(long_body).substr(9'000, 300)));
  board->signal(SIGSTOP);
  siginfo_t stopped{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(board->pid()), &stopped, WSTOPPED | WNOWAIT), 0);
  const auto meanwhile = get(5'000);
  ::poll(nullptr, 0, 1'000);
  board->signal(SIGCONT);
  EXPECT_EQ(before->finish().out, expected_bytes(long_body));
  EXPECT_EQ(meanwhile->finish().out, expected_bytes(5'000));
  stop();
  const auto seconds = nlohmann::json::parse(read_file(out / "run.json"))["seconds"];
  EXPECT_LT(seconds["virtual"].get<double>(), seconds["wall"].get<double>() - 0.8);
}

INSTANTIATE_TEST_SUITE_P(Boards, Serve,
                         testing::Values("uno-enc28j60", "mega-enc28j60", "ethernut1", "mega128-rtl8019as"),
                         [](const auto& board) { return board.param.substr(0, board.param.find('-')); });

}  // namespace
}  // namespace avrlan::test
