// Firmware images with peers on the command line: twice the same, to the cycle and the octet, and a status.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/system/process.hpp"

namespace avrlan::test {
namespace {

using Json = nlohmann::json;

const std::string program = AVRLAN_PROGRAM;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Outcome {
  Completed done;
  Json run;
  std::string frames;
};

class Peers : public testing::TestWithParam<std::string> {
 protected:
  Peers() {
    std::string name = (std::filesystem::temp_directory_path() / "avrlan-peers-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~Peers() override { std::filesystem::remove_all(directory_); }

  Outcome once(const std::string& image, const std::vector<std::string>& options) const {
    const std::string board = GetParam();
    std::vector<std::string> command = {program,
                                        "run",
                                        AVRLAN_FIRMWARE_DIR "/" + board + "/" + image + ".elf",
                                        "-b",
                                        board,
                                        "--net",
                                        "peers",
                                        "--pace",
                                        "max",
                                        "--timeout",
                                        "120s",
                                        "--out",
                                        directory_.string()};
    command.insert(command.end(), options.begin(), options.end());
    Outcome outcome{run(command), {}, read_file(directory_ / "frames.pcapng")};
    outcome.run = Json::parse(read_file(directory_ / "run.json"));
    outcome.run["seconds"].erase("wall");
    return outcome;
  }
  Outcome twice(const std::string& image, const std::vector<std::string>& options) const {
    const Outcome first = once(image, options), second = once(image, options);
    EXPECT_EQ(first.run, second.run);
    EXPECT_EQ(first.frames, second.frames);
    EXPECT_EQ(first.done.err.find("warning"), std::string::npos) << first.done.err;
    EXPECT_TRUE(first.run["deterministic"]["value"]);
    return first;
  }
  static const Json& peer(const Outcome& outcome, const std::string& name) {
    for (const Json& peer : outcome.run["peers"])
      if (peer["name"] == name) return peer;
    throw std::runtime_error("no peer " + name);
  }

  std::filesystem::path directory_;
};

TEST_P(Peers, GetPages) {
  const Outcome outcome =
      twice("web", {"--until-peers-done", "--peer", "http-get,url=http://10.0.2.15/,count=12,parallel=4", "--peer",
                    "http-get,url=http://10.0.2.15/bytes?n=30000,acks=immediate,name=bytes"});
  EXPECT_EQ(outcome.done.status, 0) << outcome.done.err;
  EXPECT_EQ(outcome.run["result"]["reason"], "peers-done");
  EXPECT_EQ(peer(outcome, "dhcp")["leases"].size(), 1u);
  EXPECT_EQ(peer(outcome, "http-get")["requests"], 12);
  EXPECT_EQ(peer(outcome, "http-get")["failed"], 0);
  EXPECT_EQ(peer(outcome, "bytes")["bytes"], 30'000);
}

TEST_P(Peers, GetPagesOverALinkThatLoses) {
  const Outcome outcome = twice("web", {"--until-peers-done", "--link", "delay=5ms,loss=3%,dup=1%,seed=4", "--peer",
                                        "http-get,url=http://10.0.2.15/bytes?n=20000,count=3"});
  EXPECT_EQ(outcome.done.status, 0) << outcome.done.err;
  EXPECT_EQ(peer(outcome, "http-get")["bytes"], 60'000);
  EXPECT_GT(outcome.run["nic"]["drops"]["lost"], 0);
}

TEST_P(Peers, SayWhatWentWrong) {
  const Outcome outcome = once("web", {"--until-peers-done", "--peer", "http-get,url=http://10.0.2.15/nothing"});
  EXPECT_EQ(outcome.done.status, 1);
  EXPECT_EQ(outcome.run["result"]["status"], 1);
  EXPECT_NE(outcome.done.err.find("http-get has ended, failed: request 1: status 404 instead of 200"),
            std::string::npos)
      << outcome.done.err;
}

TEST_P(Peers, TellNamesAndTheTimeOfDay) {
  const Outcome outcome = twice("dhcp-dns-ntp", {"--peer", "dns,host=pool.ntp.org:10.0.2.9", "--peer",
                                                 "ntp,ip=10.0.2.9,time=2026-11-30T17:20:05Z"});
  EXPECT_EQ(outcome.done.status, 0) << outcome.done.err;
  EXPECT_NE(outcome.done.out.find("2026-11-30 17:20:0"), std::string::npos) << outcome.done.out;
  EXPECT_EQ(peer(outcome, "dns")["answered"], 1);
}

TEST_P(Peers, StreamAndPing) {
  for (const std::string image : {"echo", "echo-interrupt"}) {
    const Outcome outcome = twice(
        image, {"--until-peers-done", "--peer", "tcp-stream,to=10.0.2.15:7,up=20k,down=20k,check=echo,acks=immediate",
                "--peer", "udp-ping,to=10.0.2.15:7,count=20,size=1000,interval=20ms", "--peer",
                "ping,to=10.0.2.15,count=20,size=1400,interval=30ms,acks=immediate", "--peer",
                "port-scan,to=10.0.2.15,ports=1-30,parallel=2,open=7"});
    EXPECT_EQ(outcome.done.status, 0) << outcome.done.err;
    EXPECT_EQ(peer(outcome, "tcp-stream")["down_bytes"], 20'480);
    EXPECT_EQ(peer(outcome, "udp-ping")["received"], 20);
    EXPECT_EQ(peer(outcome, "ping")["received"], 20);
    EXPECT_EQ(peer(outcome, "port-scan")["open"], Json::array({7}));
  }
}

TEST_P(Peers, FindWhatOtherImagesServe) {
  const Outcome netio = twice(
      "netio", {"--until-peers-done", "--peer", "port-scan,to=10.0.2.15,ports=7+23+80+18767,parallel=2,open=18767"});
  EXPECT_EQ(netio.done.status, 0) << netio.done.err;
  const Outcome telnet = twice("telnet", {"--until-peers-done", "--peer", "tcp-stream,to=10.0.2.15:23,down=10"});
  EXPECT_EQ(telnet.done.status, 0) << telnet.done.err;
  EXPECT_GE(peer(telnet, "tcp-stream")["down_bytes"], 10);
}

TEST_P(Peers, AreSurvived) {
  const Outcome outcome = twice("web", {"--until-peers-done", "--peer", "bad-input,to=10.0.2.15,port=80"});
  EXPECT_EQ(outcome.done.status, 0) << outcome.done.err;
  EXPECT_GT(peer(outcome, "bad-input")["survived"].size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Boards, Peers, testing::Values("uno-enc28j60", "mega-enc28j60"),
                         [](const auto& about) { return about.param.substr(0, about.param.find('-')); });

}  // namespace
}  // namespace avrlan::test
